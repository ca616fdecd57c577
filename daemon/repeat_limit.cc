#include "daemon/repeat_limit.h"

#include <utility>

#include "shm/clock.h"

namespace oxpool::daemon {

namespace {
constexpr int64_t kWindowNs = 60 * shm::kNanosPerSecond;
constexpr uint32_t kLoggedPerWindow = 3;
constexpr size_t kMaxKinds = 256;  // whoever invents kinds costs us counts, not memory
}  // namespace

RepeatLimit::Decision RepeatLimit::note(const std::string& kind, int64_t now_ns) {
  if (windows_.size() >= kMaxKinds && windows_.find(kind) == windows_.end()) windows_.clear();
  auto [entry, is_new] = windows_.try_emplace(kind);
  Window& window = entry->second;
  if (is_new || now_ns - window.since_ns >= kWindowNs) {
    window.since_ns = now_ns;
    window.logged = 0;
  }
  if (window.logged == kLoggedPerWindow) {
    ++window.held_back;
    return {};
  }
  ++window.logged;
  return {true, std::exchange(window.held_back, 0)};
}

}  // namespace oxpool::daemon
