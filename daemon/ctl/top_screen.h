// What `top` shows, as text: no terminal is needed here.
#pragma once

#include <cstddef>
#include <string>

#include "daemon/ctl/style.h"
#include "oxpool/admin/v1/admin.pb.h"

namespace oxpool::ctl {

namespace v1 = oxpool::admin::v1;

struct TopState {
  v1::PoolsSnapshot now;
  v1::PoolsSnapshot before;      // for rates; none yet when it was never taken
  std::string sort = "waiting";  // waiting, use, rate, name, id
  std::string notice;            // shown instead of the help line
  std::string source;            // which daemon
  bool frozen = false;
};

// The orders in which `s` goes round.
std::string next_sort(const std::string& sort);

// The whole screen: moves home, fills every line to its end, and clears what is below. Nothing of
// it is wider than `columns` or longer than `lines`.
std::string top_screen(const TopState& state, size_t columns, size_t lines, const Style& style);

}  // namespace oxpool::ctl
