// Which pool or mutex a call means.
#pragma once

#include <grpcpp/support/status.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "oxpool/admin/v1/admin.pb.h"
#include "shm/segment.h"

namespace oxpool::daemon::admin {

namespace v1 = oxpool::admin::v1;

// What kind of objects is looked for, and how.
struct ObjectKind;

// An object that was found; it may be gone at the next look.
struct Choice {
  std::string namespace_name;
  uint64_t id = 0;
  const char* noun = "pool";
};

// Looks through segments one after the other for the pool or the mutex that was selected.
//
// Thread safety: none.
class ObjectChoice {
 public:
  explicit ObjectChoice(const v1::PoolSelector& selector);
  explicit ObjectChoice(const v1::MutexSelector& selector);

  // Errors: INVALID_ARGUMENT.
  grpc::Status check() const;

  void look_into(std::string_view namespace_name, const shm::SegmentView& view);

  // Errors: INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION.
  grpc::Status result(Choice* choice) const;

 private:
  enum class By { kNothing, kId, kName };

  template <typename Selector>
  void select(const Selector& selector);
  std::string wanted() const;
  std::string not_found() const;

  const ObjectKind* const kind_;
  By by_ = By::kNothing;
  uint64_t id_ = 0;
  std::string name_;
  std::string namespace_name_;
  std::vector<Choice> found_;
  std::vector<std::string> others_;  // names, to be named when nothing is found
  bool seen_namespace_ = false;
};

// That it was there at the last look, and is not any more.
grpc::Status removed(const Choice& choice);

// The object as people name it: its name in quotes, and its id.
std::string name_for_people(const shm::PoolRecord& pool);
std::string name_for_people(const shm::MutexRecord& mutex);

}  // namespace oxpool::daemon::admin
