#include "value_decoder.h"

#include <algorithm>

#include "mutex_class.h"
#include "new_mutex.h"
#include "shm/layout.h"
#include "shm/value_format.h"

namespace oxpool::php {

using shm::ValueHead;
using shm::ValueReader;
using shm::ValueTag;

namespace {

// A count is believed only so far: bytes of one hostile value are not to become gigabytes.
constexpr uint32_t kMostReserved = 1024;

zend_string* make_string(std::string_view bytes) {
  if (bytes.empty()) return ZSTR_EMPTY_ALLOC();
  if (bytes.size() == 1) return ZSTR_CHAR(static_cast<unsigned char>(bytes[0]));
  return zend_string_init(bytes.data(), bytes.size(), false);
}

// Nothing here has a destructor: the memory limit may jump.
struct Decoder {
  ValueReader reader;
  Worker& worker;
  bool plain;

  // Leaves *result undefined when it returns false.
  bool value(zval* result, int depth) {
    ValueHead head;
    ZVAL_UNDEF(result);
    if (!reader.head(&head)) return false;
    switch (head.tag) {
      case ValueTag::kNull:
        ZVAL_NULL(result);
        return true;
      case ValueTag::kFalse:
        ZVAL_FALSE(result);
        return true;
      case ValueTag::kTrue:
        ZVAL_TRUE(result);
        return true;
      case ValueTag::kInt:
        ZVAL_LONG(result, head.integer);
        return true;
      case ValueTag::kFloat:
        ZVAL_DOUBLE(result, head.real);
        return true;
      case ValueTag::kString: {
        zend_string* string = make_string(head.bytes);
        ZVAL_STR(result, string);
        return true;
      }
      case ValueTag::kMutex:
        if (head.bytes.empty() || head.bytes.size() > shm::kNameBytes) return false;
        plain = false;
        make_named_mutex(result, worker, head.bytes);
        return true;
      case ValueTag::kList:
      case ValueTag::kMap:
      case ValueTag::kMapAhead:
        break;
    }
    if (depth == shm::kMaxValueDepth) return false;
    if (head.count == 0 && head.tag != ValueTag::kMapAhead) {
      ZVAL_EMPTY_ARRAY(result);
      return true;
    }
    array_init_size(result, std::min(head.count, kMostReserved));
    const bool done = head.tag == ValueTag::kList ? list(Z_ARRVAL_P(result), head.count, depth)
                                                  : map(Z_ARRVAL_P(result), head, depth);
    if (EXPECTED(done)) return true;
    zval_ptr_dtor(result);  // has no object whose destructor is PHP code
    ZVAL_UNDEF(result);
    return false;
  }

  bool list(HashTable* array, uint32_t count, int depth) {
    zend_hash_real_init_packed(array);
    for (uint32_t i = 0; i < count; ++i) {
      zval element;
      if (!value(&element, depth + 1)) return false;
      zend_hash_next_index_insert_new(array, &element);
    }
    return true;
  }

  bool map(HashTable* array, const ValueHead& head, int depth) {
    for (uint32_t i = 0; i < head.count; ++i) {
      if (!element(array, depth)) return false;
    }
    if (head.tag != ValueTag::kMapAhead) return true;
    int64_t next_index;
    if (!reader.integer(&next_index) || next_index < array->nNextFreeElement) return false;
    array->nNextFreeElement = next_index;
    return true;
  }

  // False, too, for a key that was there already.
  bool element(HashTable* array, int depth) {
    ValueHead key;
    if (!reader.key(&key)) return false;
    zval element;
    if (key.tag == ValueTag::kInt) {
      if (!value(&element, depth + 1)) return false;
      if (zend_hash_index_add(array, static_cast<zend_ulong>(key.integer), &element) != nullptr) {
        return true;
      }
    } else {
      zend_string* name = make_string(key.bytes);
      if (!value(&element, depth + 1)) {
        zend_string_release(name);
        return false;
      }
      const zval* added = zend_hash_add(array, name, &element);
      zend_string_release(name);
      if (EXPECTED(added != nullptr)) return true;
    }
    zval_ptr_dtor(&element);
    return false;
  }
};

}  // namespace

bool decode_value(std::string_view bytes, Worker& worker, zval* result, bool* plain) {
  Decoder decoder{ValueReader(bytes), worker, true};
  if (!decoder.value(result, 0)) return false;
  *plain = decoder.plain;
  if (EXPECTED(decoder.reader.at_end())) return true;
  zval_ptr_dtor(result);
  ZVAL_UNDEF(result);
  return false;
}

}  // namespace oxpool::php
