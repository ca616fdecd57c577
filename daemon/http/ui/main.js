// Asks the daemon again and again and hands what it says to those that show it.

import * as api from './api.js';
import {byId, setAttribute, setText} from './dom.js';
import {Events} from './events.js';
import {History} from './history.js';
import {PoolDetail} from './pool_detail.js';
import {PoolList} from './pool_list.js';
import {Status} from './status.js';

const INTERVAL_MS = 1000;
const MOST_INTERVAL_MS = 15_000;
// A look takes at most this share of the time, here and so at the daemon: with many pools they are rarer.
const SHARE_OF_TIME = 0.1;
const MOST_HISTORIES = 200;

const status = new Status();
const events = new Events();
const detail = new PoolDetail();
const list = new PoolList((id) => {
  location.replace(`#pool=${id}`);
});

let histories = new Map(); // pool id → History
let chosen = null; // id
let asked = null; // the last answer of the chosen pool; null = none
let server = null;
let timer = null;
let looking = false;
let heldStill = false;

const chosenInAddress = () => Number(/^#pool=(\d+)$/.exec(location.hash)?.[1] ?? 0) || null;

function remember(ms, pools, pool) {
  const kept = new Map();
  for (const listed of pools) {
    const known = histories.get(listed.id);
    if (known === undefined && listed.id !== chosen && kept.size >= MOST_HISTORIES) continue;
    const history = known ?? new History();
    history.add(ms, pool !== null && listed.id === pool.id ? pool : listed);
    kept.set(listed.id, history);
  }
  histories = kept;
}

function showChosen() {
  const sentence =
    chosen === null ? 'No pool is chosen.' : server === null ? '' : `Pool ${chosen} is not there any more.`;
  detail.show(asked, histories.get(chosen), sentence);
}

async function look() {
  const [nowServer, {pools}, reasons] = await Promise.all([api.getServer(), api.getPools(), api.getReasonsNotReady()]);
  if (server !== null && (server.pid !== nowServer.pid || server.started_unix_ms !== nowServer.started_unix_ms)) {
    events.beginAnew();
  }
  server = nowServer;
  if (chosen === null && pools.length > 0) choosePool(pools);
  const wanted = chosen;
  const isListed = pools.some((pool) => pool.id === wanted);
  const [pool, news] = await Promise.all([
    isListed ? api.getPool(wanted) : null,
    api.getEvents(events.seen),
  ]);
  if (wanted !== chosen) return true; // somebody chose another one meanwhile: look again at once

  asked = pool;
  remember(Date.now(), pools, pool);
  events.add(news);
  events.addGrowth(nowServer.unix_ms, pools);
  status.showReachable(nowServer, reasons);
  list.show(pools, chosen);
  showChosen();
  events.show(pool);
  const waiting = pools.reduce((sum, one) => sum + one.waiting, 0);
  setText(document.querySelector('title'), waiting > 0 ? `(${waiting} waiting) oxpool` : 'oxpool');
  return false;
}

// The one with the longest queue, the first time.
function choosePool(pools) {
  chosen = pools.reduce((a, b) => (b.waiting > a.waiting ? b : a)).id;
}

async function turn() {
  if (looking) return;
  clearTimeout(timer);
  looking = true;
  const began = performance.now();
  let atOnce = false;
  try {
    atOnce = await look();
  } catch (error) {
    if (!(error instanceof api.NoAnswer)) console.error(error); // a fault of this page
    if (status.reachable) {
      const now = Date.now();
      for (const history of histories.values()) history.addGap(now);
    }
    status.showUnreachable(error.message);
  }
  looking = false;
  if (document.hidden || heldStill) return;
  const took = performance.now() - began;
  const pause = Math.min(MOST_INTERVAL_MS, Math.max(INTERVAL_MS - took, took / SHARE_OF_TIME));
  timer = setTimeout(turn, atOnce ? 0 : pause);
}

function stopLooking() {
  clearTimeout(timer);
  const now = Date.now();
  for (const history of histories.values()) history.addGap(now);
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) stopLooking();
  else if (!heldStill) turn();
});

byId('hold').addEventListener('click', () => {
  heldStill = !heldStill;
  setAttribute(byId('hold'), 'aria-pressed', String(heldStill));
  setText(byId('hold'), heldStill ? 'Go on' : 'Hold still');
  document.body.classList.toggle('held', heldStill);
  if (heldStill) stopLooking();
  else turn();
});

addEventListener('hashchange', () => {
  chosen = chosenInAddress();
  asked = null;
  turn();
});

chosen = chosenInAddress();
turn();
