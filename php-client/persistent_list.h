// PHP's list of persistent connections: its entries, and what may be done to them; and connections
// that a factory opens although its pool is not for them.
//
// PHP keeps a stray connection after its object is gone and after the request, so its unit would be
// free while it is still open. It is noticed because PHP's persistent list grows while the factory
// runs. The unit stays taken until the connection is closed, which is only safe once all objects of
// the request are gone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine.h"

namespace oxpool::php {

// Whether the object says of itself that its connection is persistent: one that was opened before,
// by whomever, makes no list grow. Only PDO can be asked. May run PHP code; clears what it throws.
bool says_it_is_persistent(zend_object* resource);

// Whose an entry of the list is.
enum class EntryKind {
  kGone,    // there is no such entry
  kPdo,     // counts its objects
  kMysqli,  // a stack of the connections that no object has: one entry for all with one login
  kPgsql,
  kStream,  // of PHP's streams; phpredis keeps raw pointers to its own
  kSocket,  // likewise, by pfsockopen()
  kRedis,   // phpredis' list of streams that no object has
  kOther,
};
EntryKind kind_of_entry(const std::string& key);

// The keys that are there, sorted.
std::vector<std::string> entry_keys();
// Those that are there and were not in `before`.
std::vector<std::string> entry_keys_since(const std::vector<std::string>& before);

// Tells cheaply whether an entry was made meanwhile: what the newest one is.
struct NewestEntry {
  uint32_t position;
  zend_ulong hash;
  bool operator==(const NewestEntry&) const = default;
};
NewestEntry newest_entry();
std::string newest_key();

// Deletes an entry, which closes its connection: when `no_object_lives` in this request, or when it
// is known that no object has it. True: it is gone, or there was none.
bool delete_entry(const std::string& key, bool no_object_lives);
// Takes it out without closing anything; its memory goes with the process.
void abandon_entry(const std::string& key);

// Thread safety: one thread, the worker's.
class PersistentStrays {
 public:
  // How many persistent entries there are: to be asked before a factory runs.
  static uint32_t count() { return zend_hash_num_elements(&EG(persistent_list)); }

  // Notes those that have come since; returns how many.
  uint32_t note_since(uint32_t count_before);

  // Notes one whose sockets are shut down already: nobody is to be told when it stays.
  void add_dead(const std::string& key) { dead_keys_.push_back(key); }
  // It is in use again, by a slot that came later.
  void keep(const std::string& key);

  // Closes what was noted, where that can be done without its library; says so where it can not.
  // Only in post_deactivate, when no object of the request lives any more.
  void close_all();

 private:
  std::vector<std::string> keys_;
  std::vector<std::string> dead_keys_;
};

}  // namespace oxpool::php
