#include "daemon/admin/service.h"

#include <grpcpp/impl/codegen/proto_utils.h>

#include <algorithm>
#include <string>

#include "daemon/admin/changes.h"
#include "daemon/admin/looks.h"
#include "daemon/admin/server_info.h"
#include "daemon/admin/watchers.h"
#include "daemon/cpu_quota.h"
#include "daemon/log.h"
#include "oxpool/admin/v1/admin.grpc.pb.h"
#include "shm/clock.h"

namespace oxpool::daemon::admin {

using grpc::CallbackServerContext;
using grpc::Status;
using grpc::StatusCode;

namespace {

constexpr int64_t kWithoutDeadlineNs = 30 * shm::kNanosPerSecond;
constexpr int64_t kLongestNs = 24 * 3600 * shm::kNanosPerSecond;
// How long before its caller's deadline a call that waits answers.
constexpr int64_t kMostOfMarginNs = 200 * shm::kNanosPerMilli;
constexpr uint32_t kIntervalMs = 1000;
constexpr uint32_t kShortestIntervalMs = 100;
constexpr uint32_t kLongestIntervalMs = 60'000;

int64_t left_ns(const CallbackServerContext& context) {
  const gpr_timespec deadline = gpr_convert_clock_type(context.raw_deadline(), GPR_CLOCK_MONOTONIC);
  if (gpr_time_cmp(deadline, gpr_inf_future(GPR_CLOCK_MONOTONIC)) == 0) return kWithoutDeadlineNs;
  const gpr_timespec left = gpr_time_sub(deadline, gpr_now(GPR_CLOCK_MONOTONIC));
  if (left.tv_sec >= kLongestNs / shm::kNanosPerSecond) return kLongestNs;
  return std::max<int64_t>(left.tv_sec * shm::kNanosPerSecond + left.tv_nsec, 0);
}

int64_t errand_deadline_ns(const CallbackServerContext& context) {
  const int64_t left = left_ns(context);
  return shm::monotonic_ns() + left - std::min(left / 10, kMostOfMarginNs);
}

class Service final
    : public v1::Admin::WithRawCallbackMethod_WatchPools<v1::Admin::CallbackService> {
 public:
  Service(SegmentStore& segments, Errands& errands, Watchers& watchers,
          std::function<Facts()> facts)
      : segments_(segments),
        errands_(errands),
        watchers_(watchers),
        facts_(std::move(facts)),
        looks_(segments),
        changes_(segments),
        throttling_at_start_(read_cpu_throttling()) {}

  // ---- Looks

  grpc::ServerUnaryReactor* ListPools(CallbackServerContext* context,
                                      const v1::ListPoolsRequest* request,
                                      v1::ListPoolsResponse* response) override {
    return answer(context, looks_.list_pools(*request, response));
  }
  grpc::ServerUnaryReactor* GetPool(CallbackServerContext* context,
                                    const v1::GetPoolRequest* request,
                                    v1::GetPoolResponse* response) override {
    return answer(context, looks_.get_pool(*request, response));
  }
  grpc::ServerUnaryReactor* ListHolders(CallbackServerContext* context,
                                        const v1::ListHoldersRequest* request,
                                        v1::ListHoldersResponse* response) override {
    return answer(context, looks_.list_holders(*request, response));
  }
  grpc::ServerUnaryReactor* ListWaiters(CallbackServerContext* context,
                                        const v1::ListWaitersRequest* request,
                                        v1::ListWaitersResponse* response) override {
    return answer(context, looks_.list_waiters(*request, response));
  }
  grpc::ServerUnaryReactor* ListProcesses(CallbackServerContext* context,
                                          const v1::ListProcessesRequest* request,
                                          v1::ListProcessesResponse* response) override {
    return answer(context, looks_.list_processes(*request, response));
  }
  grpc::ServerUnaryReactor* ListMutexes(CallbackServerContext* context,
                                        const v1::ListMutexesRequest* request,
                                        v1::ListMutexesResponse* response) override {
    return answer(context, looks_.list_mutexes(*request, response));
  }
  grpc::ServerUnaryReactor* GetServerInfo(CallbackServerContext* context,
                                          const v1::GetServerInfoRequest*,
                                          v1::GetServerInfoResponse* response) override {
    return run(context, [this, response](bool) {
      fill_server_info(segments_, facts_(), throttling_at_start_, response);
      response->set_watchers(static_cast<uint32_t>(watchers_.count()));
      return Status::OK;
    });
  }

  // ---- Changes

  grpc::ServerUnaryReactor* EvictPool(CallbackServerContext* context,
                                      const v1::EvictPoolRequest* request,
                                      v1::EvictPoolResponse* response) override {
    return run(context, changes_.evict(*request, response));
  }
  grpc::ServerUnaryReactor* ResizePool(CallbackServerContext* context,
                                       const v1::ResizePoolRequest* request,
                                       v1::ResizePoolResponse* response) override {
    return run(context, changes_.resize(*request, response));
  }
  grpc::ServerUnaryReactor* PausePool(CallbackServerContext* context,
                                      const v1::PausePoolRequest* request,
                                      v1::PausePoolResponse* response) override {
    return run(context, changes_.pause(*request, response));
  }
  grpc::ServerUnaryReactor* ResumePool(CallbackServerContext* context,
                                       const v1::ResumePoolRequest* request,
                                       v1::ResumePoolResponse* response) override {
    return run(context, changes_.resume(*request, response));
  }
  grpc::ServerUnaryReactor* DrainPool(CallbackServerContext* context,
                                      const v1::DrainPoolRequest* request,
                                      v1::DrainPoolResponse* response) override {
    return run(context, changes_.drain(*request, response));
  }
  grpc::ServerUnaryReactor* ResetMutex(CallbackServerContext* context,
                                       const v1::ResetMutexRequest* request,
                                       v1::ResetMutexResponse* response) override {
    return run(context, changes_.reset(*request, response));
  }

  // ---- Streams

  grpc::ServerWriteReactor<grpc::ByteBuffer>* WatchPools(CallbackServerContext*,
                                                         const grpc::ByteBuffer* encoded) override {
    v1::WatchPoolsRequest request;
    grpc::ByteBuffer copy(*encoded);
    if (!grpc::SerializationTraits<v1::WatchPoolsRequest>::Deserialize(&copy, &request).ok()) {
      return refused_stream(
          Status(StatusCode::INVALID_ARGUMENT, "the request is no WatchPoolsRequest"));
    }
    const uint32_t interval_ms = request.interval_ms() == 0 ? kIntervalMs : request.interval_ms();
    if (interval_ms < kShortestIntervalMs || interval_ms > kLongestIntervalMs) {
      return refused_stream(Status(StatusCode::INVALID_ARGUMENT,
                                   "interval_ms is " + std::to_string(interval_ms) + "; it is " +
                                       std::to_string(kShortestIntervalMs) + " to " +
                                       std::to_string(kLongestIntervalMs)));
    }
    uint64_t pool_id = 0;
    if (request.has_pool()) {
      v1::GetPoolResponse found;
      v1::GetPoolRequest which;
      *which.mutable_pool() = request.pool();
      if (Status status = looks_.get_pool(which, &found); !status.ok()) {
        return refused_stream(std::move(status));
      }
      pool_id = found.pool().id();
    }
    return watchers_.open(pool_id, shm::nanos_of_millis(interval_ms));
  }

 private:
  static grpc::ServerUnaryReactor* answer(CallbackServerContext* context, Status status) {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(std::move(status));
    return reactor;
  }

  // Request and response live until the reactor is finished.
  grpc::ServerUnaryReactor* run(CallbackServerContext* context, Changes::Step step) {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    errands_.add({std::move(step), [context] { return context->IsCancelled(); },
                  [reactor](Status status) { reactor->Finish(std::move(status)); },
                  errand_deadline_ns(*context)});
    return reactor;
  }

  SegmentStore& segments_;
  Errands& errands_;
  Watchers& watchers_;
  const std::function<Facts()> facts_;
  const Looks looks_;
  Changes changes_;
  const std::optional<CpuThrottling> throttling_at_start_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_service(SegmentStore& segments, Errands& errands,
                                            Watchers& watchers, std::function<Facts()> facts) {
  return std::make_unique<Service>(segments, errands, watchers, std::move(facts));
}

}  // namespace oxpool::daemon::admin
