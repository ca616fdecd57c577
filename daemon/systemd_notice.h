// What the service manager is told. Every call does nothing when there is none.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace oxpool::daemon {

void notify_ready();
void notify_reloading();
void notify_stopping();
void notify_status(const std::string& line);
void notify_alive();

// How often notify_alive is to be called: half the time after which the service manager acts.
// Nothing = it does not watch.
std::optional<std::chrono::microseconds> alive_interval();

}  // namespace oxpool::daemon
