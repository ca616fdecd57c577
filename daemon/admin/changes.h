// The calls that change something.
#pragma once

#include <grpcpp/support/status.h>

#include <functional>
#include <optional>
#include <vector>

#include "daemon/admin/object_choice.h"
#include "daemon/segment_store.h"
#include "oxpool/admin/v1/admin.pb.h"

namespace oxpool::daemon::admin {

namespace v1 = oxpool::admin::v1;

// Gives, for a request, the steps of an errand (errands.h) that does it and fills the answer, which
// must outlive it. The errors are those of admin.proto.
//
// Thread safety: the daemon's main thread runs the steps; any thread may ask for them.
class Changes {
 public:
  using Step = std::function<std::optional<grpc::Status>(bool last)>;

  explicit Changes(SegmentStore& segments) : segments_(segments) {}

  Step evict(const v1::EvictPoolRequest& request, v1::EvictPoolResponse* response);
  Step resize(const v1::ResizePoolRequest& request, v1::ResizePoolResponse* response);
  Step pause(const v1::PausePoolRequest& request, v1::PausePoolResponse* response);
  Step resume(const v1::ResumePoolRequest& request, v1::ResumePoolResponse* response);
  Step drain(const v1::DrainPoolRequest& request, v1::DrainPoolResponse* response);
  Step reset(const v1::ResetMutexRequest& request, v1::ResetMutexResponse* response);

 private:
  // A pool that is there now.
  struct Found {
    NamespaceSegment* segment = nullptr;
    shm::PoolRecord* pool = nullptr;
  };

  // The pools that a request names: one, or all.
  grpc::Status choose(bool all, const v1::PoolSelector& selector, std::vector<Choice>* choices);
  grpc::Status choose_one(ObjectChoice search, Choice* choice);
  Found find(const Choice& choice);
  bool fill_pool(const Choice& choice, v1::Pool* message);

  grpc::Status try_resize(const Choice& choice, const v1::ResizePoolRequest& request,
                          v1::ResizePoolResponse* response);
  std::optional<grpc::Status> look_at_pause(const Choice& choice, shm::Gate gate, bool last,
                                            v1::PausePoolResponse* response);
  std::optional<grpc::Status> look_at_drain(const std::vector<Choice>& choices, bool last,
                                            v1::DrainPoolResponse* response);

  SegmentStore& segments_;
};

}  // namespace oxpool::daemon::admin
