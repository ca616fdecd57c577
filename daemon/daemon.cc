#include "daemon/daemon.h"

#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <cstring>
#include <utility>

#include "daemon/bus_guard.h"
#include "daemon/config_file.h"
#include "daemon/http/health.h"
#include "daemon/log.h"
#include "daemon/refused.h"
#include "daemon/systemd_notice.h"
#include "shm/clock.h"

namespace oxpool::daemon {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kPoolsInterval(100);
constexpr milliseconds kSegmentsInterval(5000);
// Every token is asked about once in kSegmentsInterval.
constexpr uint32_t kStepsPerSweep = kSegmentsInterval / kPoolsInterval;
constexpr milliseconds kStopInterval(10);

// A session takes two descriptors: its socket and its worker's pidfd.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
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
      admission_(config_, segments_),
      sessions_(io_, config_, admission_, reaper_),
      http_(io_, router_, config_.limits.http_connections) {
  raise_descriptor_limit();
  BusGuard::install();
  http::add_health(&router_, [this] { return troubles(); });
  if (config_.http) http_.listen(*config_.http);
  if (command_line_.reset) remove_all_segments(directory_);
  segments_.adopt_all();
  sessions_.listen(directory_.client_socket());
}

void Daemon::run() {
  every(kPoolsInterval, [this] { look_after_pools(); });
  every(kSegmentsInterval, [this] { look_after_segments(); });
  if (const auto interval = alive_interval()) every(*interval, notify_alive);
  signals_.listen([this](int number) { on_signal(number); });

  // Those who died while no daemon was there.
  segments_.for_each([this](NamespaceSegment& segment) {
    chores_[segment.serial()].sweep.step(segment, 1, &reaper_);
  });
  spdlog::info("ready version=" OXPOOL_VERSION " runtime_dir={} http={} config={}",
               quote(directory_.path()), http_address(),
               config_.file.empty() ? "none" : quote(config_.file));
  notify_ready();
  look_after_segments();
  // From here on hellos, ends of sessions and of processes, HTTP requests, signals and the chores
  // above come in turn.
  io_.run();
  spdlog::info("stopped");
}

void Daemon::look_after_pools() {
  const int64_t now_ns = shm::monotonic_ns();
  segments_.for_each([&](NamespaceSegment& segment) {
    Chores& chores = chores_[segment.serial()];
    const uint32_t flagged = chores.idle.run(segment.view(), now_ns);
    if (flagged != 0) {
      spdlog::debug("idle slots flagged namespace={} slots={}", quote(segment.name()), flagged);
    }
    chores.linger.run(segment, config_.linger, now_ns);
    chores.sweep.step(segment, kStepsPerSweep, &reaper_);
    chores.strays.step(segment);
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
  for (const std::string& trouble : troubles()) status += "; " + trouble;
  if (status != status_) notify_status(status);
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
    spdlog::info("stopping signal={}", sigabbrev_np(number));
    stop();
  }
}

void Daemon::reload() {
  notify_reloading();
  try {
    Config fresh = read_config_or_defaults(command_line_.config_file);
    command_line_.apply_to(&fresh);
    for (const std::string& key : keep_fixed_settings(config_, &fresh)) {
      spdlog::warn("configuration key kept key={} reason=\"it changes with a restart only\"", key);
    }
    config_ = std::move(fresh);
    set_log_level(config_.log_level);
    spdlog::info("configuration reloaded file={}",
                 config_.file.empty() ? "none" : quote(config_.file));
  } catch (const Refused& refused) {
    spdlog::error("configuration kept as it was, the file was not taken reason={}",
                  quote(refused.what(), 1000));
  }
  notify_ready();
}

void Daemon::stop() {
  stopping_ = true;
  notify_stopping();
  sessions_.stop();
  http_.stop();
  stop_when_answers_are_out(shm::deadline_after(
      shm::monotonic_ns(), std::chrono::nanoseconds(config_.limits.shutdown_deadline).count()));
}

void Daemon::stop_when_answers_are_out(int64_t deadline_ns) {
  if (http_.connections() == 0 || shm::monotonic_ns() >= deadline_ns) {
    io_.stop();
    return;
  }
  auto& timer = timers_.emplace_back(io_, kStopInterval);
  timer.async_wait([this, deadline_ns](const boost::system::error_code&) {
    stop_when_answers_are_out(deadline_ns);
  });
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
  return sentences;
}

}  // namespace oxpool::daemon
