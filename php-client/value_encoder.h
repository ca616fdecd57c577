// PHP values as bytes: shm/value_format.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine.h"
#include "refused_value.h"
#include "shm/value_format.h"

namespace oxpool::php {

enum class Encoded {
  kOk,
  kNonSerialisable,  // refused() says what and where
  kTooLarge,
};

// Its memory is used again for the next value. Takes no PHP memory and runs no PHP code, so nothing
// jumps out of it. Thread safety: one thread, the worker's.
class ValueEncoder {
 public:
  ValueEncoder() = default;
  ~ValueEncoder();
  ValueEncoder(const ValueEncoder&) = delete;
  ValueEncoder& operator=(const ValueEncoder&) = delete;

  // Gives up as soon as there are more than `limit_bytes`.
  Encoded encode(const zval* value, size_t limit_bytes);
  // Of the last encode() that was kOk.
  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(begin_), static_cast<size_t>(at_ - begin_)};
  }
  // Nothing in it is a reference, which others could write through, or an object.
  bool plain() const { return plain_; }
  const RefusedValue& refused() const { return refused_; }

 private:
  bool value(const zval* value, int depth);
  bool array(const HashTable* array, int depth);
  bool elements(const HashTable* array, int depth, zend_long* next_index);
  bool object(const zval* value);
  bool bytes_of(shm::ValueTag tag, const char* bytes, size_t length);
  bool refuse(const zval* value);
  bool is_open(const HashTable* array, int depth) const;
  // Room for so many bytes at at_.
  bool room(size_t bytes) {
    return EXPECTED(static_cast<size_t>(end_ - at_) >= bytes) || grow(bytes);
  }
  bool grow(size_t bytes);
  // There is room for it.
  void put_int(int64_t value) {
    *at_++ = static_cast<uint8_t>(shm::ValueTag::kInt);
    at_ = shm::put_varint(at_, shm::zigzag(value));
  }

  // A tag and a varint.
  static constexpr size_t kHeadBytes = 1 + shm::kMaxVarintBytes;

  uint8_t* begin_ = nullptr;
  uint8_t* at_ = nullptr;
  uint8_t* end_ = nullptr;
  size_t limit_bytes_ = 0;
  bool plain_ = true;
  bool too_large_ = false;
  RefusedValue refused_;
  const HashTable* open_[shm::kMaxValueDepth];  // the arrays that the walk is inside of
};

}  // namespace oxpool::php
