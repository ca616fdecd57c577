#include "daemon/daemon.h"

#include <signal.h>
#include <sys/resource.h>

#include <boost/asio/post.hpp>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "daemon/bus_guard.h"
#include "daemon/config_file.h"
#include "daemon/event.h"
#include "daemon/http/api.h"
#include "daemon/http/health.h"
#include "daemon/http/introspection.h"
#include "daemon/http/metrics.h"
#include "daemon/http/page.h"
#include "daemon/log.h"
#include "daemon/refused.h"
#include "daemon/systemd_notice.h"
#include "shm/clock.h"

namespace oxpool::daemon {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kPoolsInterval(100);
constexpr milliseconds kSegmentsInterval(5000);
// Beyond the deadline of a stop, for what is ended by force then.
constexpr milliseconds kLastMoment(1000);
// Every token is asked about once in kSegmentsInterval.
constexpr uint32_t kStepsPerSweep = kSegmentsInterval / kPoolsInterval;

// A session takes two descriptors: its socket and its worker's pidfd.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Within a turn of a segment's making; until then it hands over, as most pools do.
void set_defaults(const shm::SegmentView& view, const Config& config) {
  view.header().default_rebalance.store(static_cast<uint32_t>(config.rebalance),
                                        std::memory_order_relaxed);
  view.header().default_patience_ms.store(config.patience_ms, std::memory_order_relaxed);
  view.header().value_limit_bytes.store(config.limits.value_limit_bytes, std::memory_order_relaxed);
}

Field file_field(const char* key, const std::string& file) {
  return file.empty() ? Field::word(key, "none") : Field(key, file);
}

}  // namespace

Daemon::Daemon(CommandLine command_line, Config config)
    : command_line_(std::move(command_line)),
      config_(std::move(config)),
      io_(1),  // one thread runs it
      signals_(io_),
      directory_(config_.runtime_dir, config_.allow_disk),
      segments_(directory_, config_.limits),
      reaper_(io_, segments_),
      waker_(io_, segments_),
      admission_(config_, segments_),
      sessions_(io_, config_, admission_, reaper_, waker_),
      heartbeat_(std::chrono::nanoseconds(kPoolsInterval).count(), shm::monotonic_ns()),
      preview_allowed_(config_.preview),
      http_(router_, config_.limits.http_connections),
      admin_(io_, segments_, [this] { return facts(); }),
      started_ns_(shm::monotonic_ns()) {
  raise_descriptor_limit();
  BusGuard::install();
  add_http_routes();
  if (config_.http) http_.listen(*config_.http);
  if (command_line_.reset) remove_all_segments(directory_);
  segments_.adopt_all();
  admin_.listen(config_, directory_.admin_socket());
  sessions_.listen(directory_.client_socket());
}

void Daemon::run() {
  every(kPoolsInterval, [this] { look_after_pools(); });
  every(kPoolsInterval, [this] { beat(); });
  every(kSegmentsInterval, [this] { look_after_segments(); });
  if (const auto interval = alive_interval()) every(*interval, notify_alive);
  signals_.listen([this](int number) { on_signal(number); });

  // Those who died while no daemon was there.
  segments_.for_each([this](NamespaceSegment& segment) {
    chores_[segment.serial()].sweep.step(segment, 1, &reaper_);
  });
  log_event(Level::kInfo, "ready",
            {Field::word("version", OXPOOL_VERSION),
             {"runtime_dir", directory_.path()},
             Field::word("http", http_address()),
             {"admin", admin_.address()},
             file_field("config", config_.file)});
  beat();
  if (config_.http) http_.start();
  notify_ready();
  look_after_segments();
  // From here on hellos, ends of sessions and of processes, signals and the chores above come in
  // turn; HTTP requests are answered beside them.
  io_.run();
  log_event(Level::kInfo, "stopped");
}

void Daemon::look_after_pools() {
  const int64_t now_ns = shm::monotonic_ns();
  segments_.for_each([&](NamespaceSegment& segment) {
    Chores& chores = chores_[segment.serial()];
    set_defaults(segment.view(), config_);
    const uint32_t flagged =
        chores.idle.run(segment.view(), now_ns) + chores.rebalance.run(segment.view(), now_ns);
    if (flagged != 0) {
      log_event(Level::kDebug, "idle slots flagged",
                {{"namespace", segment.name()}, {"slots", flagged}});
    }
    chores.leaks.run(segment, now_ns);
    chores.settings.run(segment, now_ns);
    chores.linger.run(segment, config_.linger, now_ns);
    chores.sweep.step(segment, kStepsPerSweep, &reaper_);
    chores.strays.step(segment);
    chores.locks.look(segment.view(), now_ns);
    chores.gates.run(segment.view());
    waker_.look(segment);  // whatever was flagged since the last turn, here or by an operator
  });
}

