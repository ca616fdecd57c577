#include "daemon/settings_watch.h"

#include "daemon/event.h"
#include "shm/clock.h"
#include "shm/snapshot.h"

namespace oxpool::daemon {

namespace {

// Of a namespace in which workers come and go for ever, with different settings all the time.
constexpr size_t kMostTold = 10'000;

uint32_t pid_of(const shm::SegmentView& view, uint64_t started_serial) {
  for (uint32_t i = 0; i < view.high_water(shm::kProcessTable); ++i) {
    const shm::ProcessRecord& process = *view.process(i);
    if (process.started_serial.load(std::memory_order_relaxed) == started_serial) {
      return process.pid.load(std::memory_order_relaxed);
    }
  }
  return 0;
}

}  // namespace

SettingsWatch::SettingsWatch()
    : agenda_([](const shm::PoolRecord& pool) {
        return static_cast<int64_t>(pool.disagreed_serial.load(std::memory_order_relaxed));
      }) {}

uint32_t SettingsWatch::run(const NamespaceSegment& segment, int64_t now_ns) {
  if (told_.size() > kMostTold) told_.clear();
  uint32_t told = 0;
  agenda_.run(segment.view(), now_ns, [&](const shm::PoolRecord& pool) {
    const uint64_t serial = pool.disagreed_serial.load(std::memory_order_relaxed);
    if (serial == 0 || !told_.insert(serial).second) return shm::kNoDeadline;
    ++told;
    const shm::PoolSettings& settings = pool.settings;
    log_event(Level::kWarning, "settings differ",
              {{"namespace", segment.name()},
               {"pool", shm::pool_name(pool)},
               {"id", pool.id.load(std::memory_order_relaxed)},
               {"pid", pid_of(segment.view(), serial)},
               {"max_size", settings.max_size.load(std::memory_order_relaxed)},
               {"idle_timeout_ms", settings.idle_timeout_ms.load(std::memory_order_relaxed)},
               {"reason",
                "this process asked for other values than an earlier one; in force are those of "
                "whoever started last"}});
    return shm::kNoDeadline;
  });
  return told;
}

}  // namespace oxpool::daemon
