// Percentiles out of the differences between histograms that only grow.

// Of two histograms, each a list of counts; null when they do not belong together (the pool is
// another one, or counts went back).
export function growth(before, after) {
  if (!before || !after || before.length !== after.length) return null;
  const counts = after.map((value, index) => value - before[index]);
  return counts.some((value) => value < 0) ? null : counts;
}

// The value below which `share` of the observations lies, as Prometheus estimates it: evenly spread
// within a bucket, the highest bound for what is beyond it. null without observations.
export function quantile(share, bounds, counts) {
  if (!counts) return null;
  const total = counts.reduce((sum, value) => sum + value, 0);
  if (total === 0) return null;
  const rank = share * total;
  let below = 0;
  for (let bucket = 0; bucket < bounds.length; ++bucket) {
    const here = counts[bucket];
    if (here > 0 && below + here >= rank) {
      const low = bucket === 0 ? 0 : bounds[bucket - 1];
      return low + (bounds[bucket] - low) * ((rank - below) / here);
    }
    below += here;
  }
  return bounds[bounds.length - 1];
}
