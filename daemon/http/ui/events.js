// What happened: the daemon's own events, and what the counters of pools tell between two looks.

import {byId, element, fillList, setAttribute, setNote, setText} from './dom.js';
import {clockTime, count, visible} from './format.js';

const KEPT = 300;
const SHOWN = 100;
const TOGETHER_MS = 30_000; // what goes on with shorter pauses is one line that grows

// Counters whose growth is an event.
const COUNTED = {
  'hand-overs': (counters) => counters.hand_overs,
  'closed because their owner died': (counters) => counters.evicted.dead_owner,
  'acquires timed out': (counters) => counters.acquire.timeout,
  'factories failed': (counters) => counters.acquire_failed.factory,
  'deadlocks refused': (counters) => counters.acquire_failed.deadlock,
};

export class Events {
  constructor() {
    this.seen = 0; // the number of the last event of this daemon
    this.events = []; // oldest first
    this.before = new Map(); // pool id → counters
    byId('events-mine').addEventListener('change', () => this.show(this.pool));
    this.pool = null; // the chosen one
  }

  // Another daemon: it numbers from 1 again.
  beginAnew() {
    this.seen = 0;
  }

  // The answer of api/v1/events.
  add({last, events}) {
    for (const event of events) {
      if (event.number <= this.seen) continue;
      const {id, ...fields} = event.fields;
      this.events.push({
        unixMs: event.unix_ms,
        level: event.level,
        name: event.event,
        poolId: id ?? null,
        text: Object.entries(fields)
          .filter(([key, value]) => key !== 'held_back' || value > 0)
          .map(([key, value]) => `${key}=${visible(String(value))}`)
          .join('  '),
      });
    }
    this.seen = last;
  }

  // What the counters of all pools grew by since the last call.
  addGrowth(unixMs, pools) {
    const now = new Map();
    for (const pool of pools) {
      now.set(pool.id, pool.counters);
      const before = this.before.get(pool.id);
      if (before === undefined) continue;
      for (const [name, read] of Object.entries(COUNTED)) {
        const grown = read(pool.counters) - read(before);
        if (grown > 0) this.#count(unixMs, pool, name, grown);
      }
    }
    this.before = now;
  }

  #count(unixMs, pool, name, grown) {
    let event = this.events.findLast((one) => one.name === name && one.poolId === pool.id);
    if (event === undefined || unixMs - event.untilMs > TOGETHER_MS) {
      // It stays where it began: what goes on must not push away what is rare.
      event = {level: 'counted', name, poolId: pool.id, number: 0, unixMs};
      this.events.push(event);
    }
    event.number += grown;
    event.untilMs = unixMs;
    event.text = `${count(event.number)}  pool=${visible(pool.name)}  until ${clockTime(new Date(unixMs))}`;
  }

  show(pool) {
    this.pool = pool;
    this.events.splice(0, this.events.length - KEPT);
    const mine = byId('events-mine').checked;
    const wanted = this.events
      .filter((event) => !mine || (pool !== null && event.poolId === pool.id))
      .sort((a, b) => a.unixMs - b.unixMs)
      .slice(-SHOWN)
      .reverse();
    fillList(
      byId('events'),
      wanted,
      () => element('li', {}, element('time'), element('b'), element('bdi')),
      (item, event) => {
        const date = new Date(event.unixMs);
        setAttribute(item, 'class', event.level);
        setAttribute(item.children[0], 'datetime', date.toISOString());
        setText(item.children[0], clockTime(date));
        setText(item.children[1], ` ${event.name} `);
        setText(item.children[2], event.text);
      },
    );
    setNote(byId('events-note'), wanted.length > 0 ? '' : mine ? 'None of this pool.' : 'None yet.');
  }
}
