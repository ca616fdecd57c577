#include "persistent_slots.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "between_requests.h"
#include "closing.h"
#include "persistent_mint.h"
#include "userland_call.h"

namespace oxpool::php {

using shm::CloseReason;

namespace {

int list_end_type = -1;
constexpr char kListEnd[] = "oxpool:end";

bool shares_an_entry(const Holding& one, const Holding& other) {
  return std::any_of(one.entries.begin(), one.entries.end(), [&](const std::string& key) {
    return std::find(other.entries.begin(), other.entries.end(), key) != other.entries.end();
  });
}

template <typename Holds>
std::vector<Holding*> holdings_where(const Worker& worker, Holds&& holds) {
  std::vector<Holding*> found;
  for (const WorkerPool* pool = worker.first_pool(); pool != nullptr; pool = pool->next) {
    for (Holding* holding = pool->holdings; holding != nullptr; holding = holding->older) {
      if (holds(*holding)) found.push_back(holding);
    }
  }
  return found;
}

std::vector<Holding*> parked_ones(const Worker& worker) {
  return holdings_where(
      worker, [](const Holding& holding) { return holding.state == HoldingState::kParked; });
}

bool is_to_be_parked(const Holding& holding) {
  return holding.state == HoldingState::kIdle && holding.pool->parks && holding.outlives_request &&
         holding.slot != nullptr;
}

void become_parked(Holding& holding) {
  holding.state = HoldingState::kParked;
  holding.held_at_end = false;
  ++holding.pool->parked;
}

// Clients with a list of free connections must find them in the order in which the slots will be
// taken, the warmest first: mysqli takes what was left last, phpredis what was left first.
bool is_first_out(const Holding& holding) {
  return std::any_of(holding.entries.begin(), holding.entries.end(), [](const std::string& key) {
    return kind_of_entry(key) == EntryKind::kRedis;
  });
}
bool is_left_before(const Holding* one, const Holding* other) {
  const bool first_out = is_first_out(*one);
  if (first_out != is_first_out(*other)) return first_out;
  return first_out ? one->slot->turn > other->slot->turn : one->slot->turn < other->slot->turn;
}

void leave_object(void* argument) {
  auto* holding = static_cast<Holding*>(argument);
  become_parked(*holding);
  forget_minter(*holding);
  OBJ_RELEASE(std::exchange(holding->resource, nullptr));
}

bool is_still_open(const Holding& holding) {
  if (!holding.slot->sockets.empty()) return any_open(holding.slot->sockets);
  return std::any_of(holding.entries.begin(), holding.entries.end(),
                     [](const std::string& key) { return kind_of_entry(key) != EntryKind::kGone; });
}

// Its unit is somebody else's. The connection ends all the same.
void lose_unit(Holding& holding) {
  if (holding.slot != nullptr) HangUp(holding.slot->sockets).shut_down(0);
  holding.slot = nullptr;
}

// IDLE → CLOSING.
void take_to_close(Holding& holding, CloseReason reason) {
  Pool* budget = holding.pool->budget.get();
  if (holding.slot == nullptr) return;
  if (budget == nullptr || budget->take_parked(*holding.slot, reason) == nullptr) {
    lose_unit(holding);
  }
}

// True: it stays.
bool parks(Holding& holding) {
  Pool* budget = holding.pool->budget.get();
  if (holding.slot == nullptr || budget == nullptr) return false;
  if (!is_still_open(holding)) {
    take_to_close(holding, CloseReason::kRequestEnd);
    return false;
  }
  switch (budget->park(*holding.slot)) {
    case Release::kKept:
      return true;
    case Release::kClose:
      return false;
    case Release::kLost:
      lose_unit(holding);
      return false;
  }
  return false;
}

void forget(Holding& holding) {
  --holding.pool->parked;
  holding.state = HoldingState::kClosing;
  remove_holding(holding);
}

// No object lives. Their slots are CLOSING, or they have none.
void close_parked_ones(std::vector<Holding*> closing) {
  if (closing.empty()) return;
  Worker& worker = closing.front()->pool->worker;
  // An entry can not be deleted for one of those who share it.
  for (size_t i = 0; i < closing.size(); ++i) {
    for (Holding* other : parked_ones(worker)) {
      if (std::find(closing.begin(), closing.end(), other) != closing.end() ||
          !shares_an_entry(*closing[i], *other)) {
        continue;
      }
      const CloseReason reason =
          closing[i]->slot != nullptr ? closing[i]->slot->closing : CloseReason::kDiscard;
      take_to_close(*other, reason);
      closing.push_back(other);
    }
  }
  for (Holding* holding : closing) {
    if (holding->slot != nullptr) {
      holding->hang_up = std::make_unique<HangUp>(holding->slot->sockets);
    }
  }
  for (Holding* holding : closing) {
    for (const std::string& key : holding->entries) delete_entry(key, true);
  }
  for (Holding* holding : closing) {
    Pool* budget = holding->pool->budget.get();
    if (holding->hang_up != nullptr && budget != nullptr) {
      holding->hang_up->shut_down(budget->close_wait_ms());
      budget->finish_close(*holding->slot);
    }
    forget(*holding);
  }
}

void close_what_is_flagged(Worker& worker) {
  std::vector<Holding*> closing;
  for (WorkerPool* pool = worker.first_pool(); pool != nullptr; pool = pool->next) {
    if (pool->budget == nullptr) continue;
    while (LocalSlot* slot = pool->budget->take_flagged()) closing.push_back(&holding_of(*slot));
  }
  close_parked_ones(std::move(closing));
}

// This process ends, and PHP destroys the list: newest entries first.
void end_of_list(zend_resource*) {
  Worker* worker = Worker::existing();
  if (worker == nullptr || worker->forked()) return;
  wake_up(*worker);
  std::vector<Holding*> parked = parked_ones(*worker);
  for (Holding* holding : parked) take_to_close(*holding, CloseReason::kShutdown);
  close_parked_ones(std::move(parked));
}

// Its destructor is to run before those of the connections.
void be_newest_of_list() {
  abandon_entry(kListEnd);
  zend_register_persistent_resource(kListEnd, sizeof kListEnd - 1, &list_end_type, list_end_type);
}

}  // namespace

void leave_objects(Worker& worker) {
  std::vector<Holding*> leaving = holdings_where(worker, is_to_be_parked);
  std::stable_sort(leaving.begin(), leaving.end(), is_left_before);
  for (Holding* holding : leaving) {
    const CallEnd end = catch_jump(leave_object, holding);
    if (end == CallEnd::kThrew) OBJ_RELEASE(std::exchange(EG(exception), nullptr));
  }
}

bool any_to_be_parked(const Worker& worker) {
  return !holdings_where(worker, is_to_be_parked).empty();
}

void restart_slot_numbers(Worker& worker) {
  worker.last_slot_number = 0;
  worker.parked_numbers.clear();
  for (const Holding* holding : parked_ones(worker)) {
    worker.parked_numbers.push_back(holding->number);
  }
}

void park_or_close(Worker& worker) {
  std::vector<Holding*> closing;
  bool any = false;
  // One whose object could not be left in RSHUTDOWN has lost it by now.
  for (Holding* holding : holdings_where(worker, is_to_be_parked)) {
    holding->resource = nullptr;
    holding->minter = nullptr;
    become_parked(*holding);
  }
  for (Holding* holding : parked_ones(worker)) {
    if (parks(*holding)) {
      any = true;
    } else {
      closing.push_back(holding);
    }
  }
  close_parked_ones(std::move(closing));
  if (any) be_newest_of_list();
}

void close_parked_at_start(Worker& worker) {
  if (!worker.attached() || worker.forked()) return;
  if (!worker.usable()) {
    std::vector<Holding*> lost = parked_ones(worker);
    for (Holding* holding : lost) lose_unit(*holding);
    close_parked_ones(std::move(lost));
  } else if (worker.has_attention() && worker.lane().attend()) {
    close_what_is_flagged(worker);
  }
}

void forget_parked(Holding& holding) {
  holding.slot = nullptr;
  close_parked_ones({&holding});
}

void close_parked_siblings(Holding& holding) {
  Worker& worker = holding.pool->worker;
  for (Holding* other : parked_ones(worker)) {
    if (other == &holding || !shares_an_entry(holding, *other)) continue;
    Pool* budget = other->pool->budget.get();
    if (other->slot != nullptr && budget != nullptr &&
        budget->take_parked(*other->slot, CloseReason::kDiscard) != nullptr) {
      HangUp(other->slot->sockets).shut_down(budget->close_wait_ms());
      budget->finish_close(*other->slot);
    }
    ++other->pool->closed_along;
    for (const std::string& key : other->entries) worker.persistent_strays.add_dead(key);
    forget(*other);
  }
}

void register_list_end(int module_number) {
  list_end_type =
      zend_register_list_destructors_ex(nullptr, end_of_list, "oxpool parked slots", module_number);
}

}  // namespace oxpool::php
