// Pausing, resuming and draining: what changes a pool's gate.
#include <algorithm>
#include <string>

#include "daemon/admin/change_log.h"
#include "daemon/admin/changes.h"
#include "daemon/admin/unfinished.h"
#include "shm/clock.h"
#include "shm/operator.h"

namespace oxpool::daemon::admin {

using grpc::Status;
using grpc::StatusCode;

namespace {

constexpr int64_t kLongestPauseMs = int64_t{366} * 86'400'000;

}  // namespace

// ---- Pause and resume -------------------------------------------------------------------------

std::optional<Status> Changes::look_at_pause(const Choice& choice, shm::Gate gate, bool last,
                                             v1::PausePoolResponse* response) {
  const Found found = find(choice);
  if (found.pool == nullptr) return removed(choice);
  const shm::SegmentView& view = found.segment->view();
  const shm::Gate now =
      shm::settle_gate(view, *found.pool, found.segment->locks(), shm::monotonic_ns());
  if (now != gate) {
    return Status(StatusCode::ABORTED,
                  "pool " + name_for_people(*found.pool) + " became " + shm::gate_text(now) +
                      " while this call waited for its slots: it was resumed or changed by another "
                      "call, or the pause's time was over");
  }
  const bool done = !any_unfinished(view, *found.pool, in_use);
  if (!done && !last) return std::nullopt;
  for (v1::Unfinished& one : list_unfinished(choice.namespace_name, view, *found.pool, in_use)) {
    *response->add_unfinished() = std::move(one);
  }
  fill_pool(choice, response->mutable_pool());
  return Status::OK;
}

Changes::Step Changes::pause(const v1::PausePoolRequest& request, v1::PausePoolResponse* response) {
  return [this, &request, response, choice = Choice()](bool last) mutable -> std::optional<Status> {
    const shm::Gate gate =
        request.mode() == v1::PausePoolRequest::MODE_FAIL ? shm::Gate::kFail : shm::Gate::kWait;
    if (choice.id != 0) return look_at_pause(choice, gate, last, response);
    if (request.mode() != v1::PausePoolRequest::MODE_FAIL &&
        request.mode() != v1::PausePoolRequest::MODE_WAIT) {
      return Status(StatusCode::INVALID_ARGUMENT,
                    "mode is " + std::to_string(request.mode()) +
                        "; it is MODE_WAIT (new acquires wait) or MODE_FAIL (they fail)");
    }
    if (request.for_ms() < 0 || request.for_ms() > kLongestPauseMs) {
      return Status(StatusCode::INVALID_ARGUMENT,
                    "for_ms is " + std::to_string(request.for_ms()) + "; it is 0 to " +
                        std::to_string(kLongestPauseMs) + ", where 0 is until somebody resumes");
    }
    if (Status status = choose_one(ObjectChoice(request.pool()), &choice); !status.ok())
      return status;
    const Found found = find(choice);
    const int64_t until_ns =
        request.for_ms() == 0 ? 0 : shm::monotonic_ns() + shm::nanos_of_millis(request.for_ms());
    shm::set_gate(found.segment->view(), *found.pool, found.segment->locks(), gate, until_ns);
    log_change("pool paused by operator", choice, *found.pool,
               {Field::word("mode", shm::gate_text(gate)), {"for_ms", request.for_ms()}});
    if (request.wait()) return look_at_pause(choice, gate, last, response);
    fill_pool(choice, response->mutable_pool());
    return Status::OK;
  };
}

Changes::Step Changes::resume(const v1::ResumePoolRequest& request,
                              v1::ResumePoolResponse* response) {
  return [this, &request, response](bool) -> std::optional<Status> {
    std::vector<Choice> choices;
    if (Status status = choose(request.all(), request.pool(), &choices); !status.ok())
      return status;
    for (const Choice& choice : choices) {
      const Found found = find(choice);
      const shm::SegmentView& view = found.segment->view();
      const shm::LockContext& locks = found.segment->locks();
      if (shm::settle_gate(view, *found.pool, locks, shm::monotonic_ns()) == shm::Gate::kOpen) {
        continue;
      }
      shm::set_gate(view, *found.pool, locks, shm::Gate::kOpen, 0);
      response->set_resumed(response->resumed() + 1);
      log_change("pool resumed by operator", choice, *found.pool, {});
    }
    response->set_pools(static_cast<uint32_t>(choices.size()));
    return Status::OK;
  };
}

// ---- Drain ------------------------------------------------------------------------------------

std::optional<Status> Changes::look_at_drain(const std::vector<Choice>& choices, bool last,
                                             v1::DrainPoolResponse* response) {
  bool done = true;
  for (const Choice& choice : choices) {
    const Found found = find(choice);
    if (found.pool == nullptr) continue;  // nothing of it is left
    if (shm::load_gate(*found.pool).gate() != shm::Gate::kDrained) {
      return Status(StatusCode::ABORTED,
                    "pool " + name_for_people(*found.pool) +
                        " was resumed or paused by another call while this one waited for it to be "
                        "empty");
    }
    const shm::SegmentView& view = found.segment->view();
    if (!any_unfinished(view, *found.pool, there)) continue;
    done = false;
    // One that came back just as the gate closed.
    shm::flag_all_idle(view, *found.pool, shm::CloseReason::kDrain);
    if (!last) continue;
    for (v1::Unfinished& one : list_unfinished(choice.namespace_name, view, *found.pool, there)) {
      *response->add_unfinished() = std::move(one);
    }
  }
  return done || last ? std::optional(Status::OK) : std::nullopt;
}

Changes::Step Changes::drain(const v1::DrainPoolRequest& request, v1::DrainPoolResponse* response) {
  return [this, &request, response, choices = std::vector<Choice>(),
          begun = false](bool last) mutable -> std::optional<Status> {
    if (begun) return look_at_drain(choices, last, response);
    begun = true;
    if (Status status = choose(request.all(), request.pool(), &choices); !status.ok())
      return status;
    for (const Choice& choice : choices) {
      const Found found = find(choice);
      const shm::SegmentView& view = found.segment->view();
      shm::set_gate(view, *found.pool, found.segment->locks(), shm::Gate::kDrained, 0);
      const uint32_t flagged = shm::flag_all_idle(view, *found.pool, shm::CloseReason::kDrain);
      response->set_flagged(response->flagged() + flagged);
      log_change("pool drained by operator", choice, *found.pool, {{"slots", flagged}});
    }
    response->set_pools(static_cast<uint32_t>(choices.size()));
    return request.wait() ? look_at_drain(choices, last, response) : Status::OK;
  };
}

}  // namespace oxpool::daemon::admin
