// The segment, its daemon's half, and the workers around a victim.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/acquire.h"
#include "client/lane.h"
#include "client/mutex.h"
#include "client/pool.h"
#include "client/process.h"
#include "shm/burial.h"
#include "tests/unit/handshake_server.h"

namespace oxpool::crash {

// A worker as the client library sees it. `acquire` is a wait under way.
struct Worker {
  Worker(const std::string& runtime_dir, const std::string& pool_name, uint32_t max_size);
  void drop_all();

  std::unique_ptr<Process> process;
  std::unique_ptr<Lane> lane;
  std::unique_ptr<Pool> pool;
  std::unique_ptr<Acquire> acquire;
  std::vector<LocalSlot*> held;
  std::unique_ptr<Mutex> mutex;
  bool in_line = false;  // waits for the mutex by its lane's own ticket, without sleeping

  // Finds or makes the mutex kMutex.
  void open_mutex(const shm::MutexRequest& request);
  // Joins the line of those who want the mutex, and asks for it to be handed over if `asks`.
  void stand_in_line(bool asks);
  // Looks whether it has the mutex by now.
  bool has_mutex();

  // Takes a unit that is free or idle here; false when there is none.
  bool take();
  // Joins the queue and comes back at once. True when it waits there.
  bool join(int64_t timeout_ns = Acquire::kForever);
  // Looks whether the wait was decided; a granted unit is in `held` then.
  bool served();
};

// Made anew for each kill: every byte of the segment as it was, no process attached but the daemon.
class World {
 public:
  static constexpr const char* kMutex = "m";

  World();
  void reset();

  const shm::SegmentView& view() const { return server_.view(); }
  const std::string& runtime_dir() const { return server_.runtime_dir(); }
  Worker& survivor(const std::string& pool_name, uint32_t max_size);
  std::vector<std::unique_ptr<Worker>>& survivors() { return survivors_; }
  shm::PoolRecord& pool(const std::string& name);
  // A worker that has a seat at kMutex.
  Worker& mutex_survivor(const shm::MutexRequest& request);
  // The live mutex kMutex; nullptr when there is none.
  shm::MutexRecord* mutex();

  // What the reaper does once the victim's files are closed: buries every process whose token is
  // gone.
  bool bury_the_dead();

  // What must be true after any death, once the dead are buried. Empty = whole; else what is wrong.
  std::string check();

 private:
  bool is_survivor(uint32_t process) const;
  bool bury(const shm::LockContext& context, uint32_t process);
  std::string check_pool(const shm::PoolRecord& pool) const;
  std::string check_everything_can_be_taken();
  std::string check_mutexes();
  std::string check_mutex_is_usable(shm::MutexRecord& mutex);
  uint32_t survivors_at(const shm::MutexRecord& mutex) const;
  test::HandshakeServer server_;
  std::string lock_path_;
  int daemon_token_ = -1;
  uint64_t daemon_incarnation_ = 0;
  shm::OwnerId daemon_lane_;
  shm::Liveness daemon_liveness_;
  std::vector<char> pristine_;
  std::vector<std::unique_ptr<Worker>> survivors_;
};

}  // namespace oxpool::crash
