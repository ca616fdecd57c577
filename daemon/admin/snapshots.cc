#include "daemon/admin/snapshots.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "daemon/admin/messages.h"
#include "daemon/host_report.h"

namespace oxpool::daemon::admin {

grpc::ByteBuffer encode(const v1::PoolsSnapshot& message) {
  const std::string bytes = message.SerializeAsString();
  grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

const v1::Pool* Snapshot::find(uint64_t id) const {
  const auto& pools = message.pools();
  const auto found =
      std::lower_bound(pools.begin(), pools.end(), id,
                       [](const v1::Pool& pool, uint64_t i) { return pool.id() < i; });
  return found != pools.end() && found->id() == id ? &*found : nullptr;
}

std::shared_ptr<const Snapshot> Snapshots::get(int64_t earliest_ns) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (latest_ == nullptr || latest_->taken_ns < earliest_ns) latest_ = take();
  return latest_;
}

std::shared_ptr<const Snapshot> Snapshots::take() const {
  auto snapshot = std::make_shared<Snapshot>();
  const HostReport report = report_host(segments_);
  const int64_t now_ns = report.now_ns;
  snapshot->taken_ns = now_ns;
  v1::PoolsSnapshot& message = snapshot->message;
  message.set_taken_unix_ms(
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                std::chrono::system_clock::now().time_since_epoch())
                                .count()));
  message.set_taken_us(static_cast<uint64_t>(now_ns / 1000));
  for (const PoolReport& pool : report.pools) fill(pool, now_ns, message.add_pools());
  snapshot->encoded = encode(message);
  return snapshot;
}

}  // namespace oxpool::daemon::admin
