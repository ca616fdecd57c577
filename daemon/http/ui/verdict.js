// What the numbers of a pool mean, in sentences, for somebody who was woken by it.

import {count, duration, plural, visible} from './format.js';

// How a worker is called: PID/LANE, or by its thread where the daemon can not see its PID.
export function workerText(who) {
  return who.pid === 0 ? `thread ${who.thread_id}` : who.worker;
}

// A gate's state in words; '' = open.
export function gateText(gate) {
  const states = {
    open: '',
    wait: 'paused: new acquires wait',
    fail: 'paused: new acquires fail',
    drained: 'drained: new acquires fail, units are closed when they come back',
  };
  const text = states[gate.state] ?? gate.state;
  if (text === '' || gate.opens_in_ms === null) return text;
  return `${text}; opens by itself in ${duration(Math.max(0, gate.opens_in_ms))}`;
}

// The most frequent value and how often it is there.
function mostFrequent(values) {
  const times = new Map();
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
  return [...times.entries()].sort((a, b) => b[1] - a[1])[0];
}

function aboutWaiting(pool, held) {
  const sentences = [];
  const first = pool.oldest_wait_ms === null ? '' : `, the first for ${duration(pool.oldest_wait_ms)}`;
  const wait = `${plural(pool.waiting, 'waits', 'wait')}${first}`;
  const taken = pool.in_use + pool.idle + pool.minting + pool.closing;
  if (pool.in_use >= pool.max_size) {
    sentences.push(`Full: ${count(pool.in_use)} of ${count(pool.max_size)} units are in use; ${wait}.`);
  } else if (taken < pool.max_size) {
    sentences.push(`${wait}, although ${plural(pool.max_size - taken, 'unit is', 'units are')} free: is the first one stopped?`);
  } else {
    sentences.push(`All ${count(pool.max_size)} units are taken; ${wait}.`);
  }
  if (pool.idle > 0) {
    sentences.push(
      `${plural(pool.idle, 'unit is', 'units are')} idle in other workers, which close them when they next run` +
        (pool.flagged > 0 ? ` (${count(pool.flagged)} asked to).` : '.'),
    );
  }
  if (pool.minting > 0) {
    sentences.push(
      `${plural(pool.minting, 'unit is', 'units are')} being made; a factory call takes ` +
        `${duration(pool.factory_mean_ms)} on average.`,
    );
  }
  if (held.length > 0) {
    const oldest = held.reduce((a, b) => (a.since_ms > b.since_ms ? a : b));
    const at = oldest.place === null ? '' : `, acquired at ${visible(oldest.place)}`;
    sentences.push(`Longest holder: ${workerText(oldest)}, for ${duration(oldest.since_ms)}${at}.`);
    const places = held.map((holder) => holder.place).filter((place) => place !== null);
    const [place, times] = mostFrequent(places) ?? ['', 0];
    if (times > 1) {
      sentences.push(`${count(times)} of ${count(held.length)} in use were acquired at ${visible(place)}.`);
    }
  }
  return sentences.map((text) => ({level: 'bad', text}));
}

// [{level: 'good' | 'note' | 'bad', text}]
export function verdict(pool) {
  const held = (pool.holders ?? []).filter((holder) => holder.state === 'in_use');
  const found = [];
  const gate = gateText(pool.gate);
  if (gate !== '') found.push({level: 'bad', text: `The pool is ${gate}.`});
  if (pool.waiting > 0) found.push(...aboutWaiting(pool, held));
  const above = pool.in_use + pool.idle + pool.minting + pool.closing - pool.max_size;
  if (above > 0) {
    found.push({
      level: 'note',
      text: `${plural(above, 'unit')} above the cap, which was lowered; holders are not interrupted.`,
    });
  }
  const leak = pool.settings.leak_after_ms;
  const late = leak > 0 ? held.filter((holder) => holder.since_ms >= leak).length : 0;
  if (late > 0) {
    found.push({level: 'bad', text: `${count(late)} in use for longer than leakAfterMs (${duration(leak)}).`});
  }
  if (pool.cap.disagreement) {
    found.push({level: 'note', text: 'Workers ask for different settings; those that started last count.'});
  }
  if (pool.waiting === 0 && gate === '') {
    const full = pool.in_use >= pool.max_size ? 'All units are in use, but nobody waits.' : 'Nobody waits.';
    found.unshift({level: 'good', text: full});
  }
  return found;
}
