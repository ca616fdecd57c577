#include "daemon/admin/changes.h"

#include <algorithm>
#include <memory>
#include <string>

#include "daemon/admin/change_log.h"
#include "daemon/admin/messages.h"
#include "daemon/admin/unfinished.h"
#include "daemon/log.h"
#include "daemon/pool_report.h"
#include "daemon/segment_report.h"
#include "shm/operator.h"
#include "shm/pool_table.h"
#include "shm/snapshot.h"

namespace oxpool::daemon::admin {

using grpc::Status;
using grpc::StatusCode;

namespace {

// The main thread waits no longer for a lock that workers share; the errand comes again.
constexpr int64_t kLockPatienceNs = 2'000'000;

}  // namespace

Status Changes::choose_one(ObjectChoice search, Choice* choice) {
  segments_.for_each(
      [&](NamespaceSegment& segment) { search.look_into(segment.name(), segment.view()); });
  if (Status status = search.result(choice); !status.ok()) return status;
  const std::string& trouble = segments_.find(choice->namespace_name)->trouble();
  if (trouble.empty()) return Status::OK;
  return Status(StatusCode::FAILED_PRECONDITION,
                "the segment of namespace " + quote(choice->namespace_name) +
                    " can not be used: " + trouble + "; end its workers, then it is made anew");
}

Status Changes::choose(bool all, const v1::PoolSelector& selector, std::vector<Choice>* choices) {
  if (!all) {
    choices->resize(1);
    return choose_one(ObjectChoice(selector), &choices->front());
  }
  segments_.for_each([&](NamespaceSegment& segment) {
    if (!segment.trouble().empty()) return;
    const shm::SegmentView& view = segment.view();
    shm::for_each_live_pool(view, [&](const shm::PoolRecord& pool) {
      choices->push_back({segment.name(), pool.id.load(std::memory_order_relaxed)});
    });
  });
  return Status::OK;
}

Changes::Found Changes::find(const Choice& choice) {
  NamespaceSegment* segment = segments_.find(choice.namespace_name);
  if (segment == nullptr) return {};
  return {segment, shm::find_live_pool(segment->view(), choice.id)};
}

bool Changes::fill_pool(const Choice& choice, v1::Pool* message) {
  const NamespaceSegment* segment = segments_.find(choice.namespace_name);
  if (segment == nullptr) return false;
  const int64_t now_ns = shm::monotonic_ns();
  const shm::SegmentView& view = segment->view();
  const shm::PoolRecord* pool = shm::find_live_pool(view, choice.id);
  if (pool == nullptr) return false;
  fill(report_pool(segment->name(), view, *pool, now_ns), now_ns, message);
  return true;
}

// ---- Evict ------------------------------------------------------------------------------------

Changes::Step Changes::evict(const v1::EvictPoolRequest& request, v1::EvictPoolResponse* response) {
  const auto choices = std::make_shared<std::vector<Choice>>();
  return [this, &request, response, choices,
          begun = false](bool last) mutable -> std::optional<Status> {
    if (!begun) {
      begun = true;
      if (Status status = choose(request.all(), request.pool(), choices.get()); !status.ok())
        return status;
      uint32_t flagged = 0;
      for (const Choice& choice : *choices) {
        const Found found = find(choice);
        flagged += shm::flag_all_idle(found.segment->view(), *found.pool, shm::CloseReason::kEvict);
      }
      response->set_pools(static_cast<uint32_t>(choices->size()));
      response->set_flagged(flagged);
      log_event(Level::kInfo, "pools evicted by operator",
                {{"pools", choices->size()}, {"slots", flagged}});
      if (!request.wait()) return Status::OK;
    }
    std::erase_if(*choices, [this](const Choice& choice) {
      const Found found = find(choice);
      return found.pool == nullptr ||
             !any_unfinished(found.segment->view(), *found.pool, evicted_but_there);
    });
    if (choices->empty()) return Status::OK;
    if (!last) return std::nullopt;
    for (const Choice& choice : *choices) {
      const Found found = find(choice);
      for (v1::Unfinished& one : list_unfinished(choice.namespace_name, found.segment->view(),
                                                 *found.pool, evicted_but_there)) {
        *response->add_unfinished() = std::move(one);
      }
    }
    return Status::OK;
  };
}

// ---- Resize -----------------------------------------------------------------------------------

Status Changes::try_resize(const Choice& choice, const v1::ResizePoolRequest& request,
                           v1::ResizePoolResponse* response) {
  const Found found = find(choice);
  if (found.pool == nullptr) return removed(choice);
  const shm::SegmentView& view = found.segment->view();
  const shm::PoolCounts before = shm::count_pool(view, *found.pool);
  const auto wanted = request.unset() ? 0 : static_cast<uint32_t>(request.max_size());
  const std::string name = name_for_people(*found.pool);
  switch (shm::resize_pool(view, *found.pool, found.segment->locks(), wanted, kLockPatienceNs)) {
    case shm::PoolResult::kOk:
      break;
    case shm::PoolResult::kNoChunk: {
      const TableUse chunks = report_segment(choice.namespace_name, view).chunks;
      const uint32_t needed = (wanted + shm::kSlotsPerChunk - 1) / shm::kSlotsPerChunk;
      const uint32_t has = view.chunk_count(*found.pool);
      return Status(
          StatusCode::RESOURCE_EXHAUSTED,
          "pool " + name + " can not grow to " + std::to_string(wanted) + ": that takes " +
              std::to_string(needed - std::min(has, needed)) + " more chunks of " +
              std::to_string(shm::kSlotsPerChunk) + " slots, and " +
              std::to_string(chunks.room - std::min(chunks.used, chunks.room)) + " of " +
              std::to_string(chunks.room) + " are left in namespace " +
              quote(choice.namespace_name) +
              "; raise limits.chunks and start oxpoold with --reset once no worker is attached");
    }
    case shm::PoolResult::kTimeout:
      return Status(StatusCode::DEADLINE_EXCEEDED,
                    "pool " + name +
                        " could not be resized in time: somebody is stopped inside a lock of "
                        "namespace " +
                        quote(choice.namespace_name) + "; nothing was changed, doctor says who");
    default:
      return removed(choice);
  }
  const shm::PoolCounts now = shm::count_pool(view, *found.pool);
  response->set_previous_max_size(before.max_size);
  const uint32_t live = now.in_use + now.idle + now.minting + now.closing;
  response->set_above(live - std::min(live, now.max_size));
  fill_pool(choice, response->mutable_pool());
  log_change("pool resized by operator", choice, *found.pool,
             {{"max_size", now.max_size}, {"operator", wanted}});
  return Status::OK;
}

Changes::Step Changes::resize(const v1::ResizePoolRequest& request,
                              v1::ResizePoolResponse* response) {
  return [this, &request, response](bool last) -> std::optional<Status> {
    const auto invalid = [](std::string sentence) {
      return Status(StatusCode::INVALID_ARGUMENT, std::move(sentence));
    };
    const bool sets = request.change_case() == v1::ResizePoolRequest::kMaxSize;
    if (!sets && !request.unset()) {
      return invalid("no new size is given; give max_size, or unset");
    }
    if (sets && (request.max_size() < 1 || request.max_size() > shm::kMaxSlotsPerPool)) {
      return invalid("max_size is " + std::to_string(request.max_size()) + "; a pool has 1 to " +
                     std::to_string(shm::kMaxSlotsPerPool) +
                     " slots (unset gives the cap back to the workers)");
    }
    Choice choice;
    if (Status status = choose_one(ObjectChoice(request.pool()), &choice); !status.ok())
      return status;
    const Status status = try_resize(choice, request, response);
    // Whoever is inside the lock is out again in microseconds, unless it is stopped there.
    if (status.error_code() == StatusCode::DEADLINE_EXCEEDED && !last) return std::nullopt;
    return status;
  };
}

}  // namespace oxpool::daemon::admin
