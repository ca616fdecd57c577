// Answers as JSON for programs: one object, whose keys are those of README.md and stay.
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "oxpool/admin/v1/admin.pb.h"

namespace oxpool::ctl {

namespace v1 = oxpool::admin::v1;

// Names and places that are no UTF-8 have U+FFFD in them, and KEY_base64 beside KEY.
boost::json::object json_of(const v1::Pool& pool);
boost::json::object json_of(const v1::GetPoolResponse& answer);
boost::json::object json_of(const v1::ListHoldersResponse& answer);
boost::json::object json_of(const v1::ListWaitersResponse& answer);
boost::json::object json_of(const v1::ListProcessesResponse& answer);
boost::json::object json_of(const v1::ListMutexesResponse& answer);
boost::json::object json_of(const v1::PoolsSnapshot& snapshot);
boost::json::object json_of(const v1::GetServerInfoResponse& info);
boost::json::array json_of(const google::protobuf::RepeatedPtrField<v1::Pool>& pools);
boost::json::array json_of(const google::protobuf::RepeatedPtrField<v1::Unfinished>& unfinished);

std::string gate_name(v1::Gate gate);  // open, wait, fail, drained

// One line, with its end.
std::string line_of(const boost::json::value& value);

}  // namespace oxpool::ctl
