// What is wrong, judged from what the daemon told: no questions are asked here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "oxpool/admin/v1/admin.pb.h"

namespace oxpool::ctl {

namespace v1 = oxpool::admin::v1;

// One look at the daemon.
struct Look {
  v1::GetServerInfoResponse info;
  std::vector<v1::Pool> pools;
  std::vector<v1::Mutex> mutexes;
  std::map<uint64_t, v1::ListHoldersResponse> holders;  // of pools that have something to explain
};

// Two looks; what is only momentary is in one of them.
struct Evidence {
  Look first;
  Look second;
  uint64_t between_ms = 1000;
};

struct Finding {
  std::string code;      // stable, for programs: README.md lists them
  std::string sentence;  // what, how much, and the way out
  uint64_t pool_id = 0;  // 0 = of no pool
  uint64_t mutex_id = 0;
};

// Empty = healthy. The gravest kinds first.
std::vector<Finding> findings(const Evidence& evidence);

// Whether who holds a pool's slots is needed to explain its state.
bool wants_holders(const v1::Pool& pool);

}  // namespace oxpool::ctl
