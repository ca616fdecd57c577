// An oxpoold for the duration of the benchmarks, in a directory of its own on tmpfs.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "client/lane.h"
#include "client/pool.h"
#include "client/process.h"

namespace oxpool::bench {

class BenchDaemon {
 public:
  // The one of this run; started at first use, ended at exit. Ends the program with a sentence when
  // oxpoold, which lies beside this program, does not come up.
  static BenchDaemon& instance();
  ~BenchDaemon();

  const std::string& runtime_dir() const { return runtime_dir_; }
  pid_t pid() const { return pid_; }
  uint16_t http_port() const { return http_port_; }
  // Namespaces that this user may use beside its own: "bench_0" and so on.
  static constexpr uint32_t kNamespaces = 8;

 private:
  BenchDaemon();
  std::string runtime_dir_;
  uint16_t http_port_ = 0;
  pid_t pid_ = -1;
  pid_t owner_ = -1;
};

// One attached worker with a lane and a seat at pool `name`. Ends the program when that fails.
struct Worker {
  Worker(const std::string& name, const shm::PoolRequest& request);
  // In a namespace other than this user's own.
  Worker(const std::string& namespace_name, const std::string& name,
         const shm::PoolRequest& request);
  Worker(Process& process, const std::string& name, const shm::PoolRequest& request);

  std::unique_ptr<Process> own_process;
  std::unique_ptr<Lane> lane;
  std::unique_ptr<Pool> pool;

 private:
  void open(Process& process, const std::string& name, const shm::PoolRequest& request);
};

// Acquires without a factory: a granted unit is in use at once. Waits without limit.
LocalSlot& acquire_bare(Pool& pool);
// Releases; a unit that is to be closed is free at once.
void release_bare(Pool& pool, LocalSlot& slot);

}  // namespace oxpool::bench
