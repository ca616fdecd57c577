// The daemon: its parts, its loop, its end.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon/admin/server.h"
#include "daemon/admission.h"
#include "daemon/command_line.h"
#include "daemon/config.h"
#include "daemon/gate_watch.h"
#include "daemon/heartbeat.h"
#include "daemon/http/router.h"
#include "daemon/http/service.h"
#include "daemon/idle_scheduler.h"
#include "daemon/leak_watch.h"
#include "daemon/linger.h"
#include "daemon/lock_watch.h"
#include "daemon/reaper.h"
#include "daemon/rebalancer.h"
#include "daemon/runtime_dir.h"
#include "daemon/segment_store.h"
#include "daemon/session_server.h"
#include "daemon/settings_watch.h"
#include "daemon/signals.h"
#include "daemon/stray_net.h"
#include "daemon/token_sweep.h"
#include "daemon/waker.h"

namespace oxpool::daemon {

// Everything happens on the thread that calls run(), one thing after the other, but for HTTP
// requests: they are answered on a thread of their own, which reads what others may read.
class Daemon {
 public:
  // Claims the runtime directory, takes over its segments, opens the listeners. Throws Refused.
  // `config` has the command line applied to it already. Signals are blocked (signals.h).
  Daemon(CommandLine command_line, Config config);

  // Serves until SIGTERM or SIGINT. Segments and pools stay as they are: workers go on.
  void run();

 private:
  // What is done for one segment, a little at a time.
  struct Chores {
    IdleScheduler idle;
    Rebalancer rebalance;
    LeakWatch leaks;
    SettingsWatch settings;
    Linger linger;
    TokenSweep sweep;
    StrayNet strays;
    LockWatch locks;
    GateWatch gates;
  };

  void every(std::chrono::microseconds interval, std::function<void()> chore);
  void look_after_pools();
  void look_after_segments();
  void on_signal(int number);
  void reload();
  void stop();
  void leave_after(std::chrono::milliseconds time);
  void beat();
  void add_http_routes();
  admin::Facts facts();
  std::string http_address() const;  // with the real port, after port 0
  std::vector<std::string> troubles() const;

  const CommandLine command_line_;
  Config config_;
  boost::asio::io_context io_;
  Signals signals_;
  RuntimeDir directory_;
  SegmentStore segments_;
  Reaper reaper_;
  Waker waker_;
  Admission admission_;
  SessionServer sessions_;
  http::Router router_;
  Heartbeat heartbeat_;
  std::atomic<bool> preview_allowed_;
  http::Service http_;  // before everything that its handlers read is gone, it has ended
  admin::Server admin_;
  std::unordered_map<uint32_t, Chores> chores_;  // by NamespaceSegment::serial
  int listeners_ = 0;                            // that have not ended yet, at the end
  const int64_t started_ns_;
  std::list<boost::asio::steady_timer> timers_;
  std::string status_;
  bool stopping_ = false;
};

}  // namespace oxpool::daemon
