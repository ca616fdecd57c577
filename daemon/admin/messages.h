// What is read from segments, as messages.
#pragma once

#include <cstdint>

#include "daemon/mutex_report.h"
#include "daemon/pool_report.h"
#include "daemon/segment_report.h"
#include "oxpool/admin/v1/admin.pb.h"
#include "shm/inspection.h"

namespace oxpool::daemon::admin {

namespace v1 = oxpool::admin::v1;

// `now_ns` is when the report was made; ages are as of then.
void fill(const PoolReport& report, int64_t now_ns, v1::Pool* message);
// Everything but idle_by_worker.
void fill(const PoolReport& report, int64_t now_ns, v1::GetPoolResponse* message);
void fill(const MutexReport& report, int64_t now_ns, v1::Mutex* message);
void fill(const SegmentReport& report, v1::Namespace* message);
void fill(const shm::WorkerName& worker, v1::Worker* message);
void fill(const shm::Holding& holding, int64_t now_ns, v1::Holding* message);
void fill(const shm::Waiting& waiting, int64_t now_ns, v1::Waiting* message);
void fill(const shm::AttachedProcess& process, int64_t now_ns, v1::Process* message);

v1::Gate gate_of(shm::Gate gate);

}  // namespace oxpool::daemon::admin
