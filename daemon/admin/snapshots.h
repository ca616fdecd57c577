// One look at all pools, for all who watch them.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "daemon/pool_report.h"
#include "daemon/segment_store.h"
#include "oxpool/admin/v1/admin.pb.h"

namespace oxpool::daemon::admin {

namespace v1 = oxpool::admin::v1;

struct Snapshot {
  int64_t taken_ns = 0;  // CLOCK_MONOTONIC
  v1::PoolsSnapshot message;
  grpc::ByteBuffer encoded;  // of the message; copies share its bytes

  // nullptr when there is no such pool.
  const v1::Pool* find(uint64_t id) const;
};

// Thread safety: any thread.
class Snapshots {
 public:
  explicit Snapshots(const SegmentStore& segments) : segments_(segments) {}

  // The latest one, or a new one when that was taken before `earliest_ns`. Who comes while one is
  // being taken gets that one.
  std::shared_ptr<const Snapshot> get(int64_t earliest_ns);

 private:
  std::shared_ptr<const Snapshot> take() const;

  const SegmentStore& segments_;
  std::mutex mutex_;
  std::shared_ptr<const Snapshot> latest_;
};

grpc::ByteBuffer encode(const v1::PoolsSnapshot& message);

}  // namespace oxpool::daemon::admin
