// The host's pools: filtered, sorted, chosen by mouse or keyboard.

import {byId, element, fillList, setAttribute, setNote, setText} from './dom.js';
import {count, duration, plural, visible} from './format.js';
import {gateText} from './verdict.js';

const PARTS = ['in-use', 'idle', 'minting', 'closing'];
const GATE_WORDS = {open: '', wait: 'paused', fail: 'paused, fails', drained: 'drained'};

const utilization = (pool) => (pool.max_size === 0 ? 0 : pool.in_use / pool.max_size);
const hasTrouble = (pool) => pool.waiting > 0 || pool.gate.state !== 'open';
const label = (pool) => visible(pool.name);

const SHOWN = {
  all: () => true,
  trouble: hasTrouble,
  used: (pool) => pool.in_use > 0 || pool.waiting > 0,
};
const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id);
const ORDERS = {
  trouble: (a, b) =>
    hasTrouble(b) - hasTrouble(a) || b.waiting - a.waiting || utilization(b) - utilization(a) || byName(a, b),
  utilization: (a, b) => utilization(b) - utilization(a) || byName(a, b),
  waiting: (a, b) => b.waiting - a.waiting || byName(a, b),
  name: byName,
  id: (a, b) => a.id - b.id,
};

export class PoolList {
  // `choose(id)` is called when somebody chooses another one.
  constructor(choose) {
    this.choose = choose;
    this.pools = [];
    this.order = []; // ids as shown
    this.chosen = null;
    this.list = byId('pools');
    this.filter = byId('filter');
    this.filter.addEventListener('input', () => this.#arrange());
    this.filter.addEventListener('keydown', (event) => this.#onFilterKey(event));
    byId('show').addEventListener('change', () => this.#arrange());
    byId('sort').addEventListener('change', () => this.#arrange());
    this.list.addEventListener('keydown', (event) => this.#onKey(event));
    this.list.addEventListener('click', (event) => {
      const row = event.target.closest('[role=option]');
      if (row) this.#take(Number(row.dataset.id), true);
    });
    document.addEventListener('keydown', (event) => this.#onPageKey(event));
  }

  show(pools, chosen) {
    this.pools = pools;
    this.chosen = chosen;
    // Rows do not move under the hand of whoever is among them.
    if (this.list.matches(':hover') || this.list.contains(document.activeElement)) this.#refresh();
    else this.#arrange();
  }

  #wanted() {
    const text = this.filter.value.trim().toLowerCase();
    const shown = SHOWN[byId('show').value];
    return this.pools.filter(
      (pool) =>
        shown(pool) &&
        (text === '' ||
          label(pool).toLowerCase().includes(text) ||
          pool.namespace.toLowerCase().includes(text) ||
          String(pool.id) === text),
    );
  }

  #arrange() {
    this.order = this.#wanted()
      .sort(ORDERS[byId('sort').value])
      .map((pool) => pool.id);
    this.#render();
  }

  // Those that are new come last, those that are gone go.
  #refresh() {
    const wanted = new Set(this.#wanted().map((pool) => pool.id));
    this.order = this.order.filter((id) => wanted.delete(id)).concat([...wanted]);
    this.#render();
  }

  #render() {
    const byPoolId = new Map(this.pools.map((pool) => [pool.id, pool]));
    const pools = this.order.map((id) => byPoolId.get(id)).filter((pool) => pool !== undefined);
    const focused = this.list.contains(document.activeElement) ? Number(document.activeElement.dataset.id) : null;
    const several = new Set(this.pools.map((pool) => pool.namespace)).size > 1;
    const inTabOrder = pools.some((pool) => pool.id === this.chosen) ? this.chosen : pools[0]?.id;
    fillList(this.list, pools, makeRow, (row, pool) => {
      fillRow(row, pool, several);
      setAttribute(row, 'aria-selected', String(pool.id === this.chosen));
      setAttribute(row, 'tabindex', pool.id === inTabOrder ? '0' : '-1');
    });
    if (focused !== null && document.activeElement?.dataset?.id !== String(focused)) this.#row(focused)?.focus();
    setText(byId('pools-count'), countText(pools.length, this.pools.length));
    setNote(byId('pools-none'), pools.length > 0 ? '' : this.#whyNone());
  }

  #whyNone() {
    return this.pools.length === 0 ? 'No worker has made a pool yet.' : 'No pool is like that.';
  }

  #row(id) {
    return this.list.querySelector(`[data-id="${id}"]`);
  }

  #take(id, withFocus) {
    if (id !== this.chosen) {
      this.chosen = id;
      this.choose(id);
    }
    this.#render();
    if (withFocus) this.#row(id)?.focus();
  }

  #onKey(event) {
    const rows = this.order.length;
    const page = 10;
    const at = this.order.indexOf(Number(document.activeElement?.dataset?.id));
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows - 1,
      Enter: at,
      ' ': at,
    }[event.key];
    if (to === undefined || rows === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.#take(this.order[Math.min(rows - 1, Math.max(0, to))], true);
  }

