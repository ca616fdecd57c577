// Where the daemon is asked.
#pragma once

#include <chrono>
#include <string>

#include "daemon/ctl/failure.h"

namespace oxpool::ctl {

// "unix:PATH", not HOST:PORT.
bool is_socket(const std::string& target);

// Whether somebody listens at a socket, looked at before gRPC does, which says less. Waits at most
// `timeout` (0 = for ever) for one who is too busy to accept.
Failure look_at_target(const std::string& target, std::chrono::milliseconds timeout);

}  // namespace oxpool::ctl
