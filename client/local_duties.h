// What a daemon does for its workers, done by one that has none.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "client/local_host.h"
#include "shm/owner_id.h"

namespace oxpool {

// Flags the idle slots that are overdue, whoever's they are, and buries the dead.
//
// Thread safety: one thread, the lane's.
class LocalDuties {
 public:
  explicit LocalDuties(std::shared_ptr<LocalHost> host) : host_(std::move(host)) {}

  // Does what is due, at most ten times a second: else it costs a look at the clock. Takes locks of
  // the segment when there is somebody to bury; runs no code of the caller's.
  void run();

 private:
  struct Suspect {
    shm::OwnerId life;
    int64_t since_ns;
  };

  void flag_overdue_slots(int64_t now_ns);
  void bury_the_dead(int64_t now_ns);

  const std::shared_ptr<LocalHost> host_;
  int64_t next_ns_ = 0;
  std::vector<Suspect> suspects_;  // seen dead in the last look
};

}  // namespace oxpool
