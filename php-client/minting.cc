#include "minting.h"

#include <atomic>
#include <utility>

#include "closing.h"
#include "error_log.h"
#include "exception_classes.h"
#include "life.h"
#include "ownership.h"
#include "persistent_mint.h"
#include "sentence.h"
#include "shm/clock.h"
#include "taking.h"

namespace oxpool::php {

namespace {

void note_open_descriptors(Holding& holding) {
  if (holding.pool->budget->close_wait_ms() > 0) holding.descriptors_before = open_descriptors();
}

void note_sockets(Holding& holding) {
  if (holding.slot != nullptr && !holding.descriptors_before.empty()) {
    holding.slot->sockets = sockets_since(holding.descriptors_before);
  }
  holding.descriptors_before = {};
}

}  // namespace

zend_object* object_of(zval* result) {
  ZVAL_DEREF(result);
  if (Z_TYPE_P(result) != IS_OBJECT) return nullptr;
  Z_ADDREF_P(result);
  return Z_OBJ_P(result);
}

namespace {
void say_about(const WorkerPool& pool, const std::string& what, Sentence* message) {
  message->set("pool " + quoted(pool.name) + ": " + what);
}

}  // namespace

void throw_not_an_object(const WorkerPool& pool, const zval* result) {
  Sentence message;
  say_about(pool,
            std::string("the factory returned ") + zend_zval_type_name(result) +
                "; it must return an object",
            &message);
  zend_throw_exception(type_exception, message.text, 0);
}

namespace {
void throw_persistent(const WorkerPool& pool) {
  Sentence message;
  say_about(pool,
            "the factory opened a persistent connection, which would stay open after its unit "
            "is given back; open it without PDO::ATTR_PERSISTENT, 'p:', pg_pconnect() or "
            "pconnect(), or give the pool the option persistent: true",
            &message);
  zend_throw_exception(type_exception, message.text, 0);
}

// Of a persistent pool.
void throw_not_its_own(const WorkerPool& pool, Opened opened) {
  Sentence message;
  say_about(pool,
            opened == Opened::kShared
                ? "the factory gave this slot a connection that was open before, so that two would "
                  "share it; it must open one for each slot: make the slot's key, which it gets as "
                  "its first parameter, part of what the connection is known by"
                : "the factory opened several connections for one slot, which counts as one",
            &message);
  static std::atomic<bool> said{false};
  if (!said.exchange(true)) log_line(message.text);
  zend_throw_exception(type_exception, message.text, 0);
}
}  // namespace

void throw_refused() {
  zend_throw_exception(shared_exception, "PHP does not run code at this point", 0);
}

CallEnd call_factory(Holding& holding, zval* result, int64_t* factory_ns) {
  const Callback& factory = holding.minter->factory;
  zval key;
  uint32_t arguments = 0;
  ZVAL_UNDEF(&key);
  if (holding.pool->persistent && wants_slot_key(factory)) {
    give_slot_key(holding, &key);
    arguments = 1;
  }
  holding.framed = true;
  const int64_t started_ns = shm::monotonic_ns();
  const CallEnd end = call_userland(factory, arguments, &key, result);
  *factory_ns = shm::monotonic_ns() - started_ns;
  Worker& worker = holding.pool->worker;
  if (worker.forked()) forget_parents_life(worker);
  holding.framed = false;
  if (end != CallEnd::kJumped) zval_ptr_dtor(&key);
  return end;
}

namespace {

// The unit stays taken until the end of the request, when the connection can be closed. A
// destructor of the object may jump: by then all is noted.
void refuse_persistent(Holding& holding, zend_object* resource, int64_t factory_ns) {
  PoolCore& minter = *holding.minter;
  minter.opens_persistently = !holding.pool->persistent;
  if (holding.slot == nullptr || !holding.pool->budget->refuse_minted(*holding.slot, factory_ns)) {
    holding.slot = nullptr;
  } else if (!holding.slot->sockets.empty()) {
    holding.hang_up = std::make_unique<HangUp>(holding.slot->sockets);
  }
  holding.state = HoldingState::kLeaving;
  throw_persistent(*holding.pool);
  OBJ_RELEASE(resource);
}

// Connections of a persistent pool that are not this slot's own. What the slot opened is closed;
// a connection that others have is left to them.
void refuse_not_its_own(Holding& holding, zend_object* resource, Opened opened,
                        int64_t factory_ns) {
  throw_not_its_own(*holding.pool, opened);
  if (holding.slot != nullptr && !holding.pool->budget->refuse_minted(*holding.slot, factory_ns)) {
    holding.slot = nullptr;
  }
  holding.state = HoldingState::kClosing;
  forget_minter(holding);  // its destroy would close what is others'
  if (opened == Opened::kShared) {
    OBJ_RELEASE(resource);
    finish(holding);
  } else {
    holding.resource = resource;
    close_resource(holding);
  }
}

// What the factory made, on its way to minted() or minted_ahead(). Null when it came to nothing:
// *end says what then.
Holding* make(PoolCore& core, LocalSlot& slot, int64_t* factory_ns, Mint* end) {
  WorkerPool& pool = *core.pool;
  Worker& worker = pool.worker;
  Holding& holding = add_holding(pool, pool.minter(core), slot);
  *end = Mint::kFailed;
  if (UNEXPECTED(holding.minter->opens_persistently)) {
    give_up_mint(holding);
    throw_persistent(pool);
    return nullptr;
  }
  if (pool.persistent) {
    note_entries_before(holding);
  } else {
    note_open_descriptors(holding);
  }
  const uint32_t persistent_before = PersistentStrays::count();
  zval result;
  const CallEnd call_end = call_factory(holding, &result, factory_ns);
  const bool persistent = !pool.persistent && !worker.forked() &&
                          worker.persistent_strays.note_since(persistent_before) > 0;
  if (call_end != CallEnd::kReturned) {
    if (pool.persistent) close_what_a_failed_factory_opened(holding);
    give_up_mint(holding);
    if (call_end == CallEnd::kJumped) jump_on();
    if (EG(exception) == nullptr) throw_refused();
    return nullptr;
  }
  zend_object* resource = object_of(&result);
  if (resource == nullptr) {
    if (pool.persistent) close_what_a_failed_factory_opened(holding);
    give_up_mint(holding);
    throw_not_an_object(pool, &result);
    zval_ptr_dtor(&result);
    return nullptr;
  }
  zval_ptr_dtor(&result);
  if (holding.state == HoldingState::kAbandoned) {
    // The factory forked. Nobody knows whether it had connected before: the parent has it, if so.
    never_destroy(resource);
    remove_holding(holding);
    *end = Mint::kNewLife;
    return nullptr;
  }
  if (pool.persistent) {
    const Opened opened = note_opened(holding, resource);
    if (opened == Opened::kShared || opened == Opened::kSeveral) {
      refuse_not_its_own(holding, resource, opened, *factory_ns);
      return nullptr;
    }
  } else if (note_sockets(holding); UNEXPECTED(persistent || says_it_is_persistent(resource))) {
    refuse_persistent(holding, resource, *factory_ns);
    return nullptr;
  }
  holding.resource = resource;
  return &holding;
}

Mint close_lost(Holding& holding) {
  holding.slot = nullptr;  // the attachment ended meanwhile, and the unit with it
  holding.state = HoldingState::kClosing;
  close_resource(holding);
  return EG(exception) != nullptr ? Mint::kFailed : Mint::kNewLife;
}

Mint mint_ahead(PoolCore& core, LocalSlot& slot) {
  int64_t factory_ns = 0;
  Mint end;
  Holding* holding = make(core, slot, &factory_ns, &end);
  if (holding == nullptr) return end;
  if (holding->slot == nullptr) return close_lost(*holding);
  switch (holding->pool->budget->minted_ahead(*holding->slot, factory_ns)) {
    case Release::kKept:
      holding->state = HoldingState::kIdle;
      return Mint::kMade;
    case Release::kClose:  // somebody has begun to wait
      close_taken(*holding->slot);
      return EG(exception) != nullptr ? Mint::kFailed : Mint::kNewLife;
    case Release::kLost:
      break;
  }
  return close_lost(*holding);
}

}  // namespace

Mint mint(PoolCore& core, LocalSlot& slot, Holding** taken) {
  int64_t factory_ns = 0;
  Mint end;
  Holding* holding = make(core, slot, &factory_ns, &end);
  if (holding == nullptr) return end;
  if (holding->slot == nullptr || !holding->pool->budget->minted(*holding->slot, factory_ns)) {
    return close_lost(*holding);
  }
  holding->state = HoldingState::kInUse;
  *taken = holding;
  return Mint::kMade;
}

uint32_t warm(PoolCore& core, uint32_t wanted) {
  uint32_t made = 0;
  while (begin_call(core)) {
    WorkerPool& pool = *core.pool;
    if (!pool.worker.usable() || pool.budget == nullptr) break;
    LocalSlot* slot = pool.budget->reserve_ahead(wanted);
    if (slot == nullptr) break;
    if (mint_ahead(core, *slot) != Mint::kMade) break;
    ++made;
  }
  return made;
}

}  // namespace oxpool::php
