#include "persistent_mint.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "SAPI.h"
#include "closing.h"
#include "error_log.h"
#include "life.h"
#include "minting.h"
#include "ownership.h"
#include "sentence.h"

namespace oxpool::php {

using shm::CloseReason;

namespace {

bool is_a(const zend_object* object, const char* lower_name) {
  const auto* entry = static_cast<zend_class_entry*>(
      zend_hash_str_find_ptr(CG(class_table), lower_name, strlen(lower_name)));
  return entry != nullptr && instanceof_function(object->ce, entry);
}

bool is_phpredis(const zend_object* object) { return is_a(object, "redis"); }

// One connection each; the others are lists of them.
bool is_connection(EntryKind kind) {
  return kind == EntryKind::kPdo || kind == EntryKind::kPgsql || kind == EntryKind::kStream ||
         kind == EntryKind::kSocket;
}

bool is_known(EntryKind kind, const zend_object* resource) {
  switch (kind) {
    case EntryKind::kPdo:
    case EntryKind::kMysqli:
    case EntryKind::kPgsql:
    case EntryKind::kRedis:
      return true;
    case EntryKind::kStream:
      return is_phpredis(resource);
    default:
      return false;
  }
}

// phpredis can have found an open one.
bool finds_streams(const zend_object* resource) {
  if (!is_phpredis(resource)) return false;
  const std::vector<std::string> keys = entry_keys();
  return std::any_of(keys.begin(), keys.end(), [](const std::string& key) {
    const EntryKind kind = kind_of_entry(key);
    return kind == EntryKind::kRedis || kind == EntryKind::kStream;
  });
}

// Said once a process and kind of thing.
void say_once(std::atomic<bool>* said, const WorkerPool& pool, const char* what) {
  if (!said->exchange(true)) log_about(pool, what);
}

template <typename Do>
void for_each_holding(const Worker& worker, Do&& act) {
  for (WorkerPool* pool = worker.first_pool(); pool != nullptr; pool = pool->next) {
    for (Holding* holding = pool->holdings; holding != nullptr; holding = holding->older) {
      act(*holding);
    }
  }
}

// mysqli, and phpredis unless told otherwise, keep the connections of all slots with one login
// under one key: it is there already when a further one is made. Where nothing says which key that
// is, any may be: slots are closed together then without need.
void note_list_entries(Holding& holding, const zend_object* resource, const char* driver,
                       EntryKind kind) {
  WorkerPool& pool = *holding.pool;
  const auto add = [&](const std::string& key) {
    if (std::find(holding.entries.begin(), holding.entries.end(), key) != holding.entries.end()) {
      return;
    }
    holding.entries.push_back(key);
    pool.worker.persistent_strays.keep(key);
  };
  if (!is_a(resource, driver)) return;
  std::vector<std::string>& known = pool.list_entries;
  known.erase(std::remove_if(known.begin(), known.end(),
                             [&](const std::string& key) { return kind_of_entry(key) != kind; }),
              known.end());
  for (const std::string& key : holding.entries) {
    if (kind_of_entry(key) == kind) known.push_back(key);
  }
  if (!known.empty()) {
    for (const std::string& key : known) add(key);
    return;
  }
  for (const std::string& key : entry_keys()) {
    if (kind_of_entry(key) == kind) add(key);
  }
}

// Whether this request has an object of that class: its connection could be the dead one.
bool any_object_of(const char* lower_name) {
  const zend_objects_store& store = EG(objects_store);
  for (uint32_t i = 1; i < store.top; ++i) {
    zend_object* object = store.object_buckets[i];
    if (IS_OBJ_VALID(object) && is_a(object, lower_name)) return true;
  }
  return false;
}

// A client may find a dead connection under its key and hand it out all the same.
void delete_dead_entries(Holding& holding) {
  for (const std::string& key : holding.entries) {
    const EntryKind kind = kind_of_entry(key);
    const bool unused = kind == EntryKind::kPgsql && !any_object_of("pgsql\\connection");
    if (kind == EntryKind::kPdo || unused) delete_entry(key, unused);
  }
  holding.entries.erase(
      std::remove_if(holding.entries.begin(), holding.entries.end(),
                     [](const std::string& key) { return kind_of_entry(key) == EntryKind::kGone; }),
      holding.entries.end());
}

// What a factory made for a slot that is in use already. Null: the slot is closed or gone.
zend_object* run_factory(Holding& holding, int64_t* factory_ns, bool* made_entry) {
  zval result;
  const NewestEntry newest = newest_entry();
  const CallEnd end = call_factory(holding, &result, factory_ns);
  *made_entry = newest_entry() != newest;
  if (holding.state == HoldingState::kAbandoned) {
    // The factory forked; the parent has what it made.
    if (end == CallEnd::kJumped) jump_on();
    if (end == CallEnd::kReturned && Z_TYPE(result) == IS_OBJECT) never_destroy(Z_OBJ(result));
    remove_holding(holding);
    return nullptr;
  }
  if (end == CallEnd::kReturned) {
    zend_object* resource = object_of(&result);
    if (resource == nullptr) throw_not_an_object(*holding.pool, &result);
    zval_ptr_dtor(&result);
    if (resource != nullptr) return resource;
  } else if (end == CallEnd::kRefused) {
    throw_refused();
  }
  if (*made_entry) holding.entries.push_back(newest_key());
  close_again(holding, CloseReason::kDiscard);
  if (end == CallEnd::kJumped) jump_on();
  return nullptr;
}

// Of a slot whose connection was closed: runs the factory for another one.
bool make_anew(Holding& holding, CloseReason reason) {
  int64_t factory_ns = 0;
  note_entries_before(holding);
  holding.slot->sockets.clear();
  bool made_entry = false;
  zend_object* resource = run_factory(holding, &factory_ns, &made_entry);
  if (resource == nullptr) return false;
  const bool had_sockets = holding.had_sockets;
  const Opened opened = note_opened(holding, resource);
  holding.resource = resource;
  if (holding.slot == nullptr) {
    close_again(holding, CloseReason::kNone);
    return false;
  }
  const bool same_dead_one = had_sockets && holding.slot->sockets.empty();
  if (opened == Opened::kShared || opened == Opened::kSeveral || same_dead_one) {
    close_again(holding, CloseReason::kDiscard);
    return false;
  }
  holding.pool->budget->replaced(*holding.slot, factory_ns, reason);
  return true;
}

}  // namespace

bool requests_end_here() {
  static const bool ends = [] {
    const char* name = sapi_module.name != nullptr ? sapi_module.name : "";
    for (const char* script : {"cli", "phpdbg", "embed", "micro"}) {
      if (strcmp(name, script) == 0) return false;
    }
    return true;
  }();
  return ends;
}

bool wants_slot_key(const Callback& factory) {
  const zend_function* function = factory.target.function_handler;
  return function != nullptr && function->common.required_num_args > 0;
}

void give_slot_key(const Holding& holding, zval* key) {
  char text[64];
  const int bytes =
      snprintf(text, sizeof text, "oxpool:%llu:%u",
               static_cast<unsigned long long>(holding.pool->budget->id()), holding.number);
  ZVAL_STRINGL(key, text, bytes);
}

namespace {
uint32_t free_number(Worker& worker) {
  uint32_t number;
  bool taken;
  do {
    number = ++worker.last_slot_number;
    const std::vector<uint32_t>& kept = worker.parked_numbers;
    taken = std::find(kept.begin(), kept.end(), number) != kept.end();
    for_each_holding(worker, [&](const Holding& other) { taken |= other.number == number; });
  } while (taken);
  return number;
}
}  // namespace

void note_entries_before(Holding& holding) {
  if (holding.number == 0) holding.number = free_number(holding.pool->worker);
  holding.entries_before = entry_keys();
  holding.sockets_before = open_sockets();
}

Opened note_opened(Holding& holding, zend_object* resource) {
  WorkerPool& pool = *holding.pool;
  const std::vector<std::string> made = entry_keys_since(holding.entries_before);
  holding.entries_before = {};
  if (holding.slot != nullptr) holding.slot->sockets = sockets_since(holding.sockets_before);
  holding.sockets_before = {};
  const size_t sockets = holding.slot != nullptr ? holding.slot->sockets.size() : 0;
  size_t connections = 0;
  bool known = true;
  for (const std::string& key : made) {
    const EntryKind kind = kind_of_entry(key);
    if (is_connection(kind)) ++connections;
    known = known && is_known(kind, resource);
    holding.entries.push_back(key);
    pool.worker.persistent_strays.keep(key);
  }
  // Where an entry could not be deleted, the client has connected it anew.
  for (const std::string& key : holding.former_entries) {
    if (sockets == 0 || kind_of_entry(key) == EntryKind::kGone) continue;
    holding.entries.push_back(key);
    pool.worker.persistent_strays.keep(key);
  }
  holding.former_entries = {};
  holding.outlives_request = false;
  if (made.empty() && sockets == 0) {
    const bool was_open = says_it_is_persistent(resource) || is_a(resource, "mysqli") ||
                          is_a(resource, "pgsql\\connection") || finds_streams(resource);
    if (was_open) return Opened::kShared;
  }
  if (connections > 1 || sockets > 1) return Opened::kSeveral;
  note_list_entries(holding, resource, "mysqli", EntryKind::kMysqli);
  note_list_entries(holding, resource, "redis", EntryKind::kRedis);
  if (holding.entries.empty() || !known) {
    static std::atomic<bool> said{false};
    if (!pool.parks) return Opened::kRequest;  // nothing else would be done with a known one
    say_once(&said, pool,
             known ? "persistent, but its factory opened no persistent connection: its resources "
                     "are closed at the end of each request"
                   : "persistent, but its factory opened a persistent connection of a kind that is "
                     "not known: its resources are closed at the end of each request");
    return Opened::kRequest;
  }
  holding.outlives_request = true;
  return Opened::kOwn;
}

void close_what_a_failed_factory_opened(Holding& holding) {
  if (holding.state == HoldingState::kAbandoned) return;
  holding.entries = entry_keys_since(holding.entries_before);
  holding.entries_before = {};
  std::vector<NotedSocket> sockets = sockets_since(holding.sockets_before);
  holding.sockets_before = {};
  if (holding.entries.empty()) return;
  HangUp hang_up(sockets);
  delete_entries(holding);
  const Pool* budget = holding.pool->budget.get();
  hang_up.shut_down(budget != nullptr ? budget->close_wait_ms() : 0);
}

bool reattach(PoolCore& core, Holding& holding) {
  WorkerPool& pool = *holding.pool;
  holding.state = HoldingState::kInUse;
  --pool.parked;
  holding.minter = &pool.minter(core);
  ++holding.minter->references;
  if (!all_alive(holding.slot->sockets)) {
    delete_dead_entries(holding);
    return make_anew(holding, CloseReason::kValidate);
  }
  int64_t factory_ns = 0;
  bool made_entry = false;
  zend_object* resource = run_factory(holding, &factory_ns, &made_entry);
  if (resource == nullptr) return false;
  holding.resource = resource;
  if (holding.slot == nullptr) {
    close_again(holding, CloseReason::kNone);
    return false;
  }
  if (UNEXPECTED(made_entry)) {
    static std::atomic<bool> said{false};
    say_once(&said, pool,
             "the factory opened another connection for a slot that has one: the slot is closed. "
             "It must open the same one for the same key");
    holding.entries.push_back(newest_key());
    close_again(holding, CloseReason::kDiscard);
    return false;
  }
  pool.budget->reattached();
  return true;
}

bool replace(Holding& holding, CloseReason reason) {
  return close_but_keep_unit(holding, reason) && make_anew(holding, reason);
}

void close_client(Holding& holding) {
  zend_object* resource = holding.resource;
  if (resource == nullptr || !is_phpredis(resource)) return;
  auto* close = static_cast<zend_function*>(
      zend_hash_str_find_ptr(&resource->ce->function_table, "close", sizeof "close" - 1));
  if (close == nullptr) return;
  zval answer;
  ZVAL_UNDEF(&answer);
  zend_call_known_function(close, resource, resource->ce, &answer, 0, nullptr, nullptr);
  if (EG(exception) != nullptr) zend_clear_exception();
  zval_ptr_dtor(&answer);
}

bool delete_entries(Holding& holding) {
  bool gone = true;
  for (const std::string& key : holding.entries) {
    const EntryKind kind = kind_of_entry(key);
    if (kind == EntryKind::kRedis || delete_entry(key, false)) continue;
    holding.pool->worker.persistent_strays.add_dead(key);
    gone = false;
  }
  holding.entries.clear();
  return gone;
}

}  // namespace oxpool::php
