#include "tests/hostile/victim.h"

#include <cstring>

#include "shm/clock.h"
#include "shm/lane.h"
#include "shm/layout.h"
#include "shm/locks.h"
#include "shm/place.h"
#include "shm/pool_table.h"
#include "shm/queue.h"
#include "shm/seat.h"
#include "shm/slot.h"

namespace oxpool::test {

namespace {
constexpr int kTimeoutMs = 10'000;
constexpr size_t kProcesses = 4;
constexpr uint32_t kPools = 3;
constexpr uint32_t kUnits = 40;  // more than one chunk has
}  // namespace

std::string Victim::attach() {
  leave();
  while (processes_.size() < kProcesses) {
    if (std::string refusal = attach_one(); !refusal.empty()) {
      leave();
      return refusal;
    }
  }
  furnish();
  const auto* bytes = static_cast<const char*>(segment_.base());
  sound_.assign(bytes, bytes + view().bytes());
  return "";
}

std::string Victim::attach_one() {
  proto::Hello hello{};
  hello.kind = proto::HelloKind::kAttach;
  std::strncpy(hello.namespace_name, name_.c_str(), sizeof hello.namespace_name - 1);
  std::strcpy(hello.program, "vandal");
  Handshake hands;
  if (const Error error = shake_hands(runtime_dir_, hello, kTimeoutMs, &hands))
    return error.message;
  if (!view().valid()) {
    segment_fd_ = std::move(hands.segment);
    const shm::Error error =
        shm::MappedSegment::map(segment_fd_.get(), "segment of " + name_, &segment_);
    if (error) return error.message;
  }
  auto process = std::make_unique<AttachedProcess>();
  process->session = std::move(hands.session);
  process->token = std::move(hands.token);
  process->index = hands.reply.process;
  process->incarnation = hands.reply.process_incarnation;
  process->liveness =
      shm::Liveness(view(), process->token.get(), process->index, process->incarnation);
  process->lane = shm::open_lane(view(), process->index, process->incarnation, 1);
  if (process->lane) lanes_.push_back(process->lane);
  if (lanes_.empty()) lanes_.push_back(shm::OwnerId::make(1, 1));  // of a damaged lane table
  processes_.push_back(std::move(process));
  return "";
}

void Victim::furnish() {
  for (uint32_t i = 0; i < kPools; ++i) make_pool(i);
  for (int line = 0; line < 4; ++line) {
    shm::note_place(view(), "/srv/app/orders.php:" + std::to_string(line));
  }
}

// On a segment that is damaged already, whatever can not be had is left out.
void Victim::make_pool(uint32_t number) {
  const AttachedProcess& maker = *processes_[number % processes_.size()];
  if (!maker.lane) return;
  const shm::LockContext context{maker.lane, &maker.liveness};
  shm::PoolRequest request;
  request.max_size = kUnits;
  request.idle_timeout_ms = 1000;
  uint32_t index = shm::kNoIndex;
  {
    shm::TableLock tables(view(), context, shm::kNanosPerMilli);
    if (!tables.held() ||
        shm::find_or_make_pool(tables, "pool " + std::to_string(number), request,
                               shm::monotonic_ns(), &index) != shm::PoolResult::kOk) {
      return;
    }
    uint32_t seat;
    for (const auto& process : processes_) shm::take_seat(tables, index, process->lane, &seat);
  }
  shm::PoolRecord& pool = *view().pool(index);
  shm::PoolLock lock(view(), pool, context, shm::kNanosPerMilli);
  if (!lock.held()) return;
  shm::serve(lock);
  constexpr shm::SlotState kStates[] = {shm::SlotState::kGranted, shm::SlotState::kReserved,
                                        shm::SlotState::kInUse, shm::SlotState::kIdle,
                                        shm::SlotState::kClosing};
  for (uint32_t turn = 0; turn < kUnits; ++turn) {
    const shm::OwnerId lane = processes_[turn % processes_.size()]->lane;
    if (!lane) continue;
    uint32_t slot_index;
    shm::SlotRecord* slot = shm::take_free(
        view(), pool, shm::SlotWord::make(shm::SlotState::kReserved, lane), &slot_index);
    if (slot == nullptr) break;
    slot->word.store(shm::SlotWord::make(kStates[turn % 5], lane).raw);
  }
  const uint32_t ticket = shm::claim_extra_ticket(view(), maker.lane);
  if (ticket != shm::kNoIndex) {
    shm::enqueue(lock, {ticket, maker.lane, shm::monotonic_ns(), shm::kNoDeadline});
  }
}

void Victim::replace_some(Random& random) {
  if (processes_.size() > 1) {
    processes_.erase(processes_.begin() + static_cast<long>(random.below(processes_.size())));
  }
  if (processes_.size() < kProcesses) attach_one();
  if (lanes_.size() > 16) lanes_.erase(lanes_.begin());
}

void Victim::restore() { std::memcpy(segment_.base(), sound_.data(), sound_.size()); }

void Victim::leave() {
  processes_.clear();
  lanes_.clear();
  segment_ = shm::MappedSegment();
  segment_fd_.reset();
}

}  // namespace oxpool::test
