// What gRPC says, as events of the daemon's log.
#pragma once

namespace oxpool::daemon::admin {

// Before gRPC is used. Its errors are logged three times a minute at most: anybody who can reach
// the port can bring them about.
void take_grpc_log();

}  // namespace oxpool::daemon::admin
