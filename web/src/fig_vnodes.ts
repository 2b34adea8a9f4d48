// SPDX-License-Identifier: Apache-2.0
// Figure 4: how even a ring is with more points a node.
import type { PlacementOptions } from '../../bindings/js/src/core.js';
import { button, count, field, figure, Figure, h, label, percent, svg,
  swatch, times,
  scroller } from './dom.js';
import { clockwise } from './library.js';
import { choices, takesPoints } from './rows.js';

const KEYS = Array.from({ length: 4000 }, (_, i) => `item:${i}`);
const STOPS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000];
const NAME_SETS = [['cache-a', 'cache-b', 'cache-c', 'cache-d'],
  ['redis-1', 'redis-2', 'redis-3', 'redis-4'],
  ['10.0.0.1:11211', '10.0.0.2:11211', '10.0.0.3:11211', '10.0.0.4:11211'],
  ['north', 'east', 'south', 'west']];
const HASHES = ['compat:textbook-fnv1a-js', 'ring', 'compat:ketama160',
  'compat:textbook-fnv1a', 'compat:textbook-md5'];
const W = 640, H = 470, LEFT = 46, RIGHT = 24, TOP = 16, BOTTOM = 40;
const MOST = 2.6;

/** Points a node for a place of the slider, 0 to 300: even in the log. */
const pointsAt = (at: number) => Math.round(1000 ** (at / 300));

export class VnodesFigure {
  private readonly figure: Figure;
  private points = 1;
  private names = 0;
  private hash = 0;
  private readonly known = HASHES.filter((id) =>
    choices().some((c) => c.id === id && takesPoints(c)));
  private readonly slider = h('input', { type: 'range', min: '0',
    max: '300', value: '0' });
  private readonly number = h('input', { type: 'number', min: '1',
    max: '1000', value: '1' });
  private readonly chart: SVGElement;
  private readonly rows = h('tbody');
  private readonly setText = h('p', { class: 'walk-text' });
  private dots: SVGElement[] = [];

