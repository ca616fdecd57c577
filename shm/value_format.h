// How the value of a mutex lies in its bytes: written and read by workers, shown by the daemon.
//
//   value   tag, then what belongs to it:
//     0 null · 1 false · 2 true
//     3 int      varint of the zigzag form
//     4 float    8 bytes as they lie in memory: all bits of NaN and -0.0, too
//     5 string   varint length, that many bytes of anything
//     6 list     varint count, that many values; their keys are 0, 1, 2, …
//     7 map      varint count, that many pairs of key (an int or a string, with its tag) and value
//     8 ahead    as a map, then the index that the next appended value gets, as the int of tag 3
//                has it: where that is not the one that follows from the keys
//     9 mutex    varint length, that many bytes: the name of another mutex
//
//   varint  7 bits a byte, the lowest first; the top bit says that another byte follows
//   zigzag  0, -1, 1, -2, … as 0, 1, 2, 3, …: small numbers are short, whatever their sign
//
// What is read was written by somebody else: every length and count is checked against what is
// left, and nesting ends at kMaxValueDepth.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace oxpool::shm {

enum class ValueTag : uint8_t {
  kNull = 0,
  kFalse = 1,
  kTrue = 2,
  kInt = 3,
  kFloat = 4,
  kString = 5,
  kList = 6,
  kMap = 7,
  kMapAhead = 8,
  kMutex = 9,
};

inline constexpr int kMaxValueDepth = 128;  // of arrays in arrays
inline constexpr uint32_t kMaxVarintBytes = 10;

constexpr uint64_t zigzag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1 ^ (0 - (value & 1)));
}

// Writes at most kMaxVarintBytes; returns where to go on.
inline uint8_t* put_varint(uint8_t* to, uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<uint8_t>(value);
  return to;
}

// A value up to its elements. Which fields count depends on the tag.
struct ValueHead {
  ValueTag tag;
  int64_t integer;         // kInt
  double real;             // kFloat
  std::string_view bytes;  // kString, kMutex: into what is read
  uint32_t count;          // kList, kMap, kMapAhead: of elements, which follow
};

// Reads bytes that nobody vouches for. Each method returns false, and is not to be called again,
// where they are no value.
class ValueReader {
 public:
  explicit ValueReader(std::string_view bytes)
      : at_(reinterpret_cast<const uint8_t*>(bytes.data())), end_(at_ + bytes.size()) {}

  // The next value; what is inside an array is read after it.
  bool head(ValueHead* head) {
    if (at_ == end_) return false;
    head->tag = static_cast<ValueTag>(*at_++);
    switch (head->tag) {
      case ValueTag::kNull:
      case ValueTag::kFalse:
      case ValueTag::kTrue:
        return true;
      case ValueTag::kInt:
        return integer(&head->integer);
      case ValueTag::kFloat:
        if (left() < sizeof head->real) return false;
        std::memcpy(&head->real, at_, sizeof head->real);
        at_ += sizeof head->real;
        return true;
      case ValueTag::kString:
      case ValueTag::kMutex:
        return bytes(&head->bytes);
      case ValueTag::kList:
        return count(1, &head->count);
      case ValueTag::kMap:
      case ValueTag::kMapAhead:
        return count(3, &head->count);
    }
    return false;
  }

  // The key of an element of a map: kInt or kString.
  bool key(ValueHead* head) {
    return this->head(head) && (head->tag == ValueTag::kInt || head->tag == ValueTag::kString);
  }

  // What follows the elements of kMapAhead.
  bool integer(int64_t* value) {
    uint64_t raw;
    if (!varint(&raw)) return false;
    *value = unzigzag(raw);
    return true;
  }

  bool at_end() const { return at_ == end_; }

 private:
  size_t left() const { return static_cast<size_t>(end_ - at_); }

  bool varint(uint64_t* value) {
    uint64_t result = 0;
    for (int shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const uint64_t byte = *at_++;
      if (shift == 63 && byte > 1) return false;  // more than 64 bits
      result |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        *value = result;
        return true;
      }
    }
    return false;
  }

  bool bytes(std::string_view* bytes) {
    uint64_t length;
    if (!varint(&length) || length > left()) return false;
    *bytes = {reinterpret_cast<const char*>(at_), static_cast<size_t>(length)};
    at_ += length;
    return true;
  }

  bool count(size_t least_bytes_each, uint32_t* count) {
    uint64_t value;
    if (!varint(&value) || value > left() / least_bytes_each || value > UINT32_MAX) return false;
    *count = static_cast<uint32_t>(value);
    return true;
  }

  const uint8_t* at_;
  const uint8_t* end_;
};

// Whether the bytes are one value and nothing else.
bool value_is_whole(std::string_view bytes);

}  // namespace oxpool::shm
