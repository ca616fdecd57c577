// The chosen pool: its numbers, who holds, who waits, who sits on idle units.

import {byId, element, fillList, fillTable, setAttribute, setNote, setText} from './dom.js';
import {count, duration, durations, plural, rate, visible} from './format.js';
import {SHARES} from './history.js';
import {Plots} from './plots.js';
import {verdict, workerText} from './verdict.js';

const MOST_ROWS = 200;
const NAME = 'bdi';

export class PoolDetail {
  constructor() {
    this.plots = new Plots();
  }

  // `pool` null: `sentence` says why there is nothing to be seen.
  show(pool, history, sentence) {
    byId('detail-body').hidden = pool === null;
    setNote(byId('detail-none'), pool === null ? sentence : '');
    if (pool === null) return;
    fillList(byId('pool-name'), [visible(pool.name)], () => element(NAME), setText);
    setText(byId('pool-facts'), facts(pool));
    fillList(byId('verdict'), verdict(pool), () => element('li'), (item, {level, text}) => {
      setAttribute(item, 'class', level);
      setText(item, text);
    });
    showTiles(pool, history);
    this.plots.show(history);
    showHolders(pool.holders, pool.settings.leak_after_ms > 0);
    showWaiters(pool.waiters);
    showIdle(pool.idle_by_worker);
  }
}

function facts(pool) {
  const {cap, settings} = pool;
  const found = [`id ${pool.id}`, `namespace ${visible(pool.namespace)}`, plural(pool.workers, 'worker') + ' attached'];
  found.push(
    cap.operator === null
      ? `cap ${count(cap.in_force)}`
      : `cap ${count(cap.in_force)}, set by an operator; workers ask for ${count(cap.requested)}`,
  );
  found.push(settings.rebalance_strategy);
  if (settings.min_idle > 0) found.push(`min idle ${count(settings.min_idle)}`);
  if (settings.max_waiting !== null) found.push(`max waiting ${count(settings.max_waiting)}`);
  found.push(settings.idle_timeout_ms > 0 ? `idle timeout ${duration(settings.idle_timeout_ms)}` : 'no idle timeout');
  if (settings.max_lifetime_ms > 0) found.push(`lifetime ${duration(settings.max_lifetime_ms)}`);
  if (settings.leak_after_ms > 0) found.push(`leak after ${duration(settings.leak_after_ms)}`);
  found.push(`made ${duration(pool.age_ms)} ago`);
  return found.join(' · ');
}

function showTiles(pool, history) {
  const lately = (which) => durations(SHARES.map((share) => history.percentile(which, share)));
  const perSecond = (read) => rate(history.rate(read));
  const {acquire} = pool.counters;
  const failed = (counters) => Object.values(counters.acquire_failed).reduce((sum, number) => sum + number, 0);
  const tiles = [
    ['in use', `${count(pool.in_use)} of ${count(pool.max_size)}`, 'in-use'],
    ['idle', count(pool.idle) + (pool.flagged > 0 ? `, ${count(pool.flagged)} asked to close` : ''), 'idle'],
    ['minting', count(pool.minting), 'minting'],
    ['closing', count(pool.closing), 'closing'],
    ['waiting', count(pool.waiting), 'waits'],
    ['oldest wait', duration(pool.oldest_wait_ms)],
    ['acquires / s', perSecond((counters) => counters.acquire.ok)],
    ['time-outs / s', perSecond((counters) => counters.acquire.timeout)],
    ['made / s', perSecond((counters) => counters.mints)],
    ['handed over / s', perSecond((counters) => counters.hand_overs)],
    ['making one takes', duration(pool.factory_mean_ms)],
    ['wait 50 / 95 / 99 %', lately('wait'), 'broad'],
    ['hold 50 / 95 / 99 %', lately('hold'), 'broad'],
    ['since its creation',
      `${count(acquire.ok)} ok, ${count(acquire.timeout)} timed out, ${count(acquire.closed)} refused, ` +
      `${count(acquire.saturated)} found it full, ${count(failed(pool.counters))} failed, ` +
      `${count(pool.counters.leaks)} leaked`],
  ];
  fillList(
    byId('tiles'),
    tiles,
    () => element('div', {}, element('dt'), element('dd')),
    (tile, [name, value, look]) => {
      setAttribute(tile, 'class', look ?? '');
      setText(tile.children[0], name);
      setText(tile.children[1], value);
    },
  );
}

function stateText(holder) {
  const state = holder.state.replace('_', ' ');
  return holder.reason === null ? state : `${state} (${holder.reason})`;
}

const noteOfMore = (all) => (all <= MOST_ROWS ? '' : `and ${count(all - MOST_ROWS)} more`);
const placeText = (place) => (place === null ? '–' : visible(place));
const programText = (who) => visible(who.program || '–');

// Without leakAfterMs nobody notes where a unit is acquired: that would cost each acquire something.
function noteOfHolders(shown, notesLines) {
  if (shown.length === 0) return 'Nobody.';
  const sentences = [noteOfMore(shown.length)];
  const without = shown.some((holder) => holder.state === 'in_use' && holder.place === null);
  if (without && !notesLines) sentences.push('Lines of code are noted for pools that have leakAfterMs.');
  return sentences.filter((text) => text !== '').join('. ');
}

function showHolders(holders, notesLines) {
  const shown = holders.filter((holder) => holder.state !== 'idle').sort((a, b) => b.since_ms - a.since_ms);
  setText(byId('holders-count'), `(${count(shown.length)})`);
  fillTable(
    byId('holders'),
    shown.slice(0, MOST_ROWS).map((holder) => [
      workerText(holder),
      programText(holder),
      stateText(holder),
      duration(holder.since_ms),
      placeText(holder.place),
    ]),
    ['', 'wide', '', 'number', 'place'],
  );
  setNote(byId('holders-note'), noteOfHolders(shown, notesLines));
}

function showWaiters(waiters) {
  setText(byId('waiters-count'), `(${count(waiters.length)}, first come first)`);
  fillTable(
    byId('waiters'),
    waiters.slice(0, MOST_ROWS).map((waiter) => [
      workerText(waiter),
      programText(waiter),
      duration(waiter.since_ms),
      waiter.deadline_in_ms === null ? 'never' : duration(Math.max(0, waiter.deadline_in_ms)),
      placeText(waiter.place),
    ]),
    ['', 'wide', 'number', 'number', 'place'],
  );
  setNote(byId('waiters-note'), waiters.length === 0 ? 'Nobody.' : noteOfMore(waiters.length));
}

// A cell for each worker, as wide as it has idle units.
function showIdle(idleByWorker) {
  const workers = Object.entries(idleByWorker).sort((a, b) => b[1] - a[1]);
  const all = workers.reduce((sum, [, number]) => sum + number, 0);
  setText(byId('idle-count'), `(${plural(all, 'unit')}, ${plural(workers.length, 'worker')})`);
  fillList(
    byId('idle'),
    workers.slice(0, MOST_ROWS),
    () => element('li', {}, element('span'), element('b')),
    (cell, [worker, number]) => {
      cell.style.flexGrow = String(number);
      setText(cell.children[0], worker);
      setText(cell.children[1], ` ${count(number)}`);
    },
  );
  setNote(byId('idle-note'), workers.length === 0 ? 'Nobody.' : noteOfMore(workers.length));
}
