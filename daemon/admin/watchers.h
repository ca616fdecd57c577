// The streams of WatchPools.
#pragma once

#include <grpcpp/support/server_callback.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "daemon/admin/snapshots.h"

namespace oxpool::daemon::admin {

class Watcher;

// All streams that are open. Those of one interval come at the same instants, so that they share a
// snapshot; the stream's next one is not taken before the last was sent.
//
// Thread safety: any thread.
class Watchers {
 public:
  static constexpr size_t kMost = 512;

  explicit Watchers(const SegmentStore& segments) : snapshots_(segments) {}
  ~Watchers();

  // `pool_id` 0: all pools. gRPC owns the result.
  grpc::ServerWriteReactor<grpc::ByteBuffer>* open(uint64_t pool_id, int64_t interval_ns);
  size_t count() const;

  // Ends all of them as UNAVAILABLE; those that come later too.
  void close();

 private:
  friend class Watcher;
  void forget(Watcher* watcher);

  Snapshots snapshots_;
  mutable std::mutex mutex_;
  std::condition_variable gone_;
  std::set<Watcher*> open_;
  bool closed_ = false;
};

// A stream that ends at once with a status.
grpc::ServerWriteReactor<grpc::ByteBuffer>* refused_stream(grpc::Status status);

}  // namespace oxpool::daemon::admin
