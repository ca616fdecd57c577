#include "daemon/burst_limit.h"

#include <chrono>

#include "shm/clock.h"

namespace oxpool::daemon {

namespace {
constexpr std::chrono::seconds kWindow(10);
constexpr int64_t kWindowNs = kWindow.count() * shm::kNanosPerSecond;
constexpr uint32_t kLoggedPerWindow = 20;
}  // namespace

Level BurstLimit::next(const std::string& namespace_name, int64_t now_ns) {
  const auto [entry, is_new] = windows_.try_emplace(namespace_name);
  Window& window = entry->second;
  if (is_new || now_ns - window.since_ns >= kWindowNs) {
    write_rest(namespace_name, window);
    window = {now_ns, 0, 0};
  }
  if (window.logged < kLoggedPerWindow) {
    ++window.logged;
    return Level::kInfo;
  }
  ++window.held_back;
  arm_timer();
  return Level::kDebug;
}

void BurstLimit::sum_up(int64_t now_ns) {
  std::erase_if(windows_, [&](const auto& entry) {
    if (now_ns - entry.second.since_ns < kWindowNs) return false;
    write_rest(entry.first, entry.second);
    return true;
  });
}

void BurstLimit::write_rest(const std::string& namespace_name, const Window& window) const {
  if (window.held_back == 0) return;
  log_event(
      Level::kInfo, std::string("more ") + event_,
      {{"namespace", namespace_name}, {"count", window.held_back}, {"within_s", kWindow.count()}});
}

void BurstLimit::arm_timer() {
  if (armed_) return;
  armed_ = true;
  timer_.expires_after(kWindow);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;  // the program ends
    armed_ = false;
    sum_up(shm::monotonic_ns());
    // Another namespace's time may have begun later.
    for (const auto& entry : windows_) {
      if (entry.second.held_back != 0) return arm_timer();
    }
  });
}

}  // namespace oxpool::daemon