void Daemon::look_after_segments() {
  segments_.check();
  std::erase_if(chores_,
                [this](const auto& entry) { return segments_.find(entry.first) == nullptr; });
  size_t segments = 0;
  segments_.for_each([&](NamespaceSegment&) { ++segments; });
  std::string status = "namespaces " + std::to_string(segments) + ", sessions " +
                       std::to_string(sessions_.sessions());
  const std::vector<std::string> wrong = troubles();
  for (const std::string& trouble : wrong) status += "; " + trouble;
  if (status != status_) notify_status(status);
  admin_.set_ready(wrong.empty());
  status_ = std::move(status);
}

void Daemon::every(std::chrono::microseconds interval, std::function<void()> chore) {
  boost::asio::steady_timer& timer = timers_.emplace_back(io_);
  // The first argument is the function itself, so that it can wait for the next turn.
  const auto wait = [&timer, interval, chore = std::move(chore)](const auto& self) -> void {
    timer.expires_after(interval);
    timer.async_wait([self, chore](const boost::system::error_code& error) {
      if (error) return;
      chore();
      self(self);
    });
  };
  wait(wait);
}

void Daemon::on_signal(int number) {
  if (stopping_) return;
  if (number == SIGHUP) {
    reload();
  } else {
    log_event(Level::kInfo, "stopping", {Field::word("signal", sigabbrev_np(number))});
    stop();
  }
}

void Daemon::reload() {
  notify_reloading();
  try {
    Config fresh = read_config_or_defaults(command_line_.config_file);
    command_line_.apply_to(&fresh);
    for (const std::string& key : keep_fixed_settings(config_, &fresh)) {
      log_event(Level::kWarning, "configuration key kept",
                {Field::word("key", key), {"reason", "it changes with a restart only"}});
    }
    config_ = std::move(fresh);
    set_log_level(config_.log_level);
    set_log_format(config_.log_format);
    http_.set_max_connections(config_.limits.http_connections);
    preview_allowed_ = config_.preview;
    log_event(Level::kInfo, "configuration reloaded", {file_field("file", config_.file)});
  } catch (const Refused& refused) {
    log_event(Level::kError, "configuration kept as it was, the file was not taken",
              {{"reason", refused.what(), 1000}});
  }
  notify_ready();
}

void Daemon::stop() {
  stopping_ = true;
  notify_stopping();
  sessions_.stop();
  beat();
  const int64_t deadline_ns = shm::deadline_after(
      shm::monotonic_ns(), std::chrono::nanoseconds(config_.limits.shutdown_deadline).count());
  const auto ended = [this] {
    boost::asio::post(io_, [this] {
      if (--listeners_ == 0) io_.stop();
    });
  };
  listeners_ = 2;
  admin_.stop(deadline_ns, ended);
  http_.stop(deadline_ns, ended);
  leave_after(config_.limits.shutdown_deadline + kLastMoment);
}

// gRPC waits by the wall clock in places: when that one jumps back, its threads sleep for as long
// and can not be joined. Nothing is lost by leaving them: what others need lies in the segments.
void Daemon::leave_after(milliseconds time) {
  boost::asio::steady_timer& timer = timers_.emplace_back(io_, time);
  timer.async_wait([](const boost::system::error_code& error) {
    if (error) return;
    log_event(Level::kWarning, "stopped", {{"left_behind", "threads that did not end in time"}});
    std::_Exit(0);
  });
}

void Daemon::beat() {
  heartbeat_.beat(
      {.sessions = sessions_.sessions(), .wakes = waker_.sent(), .troubles = troubles()},
      shm::monotonic_ns());
}

void Daemon::add_http_routes() {
  http::add_health(&router_, heartbeat_);
  http::add_metrics(&router_, segments_, heartbeat_);
  http::add_introspection(&router_, segments_, preview_allowed_);
  http::add_api(&router_, segments_, heartbeat_);
  http::add_page(&router_);
}

std::string Daemon::http_address() const {
  return config_.http ? ListenAddress{config_.http->host, http_.port()}.text() : "off";
}

std::vector<std::string> Daemon::troubles() const {
  std::vector<std::string> sentences = segments_.troubles();
  if (stopping_) sentences.emplace_back("oxpoold is stopping");
  if (!stopping_ && !sessions_.reachable()) {
    sentences.push_back(directory_.client_socket() + " was removed; restart oxpoold");
  }
  if (!stopping_ && !admin_.reachable()) {
    sentences.push_back("the admin socket was removed; restart oxpoold");
  }
  return sentences;
}

admin::Facts Daemon::facts() {
  admin::Facts facts;
  facts.runtime_dir = directory_.path();
  facts.http = http_address();
  facts.troubles = troubles();
  facts.new_segment_bytes = config_.limits.tables.segment_bytes();
  facts.sessions = static_cast<uint32_t>(sessions_.sessions());
  facts.started_ns = started_ns_;
  const int64_t now_ns = shm::monotonic_ns();
  facts.loop_late_ns = heartbeat_.late_ns(now_ns);
  facts.loop_late_max_ns = heartbeat_.worst_ns();
  segments_.for_each([&](NamespaceSegment& segment) {
    for (const FrozenLock& lock : chores_[segment.serial()].locks.frozen()) {
      facts.frozen_locks.push_back({segment.name(), lock.pool, lock.owner.raw, lock.held_ns});
    }
  });
  return facts;
}

}  // namespace oxpool::daemon
