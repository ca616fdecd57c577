#include "tests/hostile/newcomer.h"

#include "client/resource_pool.h"
#include "tests/unit/worker.h"

namespace oxpool::test {

std::string why_not_usable(const std::string& runtime_dir, const std::string& namespace_name) {
  try {
    ProcessOptions options;
    options.runtime_dir = runtime_dir;
    options.namespace_name = namespace_name;
    options.connect_timeout_ms = 10'000;
    Worker worker(options);
    ResourcePool<int> pool(worker.lane(), "afterwards", pool_of(2),
                           [] { return std::make_unique<int>(); });
    const auto one = pool.acquire_for(std::chrono::seconds(1));
    const auto two = pool.acquire_for(std::chrono::seconds(1));
    return pool.try_acquire() ? "a pool of two units gave a third one" : "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace oxpool::test
