// What the page saw of a pool over the last minutes. It lives in this page only: reloading begins anew.

import {growth, quantile} from './percentiles.js';

const KEPT = 600; // samples: ten minutes at one a second
const WINDOW_MS = 10_000; // of rates and of the percentiles in the tiles

export const SHARES = [0.5, 0.95, 0.99];

export class History {
  constructor() {
    // Columns of equal length, as the plots take them; null = not known then.
    this.columns = {time: [], inUse: [], idle: [], waiting: [], cap: [], p50: [], p95: [], p99: [], oldest: []};
    this.recent = []; // {ms, counters, wait, hold} of the last WINDOW_MS
  }

  // `pool` as the daemon tells it, at `ms` of this page's clock.
  add(ms, pool) {
    const before = this.recent.at(-1);
    const waits = before ? growth(before.wait.buckets, pool.wait.buckets) : null;
    const [p50, p95, p99] = SHARES.map((share) => quantile(share, pool.wait.bounds_ms, waits));
    this.#push({
      time: ms / 1000,
      inUse: pool.in_use,
      idle: pool.idle,
      waiting: pool.waiting,
      cap: pool.max_size,
      p50,
      p95,
      p99,
      oldest: pool.oldest_wait_ms,
    });
    this.recent.push({ms, counters: pool.counters, wait: pool.wait, hold: pool.hold});
    while (this.recent.length > 2 && this.recent[1].ms <= ms - WINDOW_MS) this.recent.shift();
  }

  // Nothing is known between then and now: the lines are interrupted.
  addGap(ms) {
    if (this.columns.time.length === 0) return;
    const nothing = Object.fromEntries(Object.keys(this.columns).map((name) => [name, null]));
    this.#push({...nothing, time: ms / 1000});
    this.recent = [];
  }

  // How much `read(counters)` grew a second lately; null = not known yet.
  rate(read) {
    const [first, last] = [this.recent[0], this.recent.at(-1)];
    if (!first || first === last) return null;
    const grown = read(last.counters) - read(first.counters);
    return grown < 0 ? null : (grown * 1000) / (last.ms - first.ms);
  }

  // Of 'wait' or 'hold' lately, in ms; null = nothing happened.
  percentile(which, share) {
    const [first, last] = [this.recent[0], this.recent.at(-1)];
    if (!first || first === last) return null;
    return quantile(share, last[which].bounds_ms, growth(first[which].buckets, last[which].buckets));
  }

  #push(sample) {
    for (const [name, column] of Object.entries(this.columns)) {
      column.push(sample[name]);
      if (column.length > KEPT) column.shift();
    }
  }
}
