// Names that somebody may have meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace oxpool::daemon::admin {

// How many bytes must be changed, added or left out to get from one to the other.
size_t edit_distance(std::string_view a, std::string_view b);

// Those of `names` that are like `wanted`, the likest first, at most `limit`: few edits away, or
// one contains the other.
std::vector<std::string> near_names(std::string_view wanted, const std::vector<std::string>& names,
                                    size_t limit = 3);

}  // namespace oxpool::daemon::admin
