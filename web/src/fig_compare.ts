// SPDX-License-Identifier: Apache-2.0
// Figure 5: every algorithm under the same change.
import type { Diff, NodeSpec, Shares } from '../../bindings/js/src/core.js';
import { button, figure, Figure, h, percent, times,
  scroller } from './dom.js';
import { clockwise } from './library.js';

const ORDER = ['ring', 'slots', 'rendezvous', 'jump', 'maglev', 'multiprobe',
  'modulo'];
const KEYS = Array.from({ length: 20000 }, (_, i) => `key:${i}`);
const EIGHT = Array.from({ length: 8 }, (_, i): NodeSpec & { name: string } =>
  ({ name: `node-${i + 1}`, weight: 1 }));

const CHANGES: readonly (readonly [string, string,
  (n: typeof EIGHT) => typeof EIGHT])[] = [
  ['add', 'Add a ninth node', (n) => [...n, { name: 'node-9', weight: 1 }]],
  ['last', 'Remove the last', (n) => n.slice(0, -1)],
  ['middle', 'Remove a middle one', (n) => n.filter((_, i) => i !== 3)],
  ['double', 'Double one weight', (n) => n.map((node, i) =>
    (i === 3 ? { ...node, weight: 2 } : node))],
];

interface Result {
  name: string;
  summary: string;
  refused?: string;
  shares?: Shares;
  peak?: number;
  idle?: number;
  diff?: Diff;
}

export class CompareFigure {
  private readonly figure: Figure;
  private readonly rows = h('tbody');
  private readonly buttons: HTMLButtonElement[];
  private now = 0;

  constructor(id: string) {
    const f = this.figure = figure(id, 'The same change, every algorithm',
      'Eight equal nodes. Choose a change; bars show the share of keys that ' +
      'moves, the mark the least that had to.');
    f.root.classList.add('wide');
    this.buttons = CHANGES.map(([, text], i) =>
      button(text, () => this.go(i), { class: 'segment' }));
    f.controls.append(h('div', { class: 'row segments', role: 'group',
      'aria-label': 'Change' }, ...this.buttons));
    f.picture.append(scroller('Balance and movement by algorithm',
      h('table', { class: 'plain compare' },
        h('caption', { class: 'hidden' }, 'Balance and movement by algorithm'),
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Algorithm'),
          h('th', { scope: 'col' }, 'Moved'),
          ...['least possible', 'needlessly', 'busiest', 'idlest', 'basis']
            .map((text) => h('th', { scope: 'col', class: 'number' },
              text)))), this.rows)));
    this.go(0);
  }

  private go(change: number): void {
    this.now = change;
    this.buttons.forEach((b, i) =>
      b.setAttribute('aria-pressed', String(i === change)));
    const results = clockwise.rows('algorithms')
      .filter((row) => ORDER.includes(row.name))
      .sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name))
      .map((row) => this.measure(row.name, row.summary));
    this.rows.replaceChildren(...results.map((r) => this.row(r)));
    this.say(results);
  }

  private measure(name: string, summary: string): Result {
    const make = (nodes: typeof EIGHT) =>
      clockwise.fleet(nodes).map({ algorithm: name });
    try {
      const before = make(EIGHT);
      const after = make(CHANGES[this.now]![2](EIGHT));
      const shares = after.shares();
      const parts = this.parts(shares, after.owners(KEYS));
      return { name, summary, shares, diff: before.diff(after),
        peak: Math.max(...parts), idle: Math.min(...parts) };
    } catch (error) {
      return { name, summary,
        refused: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Share ÷ fair: exact where the arcs say it, else counted. */
  private parts(shares: Shares, owners: Int32Array): number[] {
    if (shares.basis === 'exact')
      return shares.nodes.map((n) => n.part / n.fair);
    const counts = new Array<number>(shares.nodes.length).fill(0);
    for (const i of owners) counts[i]!++;
    return shares.nodes.map((n, i) => counts[i]! / KEYS.length / n.fair);
  }

  private row(r: Result): HTMLElement {
    const head = h('th', { scope: 'row' }, h('strong', {}, r.name),
      h('small', {}, r.summary));
    if (!r.diff)
      return h('tr', { 'data-row': r.name, class: 'refused' }, head,
        h('td', { colspan: '6' }, `refused: ${r.refused}`));
    const { moved, ideal, excessChurn, basis } = r.diff;
    const needed = h('span', { class: 'needed' });
    const excess = h('span', { class: 'excess' });
    const mark = h('span', { class: 'least' });
    needed.style.width = `${(moved - excessChurn) * 100}%`;
    excess.style.width = `${excessChurn * 100}%`;
    excess.hidden = excessChurn === 0;
    mark.style.left = `${ideal * 100}%`;
    return h('tr', { 'data-row': r.name }, head,
      h('td', { class: 'moved-cell' }, h('span', { class: 'track',
        'aria-hidden': 'true' }, needed, excess, mark),
      h('span', { class: 'amount' }, percent(moved))),
      h('td', { class: 'number' }, percent(ideal)),
      h('td', { class: 'number' }, percent(excessChurn)),
      h('td', { class: 'number' }, times(r.peak!)),
      h('td', { class: 'number' }, times(r.idle!)),
      h('td', { class: 'number' }, basis === 'sampled' ? 'sample' : basis));
  }

  private say(results: Result[]): void {
    const done = results.filter((r) => r.diff);
    const worst = done.reduce((a, b) =>
      (b.diff!.moved > a.diff!.moved ? b : a));
    const clean = done.filter((r) => r.diff!.excessChurn === 0);
    this.figure.say(`${CHANGES[this.now]![1]}: `,
      `${clean.map((r) => r.name).join(', ') || 'none'} `,
      `${clean.length === 1 ? 'moves' : 'move'} nothing without need; `,
      `${worst.name} moves ${percent(worst.diff!.moved)}.`,
      done.length < results.length ? ` ${results.filter((r) => !r.diff)
        .map((r) => r.name).join(', ')}: refused, see the table.` : '');
  }
}
