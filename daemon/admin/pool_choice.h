// Which pool a call means.
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

// A pool that was found; it may be gone at the next look.
struct Choice {
  std::string namespace_name;
  uint64_t id = 0;
};

// Looks through segments one after the other for the pool that was selected.
//
// Thread safety: none.
class PoolChoice {
 public:
  explicit PoolChoice(const v1::PoolSelector& selector) : selector_(selector) {}

  // Errors: INVALID_ARGUMENT.
  grpc::Status check() const;

  void look_into(std::string_view namespace_name, const shm::SegmentView& view);

  // Errors: INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION.
  grpc::Status result(Choice* choice) const;

 private:
  std::string wanted() const;
  std::string not_found() const;

  const v1::PoolSelector& selector_;
  std::vector<Choice> found_;
  std::vector<std::string> others_;  // names, to be named when nothing is found
  bool seen_namespace_ = false;
};

// That it was there at the last look, and is not any more.
grpc::Status removed(const Choice& choice);

// The pool as people name it: its name in quotes, and its id.
std::string name_for_people(const shm::PoolRecord& pool);

}  // namespace oxpool::daemon::admin
