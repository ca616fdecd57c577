// Memory that a test shares with the processes it forks.
#pragma once

#include <sys/mman.h>

#include <new>

namespace oxpool::test {

// One T, zeroed, shared with every child forked afterwards. T is made of atomics and plain numbers.
template <typename T>
class SharedPage {
 public:
  SharedPage() {
    void* page =
        mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::bad_alloc();
    value_ = new (page) T();
  }
  ~SharedPage() { munmap(value_, sizeof(T)); }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;

  T& operator*() const { return *value_; }
  T* operator->() const { return value_; }

 private:
  T* value_;
};

}  // namespace oxpool::test
