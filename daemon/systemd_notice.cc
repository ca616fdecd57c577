#include "daemon/systemd_notice.h"

#include <systemd/sd-daemon.h>

#include "shm/clock.h"

namespace oxpool::daemon {

namespace {
void notify(const std::string& state) { sd_notify(0, state.c_str()); }
}  // namespace

void notify_ready() { notify("READY=1"); }

void notify_reloading() {
  // The time tells the service manager which READY=1 belongs to this reload.
  notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(shm::monotonic_ns() / 1000));
}

void notify_stopping() { notify("STOPPING=1"); }
void notify_status(const std::string& line) { notify("STATUS=" + line); }
void notify_alive() { notify("WATCHDOG=1"); }

std::optional<std::chrono::microseconds> alive_interval() {
  uint64_t limit_us = 0;
  if (sd_watchdog_enabled(0, &limit_us) <= 0 || limit_us == 0) return std::nullopt;
  return std::chrono::microseconds(limit_us / 2);
}

}  // namespace oxpool::daemon
