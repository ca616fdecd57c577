#include "daemon/admin/near_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace oxpool::daemon::admin {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::vector<std::string> near_names(std::string_view wanted, const std::vector<std::string>& names,
                                    size_t limit) {
  constexpr size_t kShortest = 3;  // everything contains a letter or two
  std::vector<std::pair<size_t, std::string>> found;
  for (const std::string& name : names) {
    const bool contained = (wanted.size() >= kShortest && name.find(wanted) != name.npos) ||
                           (name.size() >= kShortest && wanted.find(name) != wanted.npos);
    const size_t distance = edit_distance(wanted, name);
    const size_t longest = std::max(wanted.size(), name.size());
    if (contained || distance <= std::max<size_t>(1, longest / 4)) {
      found.emplace_back(distance, name);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> result;
  for (auto& [distance, name] : found) {
    if (result.size() == limit) break;
    result.push_back(std::move(name));
  }
  return result;
}

}  // namespace oxpool::daemon::admin
