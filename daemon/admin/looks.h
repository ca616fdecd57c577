// The calls that look and change nothing.
#pragma once

#include <grpcpp/support/status.h>

#include "daemon/segment_store.h"
#include "oxpool/admin/v1/admin.pb.h"

namespace oxpool::daemon::admin {

namespace v1 = oxpool::admin::v1;

// Each fills its answer; the errors are those of admin.proto.
//
// Thread safety: any thread.
class Looks {
 public:
  explicit Looks(const SegmentStore& segments) : segments_(segments) {}

  grpc::Status list_pools(const v1::ListPoolsRequest& request,
                          v1::ListPoolsResponse* response) const;
  grpc::Status get_pool(const v1::GetPoolRequest& request, v1::GetPoolResponse* response) const;
  grpc::Status list_holders(const v1::ListHoldersRequest& request,
                            v1::ListHoldersResponse* response) const;
  grpc::Status list_waiters(const v1::ListWaitersRequest& request,
                            v1::ListWaitersResponse* response) const;
  grpc::Status list_processes(const v1::ListProcessesRequest& request,
                              v1::ListProcessesResponse* response) const;
  grpc::Status list_mutexes(const v1::ListMutexesRequest& request,
                            v1::ListMutexesResponse* response) const;

 private:
  // Calls visit(what was found) for the pool that was selected, while its segment stays.
  template <typename Visit>
  grpc::Status with_pool(const v1::PoolSelector& selector, Visit visit) const;

  const SegmentStore& segments_;
};

}  // namespace oxpool::daemon::admin
