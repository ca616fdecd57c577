// Two threads that go on at the same moment, as nearly as can be.
#pragma once

#include <atomic>
#include <thread>

namespace oxpool::test {

class Rendezvous {
 public:
  // Returns once the other thread has come, too.
  void meet() {
    const int round = round_;
    if (arrived_.fetch_add(1) == 1) {
      arrived_ = 0;
      ++round_;
      return;
    }
    // Yielding costs the simultaneity; where both share one processor it is needed.
    for (int turn = 0; round_ == round; ++turn) {
      if (turn > kSpins) std::this_thread::yield();
    }
  }

 private:
  static constexpr int kSpins = 2000;
  std::atomic<int> arrived_{0};
  std::atomic<int> round_{0};
};

}  // namespace oxpool::test
