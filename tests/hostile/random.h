// Numbers that a seed repeats.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oxpool::test {

// xorshift64*. Thread safety: one thread.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2 + 1) {}

  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1d;
  }
  uint64_t below(uint64_t bound) { return next() % bound; }
  bool one_in(uint64_t turns) { return below(turns) == 0; }

 private:
  uint64_t state_;
};

}  // namespace oxpool::test
