// Keeps a client that is refused over and over from filling the log.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace oxpool::daemon {

// Lets the first few events of a kind through in every minute and counts the others.
//
// Thread safety: none; one thread.
class RepeatLimit {
 public:
  struct Decision {
    bool log = false;
    uint64_t held_back = 0;  // events of this kind that were not logged since the last one that was
  };

  // `kind` says what makes two events the same, for instance the reason and the uid.
  Decision note(const std::string& kind, int64_t now_ns);

 private:
  struct Window {
    int64_t since_ns = 0;
    uint32_t logged = 0;
    uint64_t held_back = 0;
  };
  std::unordered_map<std::string, Window> windows_;
};

}  // namespace oxpool::daemon
