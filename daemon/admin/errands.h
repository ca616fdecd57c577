// Calls that need the daemon's main thread.
#pragma once

#include <grpcpp/support/status.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

namespace oxpool::daemon::admin {

// What one call has done on the main thread.
struct Errand {
  // Called on the main thread, again and again until it gives a status. `last`: its time is over,
  // so it gives one now.
  std::function<std::optional<grpc::Status>(bool last)> step;
  // Whether the caller went away; then nothing more is done for it.
  std::function<bool()> abandoned;
  // Called once, with the status; on the main thread, or by add().
  std::function<void(grpc::Status)> finish;
  // Of CLOCK_MONOTONIC. A step is not begun for the first time after that.
  int64_t deadline_ns = 0;
};

// Runs errands one after the other; those that wait for something are asked again every kInterval.
//
// Invariant: every errand is finished once, at the latest by close().
//
// Thread safety: add() from any thread, the rest from the thread that runs the io_context.
class Errands {
 public:
  static constexpr std::chrono::milliseconds kInterval{20};
  static constexpr size_t kMost = 512;  // at a time

  explicit Errands(boost::asio::io_context& io) : io_(io), timer_(io) {}

  // Errors given to finish(): RESOURCE_EXHAUSTED, UNAVAILABLE (after close()), CANCELLED and
  // DEADLINE_EXCEEDED (before the first step).
  void add(Errand errand);

  // Ends those that wait as UNAVAILABLE; those that come later too.
  void close();

 private:
  void take_in();
  void begin(Errand errand);
  void ask_again();
  void ask_again_later();

  boost::asio::io_context& io_;
  boost::asio::steady_timer timer_;
  std::list<Errand> waiting_;
  bool timer_runs_ = false;

  std::mutex mutex_;  // guards what follows
  std::vector<Errand> incoming_;
  size_t count_ = 0;  // of all that are not finished
  bool closed_ = false;
};

}  // namespace oxpool::daemon::admin
