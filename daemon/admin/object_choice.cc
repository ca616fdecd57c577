#include "daemon/admin/object_choice.h"

#include <functional>

#include "daemon/admin/near_names.h"
#include "daemon/log.h"
#include "shm/mutex_inspection.h"
#include "shm/pool_table.h"
#include "shm/snapshot.h"

namespace oxpool::daemon::admin {

using grpc::Status;
using grpc::StatusCode;

namespace {

constexpr uint64_t kIdLimit = uint64_t{1} << 53;
constexpr size_t kNamesRemembered = 4096;

using VisitObject = std::function<void(uint64_t id, std::string name, bool has_name)>;

template <typename Record>
uint64_t id_of(const Record& record) {
  return record.id.load(std::memory_order_relaxed);
}

void visit_pools(const shm::SegmentView& view, const VisitObject& visit) {
  shm::for_each_live_pool(view, [&](const shm::PoolRecord& pool) {
    const uint32_t naming = pool.naming.load(std::memory_order_relaxed);
    visit(id_of(pool), shm::pool_name(pool), (naming & shm::kNameRemoved) == 0);
  });
}

void visit_mutexes(const shm::SegmentView& view, const VisitObject& visit) {
  shm::for_each_live_mutex(view, [&](const shm::MutexRecord& mutex) {
    visit(id_of(mutex), shm::mutex_name(mutex), !shm::is_removed(mutex));
  });
}

std::string for_people(const std::string& name, uint64_t id) {
  return quote(name) + " (id " + std::to_string(id) + ")";
}

std::string list_of(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

struct ObjectKind {
  const char* noun;
  const char* way_to_all;
  void (*visit_all)(const shm::SegmentView& view, const VisitObject& visit);
};

namespace {
constexpr ObjectKind kPools = {"pool", "list shows all pools", visit_pools};
constexpr ObjectKind kMutexes = {"mutex", "mutexes lists them", visit_mutexes};
}  // namespace

std::string name_for_people(const shm::PoolRecord& pool) {
  return for_people(shm::pool_name(pool), id_of(pool));
}

std::string name_for_people(const shm::MutexRecord& mutex) {
  return for_people(shm::mutex_name(mutex), id_of(mutex));
}

Status removed(const Choice& choice) {
  return Status(StatusCode::NOT_FOUND, std::string("the ") + choice.noun + " with id " +
                                           std::to_string(choice.id) + " was removed just now");
}

template <typename Selector>
void ObjectChoice::select(const Selector& selector) {
  namespace_name_ = selector.namespace_();
  if (selector.which_case() == Selector::kId) {
    by_ = By::kId;
    id_ = selector.id();
  } else if (selector.which_case() == Selector::kName) {
    by_ = By::kName;
    name_ = selector.name();
  }
}

ObjectChoice::ObjectChoice(const v1::PoolSelector& selector) : kind_(&kPools) { select(selector); }

ObjectChoice::ObjectChoice(const v1::MutexSelector& selector) : kind_(&kMutexes) {
  select(selector);
}

Status ObjectChoice::check() const {
  const auto invalid = [](std::string sentence) {
    return Status(StatusCode::INVALID_ARGUMENT, std::move(sentence));
  };
  const std::string noun = kind_->noun;
  switch (by_) {
    case By::kId:
      if (id_ != 0 && id_ < kIdLimit) return Status::OK;
      return invalid("a " + noun + "'s id is " + std::to_string(id_) +
                     "; ids are 1 to 9007199254740991");
    case By::kName:
      if (name_.size() <= shm::kNameBytes) return Status::OK;
      return invalid("a " + noun + "'s name has " + std::to_string(name_.size()) +
                     " bytes; names have at most " + std::to_string(shm::kNameBytes));
    case By::kNothing:
      break;
  }
  return invalid("no " + noun + " is selected; give its id or its name");
}

void ObjectChoice::look_into(std::string_view namespace_name, const shm::SegmentView& view) {
  if (!namespace_name_.empty() && namespace_name_ != namespace_name) return;
  seen_namespace_ = true;
  kind_->visit_all(view, [&](uint64_t id, std::string name, bool has_name) {
    bool matches = false;
    if (by_ == By::kId) {
      matches = id == id_;
    } else {
      matches = has_name && name == name_;
      const bool is_other = has_name && !matches;
      if (is_other && others_.size() < kNamesRemembered) others_.push_back(std::move(name));
    }
    if (matches) found_.push_back({std::string(namespace_name), id, kind_->noun});
  });
}

std::string ObjectChoice::wanted() const {
  const std::string which =
      by_ == By::kId ? "with id " + std::to_string(id_) : "named " + quote(name_);
  return which + (namespace_name_.empty() ? "" : " in namespace " + quote(namespace_name_));
}

std::string ObjectChoice::not_found() const {
  std::string sentence = std::string("there is no ") + kind_->noun + " " + wanted();
  if (!namespace_name_.empty() && !seen_namespace_) {
    return sentence + ", and no such namespace; " + kind_->way_to_all;
  }
  std::vector<std::string> near = near_names(name_, others_);
  for (std::string& name : near) name = quote(name);
  if (near.empty()) return sentence + "; " + kind_->way_to_all;
  return sentence + "; did you mean " + list_of(near) + "?";
}

Status ObjectChoice::result(Choice* choice) const {
  if (const Status checked = check(); !checked.ok()) return checked;
  if (found_.empty()) return Status(StatusCode::NOT_FOUND, not_found());
  if (found_.size() > 1) {
    std::vector<std::string> candidates;
    for (const Choice& one : found_) {
      candidates.push_back(quote(one.namespace_name) + " has id " + std::to_string(one.id));
    }
    return Status(StatusCode::FAILED_PRECONDITION,
                  std::string("a ") + kind_->noun + " " + wanted() + " is in " +
                      std::to_string(found_.size()) + " namespaces: " + list_of(candidates) +
                      "; name the namespace or the id");
  }
  *choice = found_.front();
  return Status::OK;
}

}  // namespace oxpool::daemon::admin
