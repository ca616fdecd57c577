#include "tests/hostile/neighbours.h"

#include <unistd.h>

#include <cstring>

#include "client/resource_pool.h"
#include "tests/unit/worker.h"

namespace oxpool::test {

namespace {
constexpr int kWorkers = 4;
constexpr uint32_t kCap = 2;
constexpr int kUsesPerLife = 2000;
constexpr auto kPatience = std::chrono::seconds(10);
constexpr useconds_t kPauseUs = 200;
}  // namespace

Neighbours::Neighbours(const std::string& runtime_dir, const std::string& namespace_name) {
  for (int i = 0; i < kWorkers; ++i) {
    workers_.push_back(
        std::make_unique<ChildProcess>([&] { return work(*page_, runtime_dir, namespace_name); }));
  }
}

Neighbours::~Neighbours() { stop(); }

bool Neighbours::stop() {
  page_->done = true;
  bool all = true;
  for (auto& worker : workers_) all = worker->wait() == 0 && all;
  workers_.clear();
  return all;
}

int Neighbours::work(Page& page, const std::string& runtime_dir, const std::string& name) {
  while (!page.done) {
    try {
      use_for_a_while(page, runtime_dir, name);
    } catch (const std::exception& error) {
      complain(page, error.what());
      usleep(10'000);
    }
  }
  return 0;
}

void Neighbours::use_for_a_while(Page& page, const std::string& runtime_dir,
                                 const std::string& name) {
  ProcessOptions options;
  options.runtime_dir = runtime_dir;
  options.namespace_name = name;
  options.program = "neighbour";
  options.connect_timeout_ms = 10'000;
  Worker worker(options);
  ++page.attaches;
  ResourcePool<int> pool(worker.lane(), "pool", pool_of(kCap),
                         [] { return std::make_unique<int>(); });
  for (int i = 0; i < kUsesPerLife && !page.done; ++i) {
    const int64_t began_ns = shm::monotonic_ns();
    {
      const auto lease = pool.acquire_for(kPatience);
      const int64_t took_ns = shm::monotonic_ns() - began_ns;
      if (took_ns > page.slowest_ns) page.slowest_ns = took_ns;
      if (page.out.fetch_add(1) + 1 > kCap) complain(page, "more units in use than the cap allows");
      ++page.acquires;
      usleep(kPauseUs);
      --page.out;
    }
    usleep(kPauseUs);
  }
}

void Neighbours::complain(Page& page, const std::string& what) {
  if (page.errors.fetch_add(1) == 0) {
    std::strncpy(page.complaint, what.c_str(), sizeof page.complaint - 1);
  }
}

}  // namespace oxpool::test
