// Answers as tables.
#pragma once

#include <string>
#include <vector>

#include "daemon/ctl/style.h"
#include "oxpool/admin/v1/admin.pb.h"

namespace oxpool::ctl {

namespace v1 = oxpool::admin::v1;

using Lines = std::vector<std::string>;

// Lines without line ends.
Lines pools_table(const google::protobuf::RepeatedPtrField<v1::Pool>& pools, const Style& style);
Lines counters_table(const google::protobuf::RepeatedPtrField<v1::Pool>& pools, const Style& style);
Lines pool_page(const v1::GetPoolResponse& pool, const Style& style);
Lines holders_table(const v1::ListHoldersResponse& holders, const Style& style);
Lines waiters_table(const v1::ListWaitersResponse& waiters, const Style& style);
Lines processes_table(const v1::ListProcessesResponse& processes, const Style& style);
Lines mutexes_table(const v1::ListMutexesResponse& mutexes, const Style& style);
Lines unfinished_table(const google::protobuf::RepeatedPtrField<v1::Unfinished>& unfinished,
                       const Style& style);

// "open", "paused, opens in 12.0s", "drained" …; an open one without room: "full".
std::string state_text(const v1::Pool& pool);
Tone state_tone(const v1::Pool& pool);
// "PID/LANE", "-" when it is gone.
std::string worker_text(const v1::Worker& worker);
double utilization(const v1::Pool& pool);
// "\"db\" (id 3)"
std::string pool_text(const v1::Pool& pool);

}  // namespace oxpool::ctl
