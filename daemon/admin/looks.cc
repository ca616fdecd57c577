#include "daemon/admin/looks.h"

#include <string>

#include "daemon/admin/messages.h"
#include "daemon/admin/object_choice.h"
#include "daemon/host_report.h"
#include "shm/clock.h"
#include "shm/inspection.h"
#include "shm/pool_table.h"
#include "shm/snapshot.h"

namespace oxpool::daemon::admin {

using grpc::Status;
using grpc::StatusCode;

namespace {

constexpr uint32_t kPageSize = 1000;
constexpr uint32_t kLargestPage = 10'000;

struct Found {
  const Choice& choice;
  const shm::SegmentView& view;
  const shm::PoolRecord& pool;
};

template <typename Response>
void name_pool(const Found& found, Response* response) {
  response->set_namespace_(found.choice.namespace_name);
  response->set_pool_id(found.choice.id);
  response->set_pool_name(shm::pool_name(found.pool));
}

}  // namespace

template <typename Visit>
Status Looks::with_pool(const v1::PoolSelector& selector, Visit visit) const {
  Choice choice;
  ObjectChoice search(selector);
  if (const Status checked = search.check(); !checked.ok()) return checked;
  segments_.read(
      [&](const std::string& name, const shm::SegmentView& view) { search.look_into(name, view); });
  Status status = search.result(&choice);
  if (!status.ok()) return status;
  // A second look, at one segment: it can not go away meanwhile, but the pool may just have.
  status = removed(choice);
  segments_.read([&](const std::string& name, const shm::SegmentView& view) {
    if (name != choice.namespace_name) return;
    const shm::PoolRecord* pool = shm::find_live_pool(view, choice.id);
    if (pool != nullptr) status = visit(Found{choice, view, *pool});
  });
  return status;
}

Status Looks::list_pools(const v1::ListPoolsRequest& request,
                         v1::ListPoolsResponse* response) const {
  const uint32_t size = request.page_size() == 0 ? kPageSize : request.page_size();
  if (size > kLargestPage) {
    return Status(
        StatusCode::INVALID_ARGUMENT,
        "page_size is " + std::to_string(size) + "; it is at most " + std::to_string(kLargestPage));
  }
  const HostReport report = report_host(segments_);
  for (const PoolReport& pool : report.pools) {
    if (pool.id <= request.after_id()) continue;
    if (!request.namespace_().empty() && request.namespace_() != pool.namespace_name) continue;
    if (response->pools_size() == static_cast<int>(size)) {
      response->set_next_after_id(response->pools().rbegin()->id());
      break;
    }
    fill(pool, report.now_ns, response->add_pools());
  }
  return Status::OK;
}

Status Looks::get_pool(const v1::GetPoolRequest& request, v1::GetPoolResponse* response) const {
  return with_pool(request.pool(), [&](const Found& found) {
    const int64_t now_ns = shm::monotonic_ns();
    fill(report_pool(found.choice.namespace_name, found.view, found.pool, now_ns), now_ns,
         response);
    for (const auto& [worker, idle] : idle_by_worker(found.view, found.pool)) {
      (*response->mutable_idle_by_worker())[worker] = idle;
    }
    return Status::OK;
  });
}

Status Looks::list_holders(const v1::ListHoldersRequest& request,
                           v1::ListHoldersResponse* response) const {
  return with_pool(request.pool(), [&](const Found& found) {
    const int64_t now_ns = shm::monotonic_ns();
    name_pool(found, response);
    for (const shm::Holding& holding : shm::list_holdings(found.view, found.pool, now_ns)) {
      if (request.in_use_only() && holding.state != shm::SlotState::kInUse) continue;
      fill(holding, now_ns, response->add_holdings());
    }
    return Status::OK;
  });
}

Status Looks::list_waiters(const v1::ListWaitersRequest& request,
                           v1::ListWaitersResponse* response) const {
  return with_pool(request.pool(), [&](const Found& found) {
    const int64_t now_ns = shm::monotonic_ns();
    name_pool(found, response);
    for (const shm::Waiting& waiting : shm::list_waiting(found.view, found.pool, now_ns)) {
      fill(waiting, now_ns, response->add_waiting());
    }
    return Status::OK;
  });
}

Status Looks::list_processes(const v1::ListProcessesRequest& request,
                             v1::ListProcessesResponse* response) const {
  const int64_t now_ns = shm::monotonic_ns();
  segments_.read([&](const std::string& name, const shm::SegmentView& view) {
    if (!request.namespace_().empty() && request.namespace_() != name) return;
    for (const shm::AttachedProcess& process : shm::list_processes(view, now_ns)) {
      v1::Process* message = response->add_processes();
      fill(process, now_ns, message);
      message->set_namespace_(name);
    }
  });
  return Status::OK;
}

Status Looks::list_mutexes(const v1::ListMutexesRequest& request,
                           v1::ListMutexesResponse* response) const {
  const HostReport report = report_host(segments_);
  for (const MutexReport& mutex : report.mutexes) {
    if (!request.namespace_().empty() && request.namespace_() != mutex.namespace_name) continue;
    fill(mutex, report.now_ns, response->add_mutexes());
  }
  return Status::OK;
}

}  // namespace oxpool::daemon::admin