  #onFilterKey(event) {
    if (event.key === 'Escape' && this.filter.value !== '') {
      event.preventDefault();
      this.filter.value = '';
      this.#arrange();
    } else if ((event.key === 'ArrowDown' || event.key === 'Enter') && this.order.length > 0) {
      event.preventDefault();
      this.#take(this.order[0], true);
    }
  }

  #onPageKey(event) {
    const typing = event.target.closest?.('input:not([type=checkbox])');
    if (event.key !== '/' || typing || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.filter.focus();
    this.filter.select();
  }
}

function countText(shown, all) {
  return shown === all ? `(${count(all)})` : `(${count(shown)} of ${count(all)})`;
}

function makeRow() {
  return element(
    'li',
    {role: 'option'},
    element('bdi', {class: 'name'}),
    element('span', {class: 'space'}),
    element('span', {class: 'badge'}),
    element('span', {class: 'bar', 'aria-hidden': 'true'}, ...PARTS.map((part) => element('i', {class: part}))),
    element('span', {class: 'use'}),
    element('span', {class: 'wait'}),
  );
}

function fillRow(row, pool, withNamespace) {
  const [name, space, badge, bar, use, wait] = row.children;
  row.dataset.id = pool.id;
  setText(name, label(pool));
  setAttribute(name, 'title', label(pool));
  setText(space, withNamespace ? pool.namespace : '');
  setText(badge, GATE_WORDS[pool.gate.state] ?? pool.gate.state);
  setAttribute(badge, 'title', gateText(pool.gate));
  fillBar(bar, pool);
  const further = [
    [pool.idle, 'idle'],
    [pool.minting, 'minting'],
    [pool.closing, 'closing'],
  ].filter(([number]) => number > 0);
  setText(
    use,
    [`${count(pool.in_use)} of ${count(pool.max_size)} in use`]
      .concat(further.map(([number, word]) => `${count(number)} ${word}`))
      .join(', '),
  );
  setText(wait, waitText(pool));
  row.classList.toggle('full', pool.in_use >= pool.max_size && pool.max_size > 0);
}

function waitText(pool) {
  if (pool.waiting === 0) return '';
  const waits = plural(pool.waiting, 'waits', 'wait');
  return pool.oldest_wait_ms === null ? waits : `${waits}, ${duration(pool.oldest_wait_ms)}`;
}

// The whole width is the cap, or what there is if that is more.
function fillBar(bar, pool) {
  const numbers = [pool.in_use, pool.idle, pool.minting, pool.closing];
  const taken = numbers.reduce((sum, number) => sum + number, 0);
  const whole = Math.max(pool.max_size, taken, 1);
  numbers.forEach((number, index) => {
    const width = `${((number / whole) * 100).toFixed(2)}%`;
    if (bar.children[index].style.width !== width) bar.children[index].style.width = width;
  });
  bar.classList.toggle('over', taken > pool.max_size);
}
