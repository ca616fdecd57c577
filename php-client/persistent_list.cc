#include "persistent_list.h"

#include <algorithm>
#include <iterator>

#include "error_log.h"
#include "sentence.h"

#if __has_include("ext/pdo/php_pdo_driver.h")
extern "C" {
#include "ext/pdo/php_pdo_driver.h"
}
#define OXPOOL_KNOWS_PDO
#endif

namespace oxpool::php {

namespace {

bool made_by_pfsockopen(const std::string& key) { return key.compare(0, 12, "pfsockopen__") == 0; }

EntryKind kind_of(const std::string& key, const zend_resource* entry) {
  const char* type = zend_rsrc_list_get_rsrc_type(const_cast<zend_resource*>(entry));
  if (type == nullptr) return EntryKind::kOther;
  static constexpr struct {
    const char* type;
    EntryKind kind;
  } kKnown[] = {
      {"PDO persistent database", EntryKind::kPdo},
      {"MySqli persistent connection", EntryKind::kMysqli},
      {"pgsql link persistent", EntryKind::kPgsql},
      {"persistent stream", EntryKind::kStream},
      {"phpredis persistent connections pool", EntryKind::kRedis},
  };
  for (const auto& known : kKnown) {
    if (strcmp(type, known.type) != 0) continue;
    return known.kind == EntryKind::kStream && made_by_pfsockopen(key) ? EntryKind::kSocket
                                                                       : known.kind;
  }
  return EntryKind::kOther;
}

// Deleting an entry runs its destructor. For these that closes the connection. phpredis keeps raw
// pointers to its streams elsewhere, and nobody knows about the rest.
bool closes_when_deleted(EntryKind kind) {
  return kind == EntryKind::kPdo || kind == EntryKind::kMysqli || kind == EntryKind::kPgsql ||
         kind == EntryKind::kSocket;
}

zend_resource* find_entry(const std::string& key) {
  const zval* entry = zend_hash_str_find(&EG(persistent_list), key.data(), key.size());
  return entry != nullptr ? Z_RES_P(entry) : nullptr;
}

void erase_entry(const std::string& key) {
  zend_hash_str_del(&EG(persistent_list), key.data(), key.size());
}

// PDO counts its objects, and each statement keeps its object: only the list has it.
bool is_last_reference(const zend_resource* pdo_entry) {
#ifdef OXPOOL_KNOWS_PDO
  return static_cast<const pdo_dbh_t*>(pdo_entry->ptr)->refcount == 1;
#else
  return false;
#endif
}

}  // namespace

bool says_it_is_persistent(zend_object* resource) {
  static constexpr char kPdo[] = "pdo";
  static constexpr zend_long kAttrPersistent = 12;  // PDO::ATTR_PERSISTENT
  const auto* pdo = static_cast<zend_class_entry*>(
      zend_hash_str_find_ptr(CG(class_table), kPdo, sizeof kPdo - 1));
  if (pdo == nullptr || !instanceof_function(resource->ce, pdo)) return false;
  zval attribute;
  zval answer;
  ZVAL_LONG(&attribute, kAttrPersistent);
  ZVAL_UNDEF(&answer);
  // PDO's own method, whatever a subclass makes of it.
  auto* ask = static_cast<zend_function*>(
      zend_hash_str_find_ptr(&pdo->function_table, "getattribute", sizeof "getattribute" - 1));
  if (ask == nullptr) return false;
  zend_call_known_function(ask, resource, resource->ce, &answer, 1, &attribute, nullptr);
  if (EG(exception) != nullptr) zend_clear_exception();
  const bool persistent = Z_TYPE(answer) == IS_TRUE;
  zval_ptr_dtor(&answer);
  return persistent;
}

uint32_t PersistentStrays::note_since(uint32_t count_before) {
  const uint32_t now = count();
  if (now <= count_before) return 0;
  // A hash keeps the order of insertion, so the newest are the last.
  uint32_t left = now - count_before;
  zend_string* key;
  ZEND_HASH_REVERSE_FOREACH_STR_KEY(&EG(persistent_list), key) {
    if (left-- == 0) break;
    if (key != nullptr) keys_.emplace_back(ZSTR_VAL(key), ZSTR_LEN(key));
  }
  ZEND_HASH_FOREACH_END();
  return now - count_before;
}

EntryKind kind_of_entry(const std::string& key) {
  const zend_resource* entry = find_entry(key);
  return entry != nullptr ? kind_of(key, entry) : EntryKind::kGone;
}

std::vector<std::string> entry_keys() {
  std::vector<std::string> keys;
  zend_string* key;
  ZEND_HASH_FOREACH_STR_KEY(&EG(persistent_list), key) {
    if (key != nullptr) keys.emplace_back(ZSTR_VAL(key), ZSTR_LEN(key));
  }
  ZEND_HASH_FOREACH_END();
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::string> entry_keys_since(const std::vector<std::string>& before) {
  const std::vector<std::string> now = entry_keys();
  std::vector<std::string> appeared;
  std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                      std::back_inserter(appeared));
  return appeared;
}

NewestEntry newest_entry() {
  const HashTable& list = EG(persistent_list);
  const uint32_t used = list.nNumUsed;
  return {used, used > 0 ? list.arData[used - 1].h : 0};
}

std::string newest_key() {
  const HashTable& list = EG(persistent_list);
  const zend_string* key = list.nNumUsed > 0 ? list.arData[list.nNumUsed - 1].key : nullptr;
  return key != nullptr ? std::string(ZSTR_VAL(key), ZSTR_LEN(key)) : std::string();
}

bool delete_entry(const std::string& key, bool no_object_lives) {
  const zend_resource* entry = find_entry(key);
  if (entry == nullptr) return true;
  const EntryKind kind = kind_of(key, entry);
  if (!closes_when_deleted(kind)) return false;
  const bool unused = no_object_lives || (kind == EntryKind::kPdo && is_last_reference(entry));
  if (unused) erase_entry(key);
  return unused;
}

void abandon_entry(const std::string& key) {
  zend_resource* entry = find_entry(key);
  if (entry == nullptr) return;
  entry->type = -1;  // of no module: nobody's destructor runs
  erase_entry(key);
}

void PersistentStrays::keep(const std::string& key) {
  dead_keys_.erase(std::remove(dead_keys_.begin(), dead_keys_.end(), key), dead_keys_.end());
}

void PersistentStrays::close_all() {
  for (const std::string& key : keys_) {
    if (!delete_entry(key, true)) {
      log_line("a persistent connection that a factory opened stays open; no pool counts it");
    }
  }
  for (const std::string& key : dead_keys_) delete_entry(key, true);
  keys_.clear();
  dead_keys_.clear();
}

}  // namespace oxpool::php
