// The daemon, asked over its admin interface.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/ctl/arguments.h"
#include "daemon/ctl/failure.h"
#include "oxpool/admin/v1/admin.pb.h"

namespace oxpool::ctl {

namespace v1 = oxpool::admin::v1;

// Thread safety: any thread.
class Client {
 public:
  // `default_timeout` counts when the arguments have none.
  Client(const Arguments& arguments, milliseconds default_timeout);
  ~Client();

  // TLS files that can not be read, or were not given. Ask before the first call.
  Failure trouble() const;

  Failure call(const v1::ListPoolsRequest& request, v1::ListPoolsResponse* response);
  Failure call(const v1::GetPoolRequest& request, v1::GetPoolResponse* response);
  Failure call(const v1::EvictPoolRequest& request, v1::EvictPoolResponse* response);
  Failure call(const v1::ResizePoolRequest& request, v1::ResizePoolResponse* response);
  Failure call(const v1::PausePoolRequest& request, v1::PausePoolResponse* response);
  Failure call(const v1::ResumePoolRequest& request, v1::ResumePoolResponse* response);
  Failure call(const v1::DrainPoolRequest& request, v1::DrainPoolResponse* response);
  Failure call(const v1::ListHoldersRequest& request, v1::ListHoldersResponse* response);
  Failure call(const v1::ListWaitersRequest& request, v1::ListWaitersResponse* response);
  Failure call(const v1::ListProcessesRequest& request, v1::ListProcessesResponse* response);
  Failure call(const v1::ListMutexesRequest& request, v1::ListMutexesResponse* response);
  Failure call(const v1::ResetMutexRequest& request, v1::ResetMutexResponse* response);
  Failure call(const v1::GetServerInfoRequest& request, v1::GetServerInfoResponse* response);

  // All pools, page by page.
  Failure list_all(const std::string& namespace_name, v1::ListPoolsResponse* response);

  // Calls take(snapshot) until it says false, the daemon ends the stream, or stop_watching(). The
  // first snapshot must come within the timeout.
  Failure watch(const v1::WatchPoolsRequest& request,
                const std::function<bool(const v1::PoolsSnapshot&)>& take);
  // From any thread. A watch that begins later ends at once.
  void stop_watching();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace oxpool::ctl
