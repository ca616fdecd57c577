// A process between two requests, asleep in accept(): what was flagged meanwhile is closed all the
// same, by the handler of a signal that the daemon's byte on the session raises.
#pragma once

#include <span>

#include "client/lane.h"
#include "client/pool.h"

namespace oxpool {

// Only for processes with one thread that uses pools, whose requests come one after the other.
//
// Between begin() and end() nothing else of this library runs on the lane, and no object of a
// request lives: so the handler walks the idle stacks of the pools as it finds them. It only makes
// calls that are async-signal-safe, takes a pool's lock for 2 ms at most, and repairs nothing.
//
// Thread safety: one thread, the lane's, which also runs the handler.
class Sleep {
 public:
  static constexpr int kOff = 0;
  // Pools beyond these are not looked after between requests.
  static constexpr size_t kMostPools = 64;
  // Whether a process can be woken by this signal.
  static bool is_signal(int number);
  // One that neither php-fpm nor pcntl programs use.
  static int usual_signal();

  // The handler stays for the life of the process, in front of what was there. kOff = never asleep.
  static void use_signal(int number);

  // Marks the lane as reachable by its session if any of the pools has an idle slot that can be
  // closed without its objects, and does at once what was asked for until then.
  //
  // `afterwards` (may be null) is called by the handler for each of these pools once it has closed
  // something, with the signal unblocked; it may take its time, and makes only calls that are
  // async-signal-safe.
  using Afterwards = void (*)(Pool& pool);
  static void begin(Lane& lane, std::span<Pool* const> pools, Afterwards afterwards);
  // The lane looks for itself again. What the handler has closed is in Pool::take_reaped().
  // Idempotent.
  static void end();

  // How often the handler ran: a system call that a signal ended was perhaps ended by this one.
  static uint32_t wakes();
};

}  // namespace oxpool
