// Well-behaved workers of another namespace, who must not notice anything.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/child_process.h"
#include "tests/unit/shared_page.h"

namespace oxpool::test {

// Processes that acquire and release at one small pool until the end of the scope, attaching anew
// now and then.
class Neighbours {
 public:
  Neighbours(const std::string& runtime_dir, const std::string& namespace_name);
  ~Neighbours();

  uint64_t acquires() const { return page_->acquires; }
  uint64_t attaches() const { return page_->attaches; }
  // What they saw that they must not see; the first one's words are in complaint().
  uint64_t errors() const { return page_->errors; }
  std::string complaint() const { return page_->complaint; }
  int64_t slowest_acquire_ns() const { return page_->slowest_ns; }
  // Lets them finish; false when one of them did not.
  bool stop();

 private:
  struct Page {
    std::atomic<bool> done{false};
    std::atomic<uint64_t> acquires{0};
    std::atomic<uint64_t> attaches{0};
    std::atomic<uint64_t> errors{0};
    std::atomic<int64_t> out{0};  // units in use at this moment
    std::atomic<int64_t> slowest_ns{0};
    char complaint[512] = {};
  };
  static int work(Page& page, const std::string& runtime_dir, const std::string& name);
  static void use_for_a_while(Page& page, const std::string& runtime_dir, const std::string& name);
  static void complain(Page& page, const std::string& what);

  SharedPage<Page> page_;
  std::vector<std::unique_ptr<ChildProcess>> workers_;
};

}  // namespace oxpool::test
