#include "daemon/http/quantile.h"

#include <numeric>

namespace oxpool::daemon::http {

double quantile(double share, const int64_t* bounds, size_t bound_count, const uint64_t* counts) {
  const uint64_t all = std::accumulate(counts, counts + bound_count + 1, uint64_t{0});
  if (all == 0) return 0;
  const double rank = share * static_cast<double>(all);
  uint64_t below = 0;
  for (size_t i = 0; i < bound_count; ++i) {
    if (counts[i] != 0 && static_cast<double>(below + counts[i]) >= rank) {
      const double from = i == 0 ? 0 : static_cast<double>(bounds[i - 1]);
      const double part = (rank - static_cast<double>(below)) / static_cast<double>(counts[i]);
      return from + (static_cast<double>(bounds[i]) - from) * part;
    }
    below += counts[i];
  }
  return static_cast<double>(bounds[bound_count - 1]);
}

}  // namespace oxpool::daemon::http
