// SPDX-License-Identifier: Apache-2.0
// Figure 3: the worked ring of 100 places, small enough to check by hand.
import type { KeyMap } from '../../bindings/js/src/core.js';
import { button, field, figure, Figure, h, plural, swatch,
  scroller } from './dom.js';
import { clockwise } from './library.js';
import { RingScene, RingView } from './ring.js';
import { CHANGE } from './time.js';

const NODES = [
  { name: 'A', positions: [5, 42, 71] },
  { name: 'B', positions: [18, 55, 88] },
  { name: 'C', positions: [30, 63, 95] },
  { name: 'D', positions: [20, 50, 80] },
];

export class WorkedFigure {
  private readonly figure: Figure;
  private readonly view: RingView;
  private here = [true, true, true, false];
  private map!: KeyMap;
  private readonly place = h('input', { type: 'number', min: '0', max: '99',
    value: '96', step: '1' });
  private readonly answer = h('p', { class: 'walk-text', role: 'status' });
  private readonly table = h('tbody');
  private readonly buttons: HTMLButtonElement[];

  constructor(id: string) {
    const f = this.figure = figure(id, 'A ring of 100 places', 'Three nodes ' +
      'with three points each. Every share can be counted on the rim.');
    this.view = new RingView(`${id}-caption`, 'A ring of places 0 to 99');
    this.buttons = NODES.map((_, i) => button('', () => void this.flip(i)));
    this.place.addEventListener('input', () => this.ask());
    f.picture.append(this.view.element);
    f.controls.append(h('div', { class: 'row' }, field('Place of a key',
      this.place)), this.answer, h('div', { class: 'row' }, ...this.buttons));
    f.side.append(scroller('Places each node owns', h('table', { class: 'plain' },
      h('caption', { class: 'hidden' }, 'Places each node owns'),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Node'),
        h('th', { scope: 'col' }, 'Points'),
        h('th', { scope: 'col', class: 'number' }, 'Owns'))), this.table)));
    this.view.onnode = (node) => void this.flip(node);
    this.map = this.mapNow();
    this.view.show(this.scene());
    this.render();
    this.ask();
    f.say('The three shares sum to all 100 places.');
  }

  private mapNow(): KeyMap {
    const fleet = clockwise.fleet(NODES.filter((_, i) => this.here[i]));
    return fleet.map({ algorithm: 'ring', size: 100 });
  }

  private numbers(map: KeyMap): number[] {
    return map.nodes().map((n) => NODES.findIndex((m) => m.name === n.name));
  }

  private scene(): RingScene {
    const number = this.numbers(this.map);
    const arcs = this.map.size ? this.map.arcTurns() : new Float64Array(0);
    for (let i = 0; i < arcs.length; i += 4) {
      arcs[i]! -= 0.01;
      arcs[i + 1]! -= 0.01;
      arcs[i + 2] = number[arcs[i + 2]!] ?? -1;
    }
    const points = this.map.pointTurns();
    for (let i = 1; i < points.length; i += 2)
      points[i] = number[points[i]!]!;
    return { nodes: 4, letters: NODES.map((n) => n.name), arcs, points,
      keys: { at: new Float64Array(0), owner: new Int32Array(0),
        names: undefined }, moved: new Float64Array(0), movedKeys: [],
      pinned: -1, mark: (place) => String(Math.round(place * 100)), gone: [] };
  }

  private async flip(i: number): Promise<void> {
    const before = this.map;
    const was = this.numbers(before);
    this.here[i] = !this.here[i];
    this.map = this.mapNow();
    const is = this.numbers(this.map);
    const diff = before.diff(this.map);
    const next = this.scene();
    const moved = before.diffTurns(this.map);
    for (let k = 0; k < moved.length; k += 4) {
      moved[k]! -= 0.01;
      moved[k + 1]! -= 0.01;
      moved[k + 2] = was[moved[k + 2]!] ?? -1;
      moved[k + 3] = is[moved[k + 3]!] ?? -1;
    }
    next.moved = moved;
    this.render();
    const places = diff.movedPositions;
    this.figure.say(`${NODES[i]!.name} ${this.here[i] ? 'joins' : 'leaves'}: ` +
      `${places} of 100 places change hands: ` +
      diff.flows.map((f) => `${f.from < 0 ? 'nobody'
        : diff.nodes[f.from]!.name} gives ${f.to < 0 ? 'nobody'
        : diff.nodes[f.to]!.name} ${f.positions}`).join(', ') + '.');
    this.ask();
    await this.view.change(next, CHANGE);
    this.ask();
  }

  private render(): void {
    const shares = this.map.shares().nodes;
    this.table.replaceChildren(...NODES.map((n, i) => {
      const k = this.map.find(n.name);
      return h('tr', { class: this.here[i] ? '' : 'out' },
        h('th', { scope: 'row' }, swatch(i, n.name), ' ', n.name),
        h('td', {}, n.positions.join(', ')), h('td', { class: 'number' },
          k < 0 ? 'out' : plural(Number(shares[k]!.positions), 'place')));
    }));
    this.buttons.forEach((b, i) => {
      b.textContent = `${NODES[i]!.name} ${this.here[i] ? 'leaves' : 'joins'}`;
    });
    const n = this.here.filter(Boolean).length;
    this.view.centre.replaceChildren(n === 0
      ? h('span', {}, 'The ring is empty: no node owns any key.')
      : h('span', {}, h('strong', {}, plural(n, 'node')), h('br'),
        plural(this.map.pointCount, 'point'), h('br'), 'places 0 to 99'));
  }

  /** Where does a key at this place go? */
  private ask(): void {
    const value = Number(this.place.value);
    if (this.place.value === '' || !Number.isInteger(value) || value < 0 ||
        value > 99) {
      this.answer.textContent = 'A place is a whole number from 0 to 99.';
      return;
    }
    const owner = this.map.ownerAt(BigInt(value));
    if (owner < 0) {
      this.answer.textContent = 'The ring is empty: no node owns any key.';
      this.view.clearWalk();
      return;
    }
    const node = this.map.node(owner).name;
    const at = this.map.points().filter((p) => p.node === owner)
      .map((p) => Number(p.position));
    const point = at.find((p) => p >= value) ?? at[0]! + 100;
    const far = point - value;
    this.answer.textContent = far === 0
      ? `A key at ${value} stands on a point of ${node}: it is ${node}'s.`
      : `A key at ${value} walks ${plural(far, 'place')}${point >= 100
        ? ', past 99 to 0 and on,' : ''} to ${point % 100}: ${node} has it.`;
    if (!this.view.motion.busy)
      this.view.hold({ from: value / 100, stops: [{ place: point / 100,
        node: NODES.findIndex((n) => n.name === node) }] }, 1);
  }
}
