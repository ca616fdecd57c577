// The line at the top: is the daemon there, is it ready, is this page still looking.

import {byId, element, fillList, setAttribute, setText} from './dom.js';
import {clockTime, duration, plural, visible} from './format.js';

const LATE_MS = 1000;

export class Status {
  constructor() {
    this.unreachableSince = null; // Date
  }

  get reachable() {
    return this.unreachableSince === null;
  }

  showReachable(server, reasonsNotReady) {
    this.unreachableSince = null;
    document.body.classList.remove('stale');
    const ready = reasonsNotReady.length === 0;
    this.#say(ready ? 'good' : 'bad', ready ? 'ready' : 'not ready');
    const troubles = [...reasonsNotReady];
    if (server.loop_late_ms >= LATE_MS) {
      troubles.push(`The daemon's main loop is ${duration(server.loop_late_ms)} late: it lacks CPU, or hangs.`);
    }
    for (const one of server.namespaces) {
      if (one.broken) troubles.push(`The segment of namespace ${visible(one.namespace)} is broken.`);
    }
    this.#list(troubles);
    setText(
      byId('server'),
      `oxpoold ${server.version} at ${location.host}, pid ${server.pid}, ` +
        `up ${duration(server.unix_ms - server.started_unix_ms)}, ${plural(server.sessions, 'session')}`,
    );
  }

  showUnreachable(sentence) {
    this.unreachableSince ??= new Date();
    document.body.classList.add('stale');
    this.#say('bad', `not reachable since ${clockTime(this.unreachableSince)}`);
    this.#list([
      visible(sentence) + ' Workers go on without it. What is shown is of before; this page goes on asking.',
    ]);
  }

  #say(level, text) {
    setAttribute(byId('state'), 'class', `state ${level}`);
    setText(byId('state'), text);
  }

  #list(sentences) {
    const list = byId('troubles');
    fillList(list, sentences, () => element('li'), setText);
    list.hidden = sentences.length === 0;
  }
}
