#include "value_encoder.h"

#include <algorithm>
#include <cstdlib>

#include "mutex_class.h"
#include "worker_mutex.h"

namespace oxpool::php {

using shm::ValueTag;

namespace {

constexpr size_t kFirstBytes = 512;

// The index that the next appended value gets, as it follows from the keys alone: what the engine
// makes of a new array that gets them one by one.
class NextIndex {
 public:
  void add(zend_ulong index) {
    const auto given = static_cast<zend_long>(index);
    if (given >= next_) next_ = given < ZEND_LONG_MAX ? given + 1 : ZEND_LONG_MAX;
  }
  zend_long next() const { return next_; }

 private:
  zend_long next_ = ZEND_LONG_MIN;
};

// An array that had no int key yet: the first one that is appended is 0 either way.
zend_long without_a_key(zend_long next_index) {
  return next_index == ZEND_LONG_MIN ? 0 : next_index;
}

bool is_list(const HashTable* array) {
  return HT_IS_PACKED(array) && HT_IS_WITHOUT_HOLES(array) &&
         without_a_key(array->nNextFreeElement) == zend_long{array->nNumOfElements};
}

}  // namespace

ValueEncoder::~ValueEncoder() { std::free(begin_); }

Encoded ValueEncoder::encode(const zval* value, size_t limit_bytes) {
  at_ = begin_;
  limit_bytes_ = limit_bytes;
  plain_ = true;
  too_large_ = false;
  const bool done = this->value(value, 0);
  if (EXPECTED(done && static_cast<size_t>(at_ - begin_) <= limit_bytes)) return Encoded::kOk;
  return done || too_large_ ? Encoded::kTooLarge : Encoded::kNonSerialisable;
}

bool ValueEncoder::value(const zval* value, int depth) {
  if (UNEXPECTED(Z_TYPE_P(value) == IS_REFERENCE)) {
    plain_ = false;
    value = Z_REFVAL_P(value);
    if (Z_TYPE_P(value) == IS_ARRAY && is_open(Z_ARRVAL_P(value), depth)) {
      refused_.begin("an array that contains itself");
      return false;
    }
  }
  if (!room(kHeadBytes)) return false;
  switch (Z_TYPE_P(value)) {
    case IS_UNDEF:
    case IS_NULL:
      *at_++ = static_cast<uint8_t>(ValueTag::kNull);
      return true;
    case IS_FALSE:
      *at_++ = static_cast<uint8_t>(ValueTag::kFalse);
      return true;
    case IS_TRUE:
      *at_++ = static_cast<uint8_t>(ValueTag::kTrue);
      return true;
    case IS_LONG:
      put_int(Z_LVAL_P(value));
      return true;
    case IS_DOUBLE:
      *at_++ = static_cast<uint8_t>(ValueTag::kFloat);
      std::memcpy(at_, &Z_DVAL_P(value), sizeof(double));
      at_ += sizeof(double);
      return true;
    case IS_STRING:
      return bytes_of(ValueTag::kString, Z_STRVAL_P(value), Z_STRLEN_P(value));
    case IS_ARRAY:
      return array(Z_ARRVAL_P(value), depth);
    case IS_OBJECT:
      return object(value);
    default:
      return refuse(value);
  }
}

bool ValueEncoder::array(const HashTable* array, int depth) {
  if (depth == shm::kMaxValueDepth) {
    refused_.begin("arrays that are nested more than " + std::to_string(shm::kMaxValueDepth) +
                   " deep");
    return false;
  }
  open_[depth] = array;
  const size_t tag_at = static_cast<size_t>(at_ - begin_);
  *at_++ = static_cast<uint8_t>(is_list(array) ? ValueTag::kList : ValueTag::kMap);
  at_ = shm::put_varint(at_, zend_array_count(const_cast<HashTable*>(array)));
  if (is_list(array)) {
    zend_ulong index = 0;
    zval* element;
    ZEND_HASH_FOREACH_VAL(const_cast<HashTable*>(array), element) {
      if (UNEXPECTED(!value(element, depth + 1))) {
        if (!too_large_) refused_.add_key(nullptr, index);
        return false;
      }
      ++index;
    }
    ZEND_HASH_FOREACH_END();
    return true;
  }
  zend_long next_index;
  if (!elements(array, depth, &next_index)) return false;
  const zend_long wanted = array->nNextFreeElement;
  if (EXPECTED(without_a_key(next_index) == without_a_key(wanted))) return true;
  if (!room(shm::kMaxVarintBytes)) return false;
  begin_[tag_at] = static_cast<uint8_t>(ValueTag::kMapAhead);
  at_ = shm::put_varint(at_, shm::zigzag(wanted));
  return true;
}

bool ValueEncoder::elements(const HashTable* array, int depth, zend_long* next_index) {
  NextIndex next;
  zend_ulong index;
  zend_string* key;
  zval* element;
  ZEND_HASH_FOREACH_KEY_VAL_IND(const_cast<HashTable*>(array), index, key, element) {
    bool done;
    if (key != nullptr) {
      done = bytes_of(ValueTag::kString, ZSTR_VAL(key), ZSTR_LEN(key));
    } else {
      next.add(index);
      done = room(kHeadBytes);
      if (done) put_int(static_cast<int64_t>(index));
    }
    if (UNEXPECTED(!done || !value(element, depth + 1))) {
      if (!too_large_) refused_.add_key(key, index);
      return false;
    }
  }
  ZEND_HASH_FOREACH_END();
  *next_index = next.next();
  return true;
}

bool ValueEncoder::object(const zval* value) {
  if (Z_OBJCE_P(value) != mutex_class) return refuse(value);
  const MutexCore* core = core_of_mutex(Z_OBJ_P(value));
  if (core == nullptr) return refuse(value);
  plain_ = false;
  const std::string& name = core->mutex->name;
  return bytes_of(ValueTag::kMutex, name.data(), name.size());
}

bool ValueEncoder::bytes_of(ValueTag tag, const char* bytes, size_t length) {
  if (!room(kHeadBytes + length)) return false;
  *at_++ = static_cast<uint8_t>(tag);
  at_ = shm::put_varint(at_, length);
  std::memcpy(at_, bytes, length);
  at_ += length;
  return true;
}

bool ValueEncoder::refuse(const zval* value) {
  refused_.begin(value);
  return false;
}

bool ValueEncoder::is_open(const HashTable* array, int depth) const {
  return std::find(open_, open_ + depth, array) != open_ + depth;
}

bool ValueEncoder::grow(size_t bytes) {
  const size_t used = static_cast<size_t>(at_ - begin_);
  if (used > limit_bytes_ || bytes > limit_bytes_ + kHeadBytes) {
    too_large_ = true;
    return false;
  }
  const size_t had = static_cast<size_t>(end_ - begin_);
  const size_t wanted = std::max({kFirstBytes, 2 * had, used + bytes});
  auto* memory = static_cast<uint8_t*>(std::realloc(begin_, wanted));
  if (memory == nullptr) {
    too_large_ = true;
    return false;
  }
  begin_ = memory;
  at_ = memory + used;
  end_ = memory + wanted;
  return true;
}

}  // namespace oxpool::php
