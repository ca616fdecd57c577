// What of the live page needs no browser. Run by: node --test tests/page/*.mjs
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {duration, durations, plural, rate, visible} from '../../daemon/http/ui/format.js';
import {History} from '../../daemon/http/ui/history.js';
import {growth, quantile} from '../../daemon/http/ui/percentiles.js';
import {gateText, verdict, workerText} from '../../daemon/http/ui/verdict.js';

test('durations are read without counting digits', () => {
  const texts = [
    [null, '–'], [undefined, '–'], [0, '0 ms'], [0.054, '0.05 ms'], [1.25, '1.3 ms'], [12.4, '12 ms'],
    [999.4, '999 ms'], [1000, '1.0 s'], [59_940, '59.9 s'], [59_960, '1 min'], [61_000, '1 min 1 s'],
    [3_600_000, '1 h'], [7_500_000, '2 h 5 min'], [90_000_000, '1 d 1 h'], [-1500, '-1.5 s'],
  ];
  for (const [ms, text] of texts) assert.equal(duration(ms), text);
});

test('a list of durations says a unit once', () => {
  assert.equal(durations([73, 115, 223]), '73 / 115 / 223 ms');
  assert.equal(durations([0.5, 950, 2000]), '0.5 / 950 ms / 2.0 s');
  assert.equal(durations([null, null]), '–');
  assert.equal(durations([null, 5]), '– / 5 ms');
});

test('numbers', () => {
  assert.deepEqual([null, 0, 0.44, 12.6, 12345].map(rate), ['–', '0', '0.4', '13', '12,345']);
  assert.equal(plural(1, 'unit'), '1 unit');
  assert.equal(plural(0, 'unit is', 'units are'), '0 units are');
});

test('characters that can not be seen, or that turn others, are shown by their number', () => {
  assert.equal(visible('a\nb\u202e\u{1f600}ü\u0000'), 'a\\u{a}b\\u{202e}\u{1f600}ü\\u{0}');
});

test('quantiles are those of Prometheus', () => {
  const bounds = [1, 10, 100];
  assert.equal(quantile(0.5, bounds, [4, 0, 0, 0]), 0.5);
  assert.equal(quantile(0.5, bounds, [1, 2, 1, 0]), 1 + 9 * 0.5);
  assert.equal(quantile(0.99, bounds, [0, 0, 0, 7]), 100, 'beyond: the highest bound');
  assert.equal(quantile(0.5, bounds, [0, 0, 0, 0]), null);
  assert.equal(quantile(0.5, bounds, null), null);
});

test('histograms that do not belong together have no difference', () => {
  assert.deepEqual(growth([1, 2], [3, 2]), [2, 0]);
  assert.equal(growth([1, 2], [0, 2]), null);
  assert.equal(growth([1], [1, 2]), null);
  assert.equal(growth(undefined, [1]), null);
});

function pool(differences = {}) {
  return {
    in_use: 0, idle: 0, minting: 0, closing: 0, flagged: 0, waiting: 0, max_size: 4, oldest_wait_ms: null,
    factory_mean_ms: 2, gate: {state: 'open', opens_in_ms: null}, cap: {disagreement: false},
    settings: {leak_after_ms: 0}, holders: [], counters: {ok: 0},
    wait: {bounds_ms: [1, 10], buckets: [0, 0, 0]}, hold: {bounds_ms: [1, 10], buckets: [0, 0, 0]},
    ...differences,
  };
}

test('a history has percentiles of what happened between two looks, rates of the last ten seconds, and gaps', () => {
  const history = new History();
  const at = (second, ok, buckets) =>
    history.add(second * 1000, pool({counters: {ok}, wait: {bounds_ms: [1, 10], buckets}}));
  at(0, 100, [100, 0, 0]);
  assert.equal(history.rate((counters) => counters.ok), null);
  at(1, 110, [110, 0, 0]);
  at(2, 130, [110, 20, 0]);
  assert.deepEqual(history.columns.p50, [null, 0.5, 5.5]);
  assert.equal(history.rate((counters) => counters.ok), 15);
  for (let second = 3; second <= 20; ++second) at(second, 130, [110, 20, 0]);
  assert.equal(history.rate((counters) => counters.ok), 0, 'what is longer ago does not count');
  assert.equal(history.percentile('wait', 0.5), null);
  history.addGap(21_000);
  at(30, 200, [110, 90, 0]);
  assert.deepEqual(history.columns.inUse.slice(-3), [0, null, 0]);
  assert.equal(history.columns.p50.at(-1), null, 'nobody knows how it spread over the gap');
  for (let second = 31; second < 2000; ++second) at(second, 200, [110, 90, 0]);
  assert.equal(history.columns.time.length, 600);
  assert.ok(Object.values(history.columns).every((column) => column.length === 600));
});

const sentences = (one) => verdict(one).map(({text}) => text);
const holder = (differences) => ({
  state: 'in_use', worker: '7/1', pid: 7, thread_id: 9, since_ms: 1000, place: null, ...differences,
});

test('a calm pool is one sentence', () => {
  assert.deepEqual(verdict(pool()), [{level: 'good', text: 'Nobody waits.'}]);
  assert.deepEqual(sentences(pool({in_use: 4})), ['All units are in use, but nobody waits.']);
});

test('a full pool: how many wait, the longest holder, and the line that took most', () => {
  const holders = [
    holder({since_ms: 90_000, worker: '8/1', pid: 8, place: '/a.php:3'}),
    holder({place: '/b.php:1'}),
    holder({place: '/b.php:1'}),
    holder({state: 'idle', since_ms: 999_999}),
  ];
  assert.deepEqual(sentences(pool({in_use: 4, waiting: 2, oldest_wait_ms: 1500, holders})), [
    'Full: 4 of 4 units are in use; 2 wait, the first for 1.5 s.',
    'Longest holder: 8/1, for 1 min 30 s, acquired at /a.php:3.',
    '2 of 3 in use were acquired at /b.php:1.',
  ]);
});

test('waiters beside idle units, and factories', () => {
  assert.deepEqual(sentences(pool({in_use: 1, idle: 2, minting: 1, waiting: 1, flagged: 2})), [
    'All 4 units are taken; 1 waits.',
    '2 units are idle in other workers, which close them when they next run (2 asked to).',
    '1 unit is being made; a factory call takes 2 ms on average.',
  ]);
  assert.match(sentences(pool({in_use: 3, waiting: 1}))[0], /although 1 unit is free/);
});

test('a gate, a lowered cap, leaks and disagreement', () => {
  const found = sentences(
    pool({
      in_use: 6, gate: {state: 'fail', opens_in_ms: 5000}, cap: {disagreement: true}, settings: {leak_after_ms: 1000},
      holders: [holder(), holder({since_ms: 999})],
    }),
  );
  assert.deepEqual(found, [
    'The pool is paused: new acquires fail; opens by itself in 5.0 s.',
    '2 units above the cap, which was lowered; holders are not interrupted.',
    '1 in use for longer than leakAfterMs (1.0 s).',
    'Workers ask for different settings; those that started last count.',
  ]);
  assert.equal(gateText({state: 'open', opens_in_ms: null}), '');
  assert.equal(gateText({state: 'new word', opens_in_ms: null}), 'new word');
});

test('a worker in another PID namespace is called by its thread', () => {
  assert.equal(workerText(holder({pid: 0})), 'thread 9');
});
