// The plots of the chosen pool, by uPlot, which is a script of its own; without it there are none.

import {byId, element, setAttribute, setText} from './dom.js';
import {count, duration} from './format.js';

const HEIGHT = 170;
const SHORTEST_SECONDS = 120; // the time axis of a page that was opened just now
const LEAST_WAIT_MS = 0.1; // the lowest bound of the wait histogram: what is below is drawn there

const USE = {
  title: 'Units and waiters',
  series: [
    {name: 'inUse', label: 'in use', colour: '--in-use', fill: true},
    {name: 'idle', label: 'idle', colour: '--idle'},
    {name: 'waiting', label: 'waiting', colour: '--waits', width: 2},
    {name: 'cap', label: 'cap', colour: '--quiet', dash: [4, 4]},
  ],
  text: (value) => (value === null || value === undefined ? '–' : count(value)),
  tick: (value) => (Number.isInteger(value) ? count(value) : ''),
  scale: {range: (plot, least, most) => [0, Math.max(4, Math.ceil((most ?? 0) * 1.1))]},
};
const WAIT = {
  title: 'Waiting time of acquires',
  series: [
    {name: 'p50', label: 'median', colour: '--idle'},
    {name: 'p95', label: '95 %', colour: '--minting'},
    {name: 'p99', label: '99 %', colour: '--waits'},
    {name: 'oldest', label: 'oldest still waiting', colour: '--text', dash: [2, 3]},
  ],
  text: (value) => (value === null || value === undefined ? '–' : duration(value)),
  tick: (value) => duration(value).replace('.0 ', ' '),
  splits: (plot, axis, least, most) => {
    const powers = [];
    for (let power = -1; 10 ** power <= most * 1.001; ++power) powers.push(10 ** power);
    return powers;
  },
  scale: {
    distr: 3,
    range: (plot, least, most) => [LEAST_WAIT_MS, 10 ** Math.max(1, Math.ceil(Math.log10(most ?? 10)))],
  },
  prepare: (value) => (value === null ? null : Math.max(value, LEAST_WAIT_MS)),
};

class Plot {
  constructor(parent, what) {
    this.what = what;
    this.values = what.series.map(() => element('span', {class: 'value'}));
    const legend = element(
      'figcaption',
      {},
      element('span', {class: 'title'}, what.title),
      ...what.series.map((series, index) =>
        element('span', {}, element('i', {class: `line ${series.name}`}), series.label + ' ', this.values[index]),
      ),
    );
    this.canvas = element('div', {role: 'img', class: 'plot'});
    this.figure = element('figure', {}, legend, this.canvas);
    parent.append(this.figure);
    this.data = null;
    this.plot = null;
    new ResizeObserver(() => this.#fit()).observe(this.figure);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#draw());
  }

  show(columns) {
    const prepare = this.what.prepare ?? ((value) => value);
    this.data = [columns.time, ...this.what.series.map(({name}) => columns[name].map(prepare))];
    if (this.plot) this.plot.setData(this.data);
    else this.#draw();
    this.#tell();
  }

  // Anew: colours are those of the style sheet at this moment.
  #draw() {
    if (this.data === null) return;
    this.plot?.destroy();
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const axis = {
      stroke: colour('--quiet'),
      font: '11px system-ui, sans-serif',
      grid: {stroke: colour('--line'), width: 1},
      ticks: {stroke: colour('--line'), width: 1, size: 4},
    };
    this.plot = new window.uPlot(
      {
        width: this.#width(),
        height: HEIGHT,
        legend: {show: false},
        cursor: {y: false, drag: {x: false, y: false}, points: {size: 6}},
        scales: {
          x: {time: true, range: (plot, least, most) => [Math.min(least, most - SHORTEST_SECONDS), most]},
          y: this.what.scale,
        },
        axes: [
          {...axis, space: 70, size: 28, values: [[1, '{HH}:{mm}:{ss}', null, null, null, null, null, null, 0]]},
          {...axis, size: 52, space: 28, splits: this.what.splits, filter: (plot, ticks) => ticks,
            values: (plot, ticks) => ticks.map(this.what.tick)},
        ],
        series: [
          {},
          ...this.what.series.map((series) => ({
            label: series.label,
            stroke: colour(series.colour),
            width: series.width ?? 1.5,
            dash: series.dash,
            fill: series.fill ? colour(series.colour) + '33' : undefined,
            points: {show: false},
          })),
        ],
        hooks: {setCursor: [() => this.#tell()]},
      },
      this.data,
      this.canvas,
    );
  }

  #width() {
    return Math.max(200, Math.floor(this.canvas.clientWidth));
  }

  #fit() {
    if (this.plot && this.plot.width !== this.#width()) this.plot.setSize({width: this.#width(), height: HEIGHT});
  }

  // The values under the pointer, or the latest ones.
  #tell() {
    if (this.data === null) return;
    const last = this.data[0].length - 1;
    const at = this.plot?.cursor.idx ?? last;
    const texts = this.what.series.map((series, index) => this.what.text(this.data[index + 1][at]));
    texts.forEach((text, index) => setText(this.values[index], text));
    const latest = this.what.series.map(
      (series, index) => `${series.label} ${this.what.text(this.data[index + 1][last])}`,
    );
    setAttribute(this.canvas, 'aria-label', `${this.what.title}, now: ${latest.join(', ')}`);
  }
}

export class Plots {
  constructor() {
    const parent = byId('plots');
    if (typeof window.uPlot === 'function') {
      this.plots = [USE, WAIT].map((what) => new Plot(parent, what));
      byId('licences').append('Plots: uPlot, ', element('a', {href: 'ui/uplot-licence.txt'}, 'MIT licence'), '.');
    } else {
      this.plots = [];
      parent.append(
        element('p', {class: 'quiet'}, 'This oxpoold was built without npm, so there are no plots; all else is here.'),
      );
    }
  }

  show(history) {
    for (const plot of this.plots) plot.show(history.columns);
  }
}
