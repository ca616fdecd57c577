// POOL and NAME as they are typed.
#pragma once

#include <optional>
#include <string>

#include "oxpool/admin/v1/admin.pb.h"

namespace oxpool::ctl {

namespace v1 = oxpool::admin::v1;

// Digits are an id, anything else is a name; "name:" before it forces a name. False: digits that no
// id can have.
template <typename Selector>
bool select(const std::string& text, const std::string& namespace_name, Selector* selector);

extern template bool select(const std::string&, const std::string&, v1::PoolSelector*);
extern template bool select(const std::string&, const std::string&, v1::MutexSelector*);

}  // namespace oxpool::ctl
