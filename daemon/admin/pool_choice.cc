#include "daemon/admin/pool_choice.h"

#include "daemon/admin/near_names.h"
#include "daemon/log.h"
#include "shm/pool_table.h"
#include "shm/snapshot.h"

namespace oxpool::daemon::admin {

using grpc::Status;
using grpc::StatusCode;

namespace {

constexpr uint64_t kIdLimit = uint64_t{1} << 53;
constexpr size_t kNamesRemembered = 4096;

bool has_name(const shm::PoolRecord& pool) {
  return (pool.naming.load(std::memory_order_relaxed) & shm::kNameRemoved) == 0;
}

std::string list_of(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

std::string name_for_people(const shm::PoolRecord& pool) {
  return quote(shm::pool_name(pool)) + " (id " +
         std::to_string(pool.id.load(std::memory_order_relaxed)) + ")";
}

Status removed(const Choice& choice) {
  return Status(StatusCode::NOT_FOUND,
                "the pool with id " + std::to_string(choice.id) + " was removed just now");
}

Status PoolChoice::check() const {
  const auto invalid = [](std::string sentence) {
    return Status(StatusCode::INVALID_ARGUMENT, std::move(sentence));
  };
  switch (selector_.which_case()) {
    case v1::PoolSelector::WHICH_NOT_SET:
      return invalid("no pool is selected; give its id or its name");
    case v1::PoolSelector::kId:
      if (selector_.id() != 0 && selector_.id() < kIdLimit) return Status::OK;
      return invalid("a pool's id is " + std::to_string(selector_.id()) +
                     "; ids are 1 to 9007199254740991");
    case v1::PoolSelector::kName:
      if (selector_.name().size() <= shm::kNameBytes) return Status::OK;
      return invalid("a pool's name has " + std::to_string(selector_.name().size()) +
                     " bytes; names have at most " + std::to_string(shm::kNameBytes));
  }
  return invalid("no pool is selected; give its id or its name");
}

void PoolChoice::look_into(std::string_view namespace_name, const shm::SegmentView& view) {
  if (!selector_.namespace_().empty() && selector_.namespace_() != namespace_name) return;
  seen_namespace_ = true;
  shm::for_each_live_pool(view, [&](const shm::PoolRecord& pool) {
    const uint64_t id = pool.id.load(std::memory_order_relaxed);
    bool matches = false;
    if (selector_.which_case() == v1::PoolSelector::kId) {
      matches = id == selector_.id();
    } else {
      std::string name = shm::pool_name(pool);
      matches = has_name(pool) && name == selector_.name();
      if (!matches && others_.size() < kNamesRemembered) others_.push_back(std::move(name));
    }
    if (matches) found_.push_back({std::string(namespace_name), id});
  });
}

std::string PoolChoice::wanted() const {
  const std::string which = selector_.which_case() == v1::PoolSelector::kId
                                ? "with id " + std::to_string(selector_.id())
                                : "named " + quote(selector_.name());
  const std::string& where = selector_.namespace_();
  return which + (where.empty() ? "" : " in namespace " + quote(where));
}

std::string PoolChoice::not_found() const {
  std::string sentence = "there is no pool " + wanted();
  if (!selector_.namespace_().empty() && !seen_namespace_) {
    return sentence + ", and no such namespace; list shows all pools";
  }
  std::vector<std::string> near = near_names(selector_.name(), others_);
  for (std::string& name : near) name = quote(name);
  if (near.empty()) return sentence + "; list shows all pools";
  return sentence + "; did you mean " + list_of(near) + "?";
}

Status PoolChoice::result(Choice* choice) const {
  if (const Status checked = check(); !checked.ok()) return checked;
  if (found_.empty()) return Status(StatusCode::NOT_FOUND, not_found());
  if (found_.size() > 1) {
    std::vector<std::string> candidates;
    for (const Choice& one : found_) {
      candidates.push_back(quote(one.namespace_name) + " has id " + std::to_string(one.id));
    }
    return Status(StatusCode::FAILED_PRECONDITION,
                  "a pool " + wanted() + " is in " + std::to_string(found_.size()) +
                      " namespaces: " + list_of(candidates) + "; name the namespace or the id");
  }
  *choice = found_.front();
  return Status::OK;
}

}  // namespace oxpool::daemon::admin