  constructor(id: string) {
    const f = this.figure = figure(id, 'Virtual nodes', 'Four nodes and ' +
      `${count(KEYS.length)} keys. Each dot is a node's keys beside its fair ` +
      'share; drag the points up and see them close in.');
    this.chart = svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img',
      'aria-label': 'Keys of each node beside the fair share, by points' });
    this.slider.addEventListener('input', () => {
      this.points = pointsAt(Number(this.slider.value));
      this.number.value = String(this.points);
      this.draw();
    });
    this.number.addEventListener('change', () => this.type());
    f.picture.append(this.chart);
    f.controls.append(h('div', { class: 'row' },
      field('Points a node, 1 to 1,000', this.slider),
      field('exactly', this.number)), h('div', { class: 'row' },
      button('Other names', () => {
        this.names = (this.names + 1) % NAME_SETS.length;
        this.redo();
      }), button('Other hash', () => {
        this.hash = (this.hash + 1) % this.known.length;
        this.redo();
      })), this.setText);
    f.side.append(scroller('Keys of each node', h('table', { class: 'plain' },
      h('caption', { class: 'hidden' }, 'Keys of each node'),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Node'),
        ...['Keys', '÷ fair', 'Arc, exact'].map((text) => h('th',
          { scope: 'col', class: 'number' }, text)))), this.rows)));
    this.redo();
  }

  private type(): void {
    const value = Number(this.number.value);
    if (!Number.isInteger(value) || value < 1 || value > 1000) {
      this.figure.say('Points a node: a whole number from 1 to 1,000.');
      return;
    }
    this.points = value;
    this.slider.value =
      String(Math.round(Math.log(value) / Math.log(1000) * 300));
    this.draw();
  }

  private options(points: number): PlacementOptions {
    const row = choices().find((c) => c.id === this.known[this.hash])!;
    return { ...row.options, points };
  }

  /** Keys ÷ fair and exact share of each node. */
  private measure(points: number) {
    const names = NAME_SETS[this.names]!;
    const fleet = clockwise.fleet(names);
    const map = fleet.map(this.options(points));
    const counts = new Array<number>(names.length).fill(0);
    const at = map.nodes().map((n) => names.indexOf(n.name));
    for (const i of map.owners(KEYS)) counts[at[i]!]!++;
    const exact = new Array<number>(names.length).fill(0);
    map.shares().nodes.forEach((s, i) => { exact[at[i]!] = s.part; });
    map.free();
    fleet.free();
    return { counts, exact,
      ratio: counts.map((n) => n / (KEYS.length / names.length)) };
  }

  private redo(): void {
    this.setText.replaceChildren(`${NAME_SETS[this.names]!.join(', ')}; ` +
      `${(this.known[this.hash] ?? '').replace('compat:', '')}.`);
    this.frame();
    this.draw();
  }

  private x(points: number): number {
    return LEFT + (W - LEFT - RIGHT) * Math.log(points) / Math.log(1000);
  }

  private y(ratio: number): number {
    return TOP + (H - TOP - BOTTOM) * (1 - Math.min(ratio, MOST) / MOST);
  }

  /** Axes, the band that theory gives, and dots at every stop. */
  private frame(): void {
    const upper: string[] = [], lower: string[] = [];
    for (let i = 0; i <= 60; i++) {
      const v = 1000 ** (i / 60);
      const sigma = Math.sqrt(3 / (4 * v + 1));
      upper.push(`${this.x(v).toFixed(1)},${this.y(1 + sigma).toFixed(1)}`);
      lower.unshift(`${this.x(v).toFixed(1)},${
        this.y(Math.max(0, 1 - sigma)).toFixed(1)}`);
    }
    this.chart.replaceChildren(
      svg('polygon', { class: 'theory', points: [...upper, ...lower]
        .join(' ') }),
      svg('polyline', { class: 'theory-line', points: upper.join(' ') }),
      svg('polyline', { class: 'theory-line', points: lower.join(' ') }),
      svg('line', { class: 'fair', x1: LEFT, x2: W - RIGHT, y1: this.y(1),
        y2: this.y(1) }),
      ...[0, 0.5, 1, 1.5, 2, 2.5].map((v) => label(`${v}×`, { class: 'tick',
        x: LEFT - 8, y: this.y(v) + 4, 'text-anchor': 'end' })),
      ...STOPS.map((v) => label(String(v), { class: 'tick', x: this.x(v),
        y: H - BOTTOM + 20, 'text-anchor': 'middle' })),
      label('points a node', { class: 'tick', x: (W + LEFT) / 2, y: H - 4,
        'text-anchor': 'middle' }),
      label('± 1/√points', { class: 'tick strong', x: this.x(2.2),
        y: this.y(1.86) }),
      ...STOPS.flatMap((v) => this.measure(v).ratio.map((r, i) =>
        svg('circle', { class: `dot hue-${i}`, r: 3.5, cx: this.x(v),
          cy: this.y(r) }))));
    const line = svg('line', { class: 'now', y1: TOP, y2: H - BOTTOM });
    this.dots = [line, ...NAME_SETS[0]!.map((_, i) =>
      svg('circle', { class: `dot big hue-${i}`, r: 7.5 }))];
    this.chart.append(...this.dots);
  }

  private draw(): void {
    const { counts, exact, ratio } = this.measure(this.points);
    const x = this.x(this.points).toFixed(1);
    this.dots[0]!.setAttribute('x1', x);
    this.dots[0]!.setAttribute('x2', x);
    ratio.forEach((r, i) => {
      this.dots[i + 1]!.setAttribute('cx', x);
      this.dots[i + 1]!.setAttribute('cy', this.y(r).toFixed(1));
    });
    this.slider.setAttribute('aria-valuetext', `${this.points} points`);
    this.rows.replaceChildren(...NAME_SETS[this.names]!.map((name, i) =>
      h('tr', {}, h('th', { scope: 'row' }, swatch(i, 'ABCD'[i]!), ' ', name),
        h('td', { class: 'number' }, count(counts[i]!)),
        h('td', { class: 'number' }, times(ratio[i]!)),
        h('td', { class: 'number' }, percent(exact[i]!)))));
    const most = Math.max(...ratio), least = Math.min(...ratio);
    this.figure.say(`${count(this.points)} ${this.points === 1 ? 'point'
      : 'points'} a node: the busiest has ${times(most)} its fair share of ` +
      `the keys, the idlest ${times(least)}. Theory: ± ${percent(
        Math.sqrt(3 / (4 * this.points + 1)))}; four times the points halve ` +
      'the spread.');
  }
}

/** What an ideal hash gives for 4 × 128 points: over many sets of names. */
export function idealRings(sets: number): { within: number; median: number } {
  const peaks: number[] = [];
  let within = 0;
  for (let s = 0; s < sets; s++) {
    const fleet = clockwise.fleet([0, 1, 2, 3].map((i) => `set-${s}-${i}`));
    const map = fleet.map({ algorithm: 'ring', points: 128 });
    const parts = map.shares().nodes.map((n) => n.part * 4);
    map.free();
    fleet.free();
    peaks.push(Math.max(...parts));
    if (parts.every((p) => p > 0.95 && p < 1.05)) within++;
  }
  peaks.sort((a, b) => a - b);
  return { within: within / sets, median: peaks[sets >> 1]! };
}
