// A C++ worker that shares a host-wide cap of 4 with every other process of this example.
//   example_cpp_worker /run/oxpool
#include <cstdio>
#include <memory>

#include "client/resource_pool.h"

namespace {
struct Connection {
  int queries = 0;
};
}  // namespace

int main(int argc, char** argv) {
  oxpool::ProcessOptions options;
  if (argc > 1) options.runtime_dir = argv[1];
  options.program = "example_cpp_worker";

  std::unique_ptr<oxpool::Process> process;
  if (oxpool::Error error = oxpool::Process::attach(options, &process)) {
    std::fprintf(stderr, "%s\n", error.message.c_str());
    return 1;
  }
  std::unique_ptr<oxpool::Lane> lane;
  if (oxpool::Error error = oxpool::Lane::open(*process, &lane)) {
    std::fprintf(stderr, "%s\n", error.message.c_str());
    return 1;
  }
  try {
    oxpool::shm::PoolRequest request;
    request.max_size = 4;
    oxpool::ResourcePool<Connection> pool(*lane, "example", request,
                                          [] { return std::make_unique<Connection>(); });
    for (int i = 0; i < 3; ++i) {
      auto connection = pool.acquire_for(std::chrono::seconds(1));
      ++connection->queries;
      std::printf("query %d on this connection\n", connection->queries);
    }
  } catch (const oxpool::PoolError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
