// SPDX-License-Identifier: Apache-2.0
// Figure 2: the same keys under hash % N and on the ring.
import demo from './demo.json';
import { button, count, figure, Figure, h, percent, swatch,
  scroller } from './dom.js';
import { clockwise } from './library.js';

const NAMES = ['A', 'B', 'C', 'D'];
const KEYS = 10000;
const STEPS = [[3, 4], [4, 5], [9, 10]] as const;

interface Owners { modulo: number[]; ring: number[] }

/** Owners of the fixture's keys with the first n nodes. */
function ownersWith(n: number): Owners {
  const names = NAMES.slice(0, n);
  const at = (name: string) =>
    demo.nodes.find((node) => node.name === name)!.position;
  const plain = clockwise.fleet(names);
  const placed = clockwise.fleet(names.map((name) => ({ name,
    positions: [at(name)] })));
  const modulo = plain.map({ algorithm: 'modulo' });
  const ring = placed.map({ algorithm: 'ring', size: demo.size });
  const number = (i: number) => NAMES.indexOf(ring.node(i).name);
  return {
    modulo: demo.keys.map((k) => modulo.orderOf(BigInt(k.position), 1)[0]!),
    ring: demo.keys.map((k) => number(ring.ownerAt(BigInt(k.position)))),
  };
}

export class RemapFigure {
  private readonly figure: Figure;
  private nodes = 3;
  private readonly three = ownersWith(3);
  private readonly four = ownersWith(4);
  private readonly lanes: Record<'modulo' | 'ring', HTMLElement>;
  private readonly totals: Record<'modulo' | 'ring', HTMLElement>;
  private readonly buttons: HTMLButtonElement[];

  constructor(id: string) {
    const f = this.figure = figure(id, 'Twelve keys, one node more',
      'The same keys under hash % N and on the ring. Switch between three ' +
      'and four nodes and count what moves.');
    this.lanes = { modulo: h('ul', { class: 'chips' }),
      ring: h('ul', { class: 'chips' }) };
    this.totals = { modulo: h('output', {}), ring: h('output', {}) };
    this.buttons = [3, 4].map((n) => button(`${n} nodes`, () => this.go(n),
      { class: 'segment' }));
    f.root.classList.add('wide');
    f.controls.append(h('div', { class: 'row segments', role: 'group',
      'aria-label': 'Number of nodes' }, ...this.buttons));
    f.picture.append(
      this.lane('modulo', 'hash % N', 'the remainder names the node'),
      this.lane('ring', 'ring', 'the first node clockwise has the key'));
    f.side.append(this.table());
    this.go(3);
  }

  private lane(which: 'modulo' | 'ring', title: string, text: string) {
    return h('div', { class: 'lane', 'data-lane': which },
      h('div', { class: 'lane-head' }, h('strong', {}, title),
        h('span', {}, text), this.totals[which]), this.lanes[which]);
  }

  private go(n: number): void {
    this.nodes = n;
    this.buttons.forEach((b, i) =>
      b.setAttribute('aria-pressed', String(i + 3 === n)));
    const now = n === 3 ? this.three : this.four;
    const moved = { modulo: this.fill('modulo', now),
      ring: this.fill('ring', now) };
    this.figure.say(n === 3
      ? 'Three nodes: every key where it began.'
      : `A fourth node: hash % N moves ${moved.modulo} of ${
        demo.keys.length} keys, the ring ${moved.ring} of ${
        demo.keys.length}.`);
  }

  private fill(which: 'modulo' | 'ring', now: Owners): number {
    let moved = 0;
    this.lanes[which].replaceChildren(...demo.keys.map((key, i) => {
      const owner = now[which][i]!;
      const other = owner !== this.three[which][i];
      if (other) moved++;
      return h('li', { class: other ? 'moved' : '' },
        swatch(owner, NAMES[owner]!), h('span', {}, key.name),
        other && h('span', { class: 'from' },
          `was ${NAMES[this.three[which][i]!]}`));
    }));
    this.totals[which].textContent = this.nodes === 3 ? ''
      : `${moved} of ${demo.keys.length} moved`;
    return moved;
  }

  // ---- the table, from ten thousand keys ---------------------------------

  private table(): HTMLElement {
    const keys = Array.from({ length: KEYS }, (_, i) => `key:${i}`);
    const mapOf = (n: number, algorithm: string) => clockwise.fleet(
      Array.from({ length: n }, (_, i) => `node-${i + 1}`))
      .map({ algorithm });
    const part = (n: number, m: number, algorithm: string) => {
      const before = mapOf(n, algorithm), after = mapOf(m, algorithm);
      const was = before.owners(keys), is = after.owners(keys);
      let moved = 0;
      was.forEach((owner, i) => {
        if (before.node(owner).name !== after.node(is[i]!).name) moved++;
      });
      const exact = algorithm === 'ring' ? before.diff(after).moved
        : undefined;
      return { moved: moved / KEYS, exact };
    };
    const band = (p: number) => 2 * Math.sqrt(p * (1 - p) / KEYS);
    const row = (n: number, m: number, algorithm: string) => {
      const expected = algorithm === 'modulo' ? n / m : 1 / m;
      const { moved, exact } = part(n, m, algorithm);
      const centre = exact ?? expected;
      const inside = Math.abs(moved - centre) <= band(centre);
      return h('tr', { 'data-row': `${algorithm} ${n}` },
        h('th', { scope: 'row' }, `${n} → ${m}`),
        h('td', {}, algorithm === 'modulo' ? 'hash % N' : 'ring'),
        h('td', { class: 'number' }, percent(expected)),
        h('td', { class: 'number' }, exact === undefined ? '–'
          : percent(exact)),
        h('td', { class: 'number' }, percent(moved)),
        h('td', { class: 'number' }, `± ${percent(band(centre))}`,
          inside ? '' : ' (outside)'));
    };
    return scroller('Moved when a node is added', h('table', { class: 'plain' },
      h('caption', {}, `Moved when a node is added: expected, exact for ` +
        `these names, and a sample of ${count(KEYS)} keys with the band ` +
        'that 95 % of samples fall into. The ring has 160 points a node.'),
      h('thead', {}, h('tr', {}, ...['Nodes', 'Method', 'Expected', 'Exact',
        'Sample', 'Band'].map((text, i) => h('th', { scope: 'col',
        class: i > 1 ? 'number' : '' }, text)))),
      h('tbody', {}, ...STEPS.flatMap(([n, m]) =>
        [row(n, m, 'modulo'), row(n, m, 'ring')]))));
  }
}
