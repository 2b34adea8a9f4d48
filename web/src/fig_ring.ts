// SPDX-License-Identifier: Apache-2.0
// Figure 1: the ring. state -> plan (the core) -> render.
import type { KeyMap, PlacementOptions } from '../../bindings/js/src/core.js';
import demo from './demo.json';
import { button, count, field, figure, Figure, h, letter, name, percent,
  plural, select } from './dom.js';
import { FleetTable } from './fleet_table.js';
import { clockwise } from './library.js';
import { copyLink, PageState } from './link.js';
import { RingScene, RingView, Walk } from './ring.js';
import { choice, takesPoints, withArcs } from './rows.js';
import { CHANGE, reduced } from './time.js';

interface Member {
  name: string;
  weight: number;
  out: boolean;
  position?: number;
}

interface State {
  placement: string;        // 'demo', or the id of a choice
  nodes: Member[];
  points: number;
  keys: number;             // 12: those set by hand
  replicas: number;
}

/** A plan without its picture. */
interface Half {
  map: KeyMap;
  number: number[];         // of the map's nodes in the state's list
  keys: RingScene['keys'];
  shares: number[];
  counts: number[];
}

interface Plan extends Half {
  scene: RingScene;
}

/** Points and keys above which a change is worked out over a few frames. */
const LARGE = 10000;

const demoState = (): State => ({ placement: 'demo',
  nodes: demo.nodes.map((n) => ({ ...n, weight: 1, out: false })),
  points: 1, keys: 12, replicas: 1 });

const fleetOf = (n: number): Member[] => Array.from({ length: n }, (_, i) => ({
  name: `cache-${String(i + 1).padStart(n > 99 ? 3 : 2, '0')}`, weight: 1,
  out: false }));

const STEPS = ['Hash the key', 'Find its place', 'Walk to the owner'];

export class RingFigure {
  private readonly figure: Figure;
  private readonly view: RingView;
  private readonly table = new FleetTable('Nodes, their shares and keys');
  private state = demoState();
  private plan!: Plan;
  private speed = 1;
  private playing = 0;      // number of the run, 0 for none
  private runs = 0;
  private changes = 0;
  private touched = false;
  private step = 0;
  private readonly controls: Record<string, HTMLElement & { value: string }>;
  private readonly walkText = h('p', { class: 'walk-text', role: 'status' });
  private readonly strip = h('ol', { class: 'street',
    tabindex: '0', 'aria-label': 'Points around this place' });
  private readonly probe: HTMLInputElement;
  private readonly where = h('p', { class: 'where' });
  private readonly play: HTMLButtonElement;
  private readonly keyInput: HTMLInputElement;
  private readonly stepButton: HTMLButtonElement;

  constructor(id: string) {
    this.figure = figure(id, 'The ring', 'A key belongs to the first node ' +
      'clockwise. Click a node, on the ring or in the table, to remove it; ' +
      'click again to bring it back.');
    this.view = new RingView(`${id}-caption`, 'The ring of nodes and keys');
    this.play = button('▶ Play: D leaves', () => void this.toggle(),
      { class: 'primary' });
    this.keyInput = h('input', { type: 'text', value: 'doc:a1',
      spellcheck: 'false', autocomplete: 'off', maxlength: '400',
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === 'Enter') void this.walk();
      } });
    this.keyInput.addEventListener('input', () => this.forgetWalk());
    this.stepButton = button('Step', () => this.nextStep());
    this.probe = h('input', { type: 'range', min: '0', max: '9999',
      value: '0', step: '1' });
    this.probe.addEventListener('input', () => this.look());
    this.probe.addEventListener('keydown', (event) => this.jump(event));
    this.controls = this.buildControls();
    this.assemble();
    this.view.onnode = (node) => void this.flip(node);
    this.view.onarc = (node) => this.pin(node);
    this.view.onhover = (place) => this.tell(place);
    this.table.ontoggle = (node) => void this.flip(node);
    this.table.onpin = (node) => this.pin(node);
    this.reset();
    this.touched = false;
  }

  // ---- building ----------------------------------------------------------

  private buildControls() {
    const set = (change: (value: string) => void) => (value: string) => {
      this.stop();
      change(value);
      this.rebuild();
    };
    const arcs = withArcs().map((c) => [c.id, c.text] as const);
    return {
      placement: select([['demo', 'demo: degrees set by hand'], ...arcs],
        'demo', set((value) => this.setPlacement(value))),
      points: select(['1', '4', '16', '64', '128', '160', '512']
        .map((v) => [v, v] as const), '1',
      set((value) => { this.state.points = Number(value); })),
      nodes: select([['demo', 'the four of the demo'], ['3', '3'],
        ['12', '12'], ['50', '50'], ['300', '300'], ['0', 'none']],
      'demo', set((value) => this.setNodes(value))),
      keys: select([['12', '12, by hand'], ['24', '24'], ['1000', '1,000'],
        ['10000', '10,000'], ['0', 'none']], '12',
      set((value) => { this.state.keys = Number(value); })),
      replicas: select([['1', '1'], ['2', '2'], ['3', '3'], ['4', '4'],
        ['5', '5']], '1', (value) => {
        this.state.replicas = Number(value);
        void this.walk();
      }),
      speed: select([['0.5', '½×'], ['1', '1×'], ['2', '2×']], '1',
        (value) => { this.speed = Number(value); }),
      weighted: select([], '', (value) => this.showWeight(value)),
      weight: h('input', { type: 'number', min: '0', max: '1000',
        step: '0.5', value: '1' }),
      added: h('input', { type: 'text', value: 'E', maxlength: '200',
        spellcheck: 'false', autocomplete: 'off' }),
    };
  }

  private assemble(): void {
    const f = this.figure, c = this.controls;
    c['weight']!.addEventListener('change', () => this.setWeight());
    c['added']!.addEventListener('keydown', (event) => {
      if ((event as KeyboardEvent).key === 'Enter') void this.add();
    });
    f.picture.append(this.view.element);
    f.controls.append(
      h('div', { class: 'row' }, this.play,
        button('Reset', () => this.reset()),
        button('Copy link', () => void copyLink({ ring: this.state })
          .then((text) => f.say(text))),
        field('Speed', c['speed']!)),
      h('div', { class: 'row' }, field('A key', this.keyInput,
        button('Walk', () => void this.walk()), this.stepButton)),
      this.walkText);
    f.side.append(this.table.element,
      h('details', {}, h('summary', {}, 'Change the ring: nodes, weights, ' +
        'points, placement'),
      h('div', { class: 'row' },
        field('New node', c['added']!, button('Add', () => void this.add())),
        field('Weight of', c['weighted']!, c['weight']!)),
      h('div', { class: 'row' }, field('Placement', c['placement']!),
        field('Points per node', c['points']!)),
      h('div', { class: 'row' }, field('Nodes', c['nodes']!),
        field('Keys', c['keys']!), field('Copies of a key', c['replicas']!))),
      h('details', { class: 'near' }, h('summary', {},
        'Look closer: the points one after the other'),
      field('Place on the ring', this.probe), this.where, this.strip));
    c['weight']!.setAttribute('aria-label', 'Weight');
    f.root.querySelector('.near')!.addEventListener('toggle', (event) => {
      if ((event.target as HTMLDetailsElement).open) this.look();
      else this.view.point(undefined);
    });
  }

  // ---- state -------------------------------------------------------------

  private reset(): void {
    this.stop();
    this.state = demoState();
    this.rebuild();
    this.figure.say('Four nodes, twelve keys; all places in this demo are ' +
      'set by hand, in degrees. Each node owns what lies between the one ' +
      'before it and itself.');
  }

  /** State from a link; anything odd falls back to the demo. */
  load(given: PageState['ring']): boolean {
    const s = given as Partial<State> | undefined;
    if (!s || !Array.isArray(s.nodes) || s.nodes.length > 1000) return false;
    const nodes = s.nodes.map((n: Partial<Member>) => ({
      name: String(n.name ?? '').slice(0, 200),
      weight: Number(n.weight ?? 1), out: n.out === true,
      ...(Number.isInteger(n.position) && n.position! >= 0 &&
        n.position! < 360 ? { position: n.position! } : {}) }));
    const number = (v: unknown, fallback: number, most: number) =>
      Number.isInteger(v) && (v as number) >= 0 && (v as number) <= most
        ? v as number : fallback;
    const before = this.state;
    this.stop();
    this.state = { nodes,
      placement: s.placement && (s.placement === 'demo' ||
        choice(s.placement)) ? s.placement : 'demo',
      points: number(s.points, 1, 1000) || 1,
      keys: number(s.keys, 12, 10000),
      replicas: number(s.replicas, 1, 5) || 1 };
    try {
      this.rebuild();
      return true;
    } catch {
      this.state = before;
      this.rebuild();
      return false;
    }
  }

  private setPlacement(id: string): void {
    const s = this.state;
    if (id === 'demo') Object.assign(s, demoState());
    else if (s.placement === 'demo') {
      s.points = 16;
      if (s.keys === 12) s.keys = 24;
    }
    s.placement = id;
  }

  private setNodes(value: string): void {
    const s = this.state;
    if (value === 'demo') {
      this.state = demoState();
      return;
    }
    s.nodes = fleetOf(Number(value));
    if (s.placement === 'demo') this.setPlacement('ring');
    if (s.nodes.length >= 50) s.points = 128;
    if (s.nodes.length >= 50) s.keys = s.nodes.length > 100 ? 10000 : 1000;
  }

  private async add(): Promise<void> {
    const text = this.controls['added']!.value;
    if (text === '' || this.state.nodes.some((n) => n.name === text)) {
      this.figure.say(text === '' ? 'A node needs a name.' : 'A node named ',
        text && name(text), text && ' is there already.');
      return;
    }
    this.stop();
    await this.change({ ...this.state, nodes: [...this.state.nodes,
      { name: text, weight: 1, out: false }] }, [name(text), ' added: ']);
    this.controls['added']!.value = this.freshName();
    this.fillControls();
  }

  private freshName(): string {
    for (let i = 0; ; i++) {
      const text = this.state.nodes.some((n) => n.name.length > 1)
        ? `cache-new-${i + 1}` : letter(i);
      if (!this.state.nodes.some((n) => n.name === text)) return text;
    }
  }

  private setWeight(): void {
    const i = Number(this.controls['weighted']!.value);
    const node = this.state.nodes[i];
    const weight = Number(this.controls['weight']!.value);
    if (!node || weight === node.weight) return;
    if (node.position !== undefined && this.state.placement === 'demo') {
      this.figure.say('This node\'s place is set by hand, so its weight ' +
        'decides nothing. Choose another placement first.');
      this.controls['weight']!.value = String(node.weight);
      return;
    }
    this.stop();
    const nodes = this.state.nodes.map((n, k) =>
      (k === i ? { ...n, weight } : n));
    void this.change({ ...this.state, nodes },
      [name(node.name), ` now has weight ${weight}: `]);
  }

  private showWeight(value: string): void {
    this.controls['weight']!.value =
      String(this.state.nodes[Number(value)]?.weight ?? 1);
  }

  /** Remove a node, or bring it back. */
  private async flip(i: number): Promise<void> {
    const node = this.state.nodes[i];
    if (!node) return;
    this.stop();
    await this.flipNow(i);
  }

  private async flipNow(i: number): Promise<void> {
    const node = this.state.nodes[i]!;
    const nodes = this.state.nodes.map((n, k) =>
      (k === i ? { ...n, out: !n.out } : n));
    await this.change({ ...this.state, nodes },
      [name(node.name), node.out ? ' is back: ' : ' removed: ']);
  }

  // ---- plan: the core's answers ------------------------------------------

  private options(state: State): PlacementOptions {
    if (state.placement === 'demo')
      return { algorithm: 'ring', size: demo.size, points: state.points };
    const c = choice(state.placement)!;
    return takesPoints(c) ? { ...c.options, points: state.points }
      : c.options;
  }

  private halfOf(state: State): Half {
    const fleet = clockwise.fleet(state.nodes.filter((n) => !n.out)
      .map((n) => ({ name: n.name, weight: n.weight,
        ...(n.position !== undefined && state.placement === 'demo'
          ? { positions: [n.position] } : {}) })));
    let map: KeyMap;
    try {
      map = fleet.map(this.options(state));
    } finally {
      fleet.free();
    }
    const at = new Map(state.nodes.map((n, i) => [n.name, i]));
    const number = map.nodes().map((n) => at.get(n.name)!);
    const shares = new Array<number>(state.nodes.length).fill(0);
    map.shares().nodes.forEach((s, i) => { shares[number[i]!] = s.part; });
    const keys = this.keysOf(state, map, number);
    const counts = new Array<number>(state.nodes.length).fill(0);
    for (const owner of keys.owner) if (owner >= 0) counts[owner]!++;
    return { map, number, shares, counts, keys };
  }

  /** Let others have a frame; false: another change has come meanwhile. */
  private async rest(run: number): Promise<boolean> {
    await new Promise((done) => setTimeout(done, 0));
    return run === this.changes;
  }

  private large(half: Half): boolean {
    return half.map.pointCount + half.keys.at.length > LARGE;
  }

  private keysOf(state: State, map: KeyMap, number: number[]):
    RingScene['keys'] {
    if (state.keys === 12 && state.placement === 'demo') {
      return { names: demo.keys.map((k) => k.name),
        at: Float64Array.from(demo.keys, (k) => k.position / demo.size),
        owner: Int32Array.from(demo.keys, (k) =>
          number[map.ownerAt(BigInt(k.position))] ?? -1) };
    }
    const names = Array.from({ length: state.keys }, (_, i) => `user:${i}`);
    return { names: undefined, at: map.turns(names),
      owner: Int32Array.from(map.owners(names), (i) => number[i] ?? -1) };
  }

  private sceneOf(state: State, { map, number, keys }: Half): RingScene {
    const arcs = map.size ? map.arcTurns() : new Float64Array(0);
    const unit = 1 / (Number(map.top) + 1);
    for (let i = 0; i < arcs.length; i += 4) {
      // an arc ends on its point: visible on a ring of 360 places
      arcs[i]! -= unit;
      arcs[i + 1]! -= unit;
      arcs[i + 2] = arcs[i + 3] = number[arcs[i + 2]!] ?? -1;
    }
    let points: Float64Array = new Float64Array(0);
    try {
      points = map.pointTurns();
    } catch { /* a placement that keeps no points in the open */ }
    for (let i = 1; i < points.length; i += 2)
      points[i] = number[points[i]!]!;
    return { nodes: state.nodes.length, keys, arcs, points,
      letters: state.nodes.map((n, i) =>
        (Array.from(n.name).length === 1 ? n.name : letter(i))),
      moved: new Float64Array(0), movedKeys: [], pinned: -1,
      mark: state.placement === 'demo' && points.length <= 32
        ? (place) => `${Math.round(place * 360)}°` : undefined,
      gone: state.placement !== 'demo' ? [] : state.nodes.flatMap((n, i) =>
        (n.out && n.position !== undefined
          ? [{ place: n.position / 360, node: i }] : [])) };
  }

  // ---- render ------------------------------------------------------------

  private rebuild(): void {
    const run = ++this.changes;
    const half = this.halfOf(this.state);
    if (!this.large(half)) this.put(half);
    else void this.rest(run).then((ok) =>
      (ok ? this.put(half) : half.map.free()));
  }

  private put(half: Half): void {
    this.plan?.map.free();
    const next = this.plan = { ...half,
      scene: this.sceneOf(this.state, half) };
    this.forgetWalk();
    this.view.show(next.scene);
    this.fillControls();
    this.render();
    this.figure.say(plural(this.active(), 'node'), ', ',
      plural(next.map.pointCount, 'point'), ', ',
      plural(next.scene.keys.at.length, 'key'), '.');
  }

  private active(): number {
    return this.state.nodes.filter((n) => !n.out && n.weight > 0).length;
  }

  private fillControls(): void {
    const c = this.controls, s = this.state;
    c['placement']!.value = s.placement;
    const points = c['points'] as HTMLSelectElement;
    if (![...points.options].some((o) => o.value === String(s.points)))
      points.add(new Option(String(s.points), String(s.points)));
    points.value = String(s.points);
    points.disabled = s.placement !== 'demo' &&
      !takesPoints(choice(s.placement)!);
    (c['keys'] as HTMLSelectElement).options[0]!.disabled =
      s.placement !== 'demo';
    c['keys']!.value = String(s.keys);
    c['replicas']!.value = String(s.replicas);
    const known = s.nodes.length === 4 && s.nodes[0]!.position !== undefined
      ? 'demo' : String(s.nodes.length);
    c['nodes']!.value = known;
    const weighted = c['weighted'] as HTMLSelectElement;
    const chosen = weighted.value;
    weighted.replaceChildren(...s.nodes.map((n, i) =>
      new Option(n.name.slice(0, 40), String(i))));
    weighted.value = Number(chosen) < s.nodes.length && chosen !== ''
      ? chosen : '0';
    this.showWeight(weighted.value);
  }

  /** Table and centre; `before` marks what changed. */
  private render(before?: number[]): void {
    const { counts, shares, map, scene } = this.plan;
    this.table.show(this.state.nodes.map((n, i) => ({ name: n.name,
      out: n.out, share: shares[i]!, keys: counts[i]!,
      gained: before ? counts[i]! - (before[i] ?? 0) : 0 })));
    const active = this.active();
    const largest = Math.max(0, ...shares);
    this.view.centre.replaceChildren(active === 0
      ? h('span', {}, 'The ring is empty: no node owns any key.')
      : h('span', {}, h('strong', {}, plural(active, 'node')), h('br'),
        plural(map.pointCount, 'point'), h('br'),
        plural(scene.keys.at.length, 'key')),
    active > 0 && h('small', {}, 'largest ',
      percent(largest), h('br'), 'fair ', percent(1 / active)) || '');
    this.play.disabled = this.state.nodes.length === 0;
    if (this.state.nodes.length === 0)
      this.play.title = 'There is no node to remove';
    else this.play.removeAttribute('title');
    const who = this.leaver();
    this.play.textContent = this.playing ? '■ Stop'
      : who === undefined ? '▶ Play'
        : `▶ Play: ${this.state.nodes[who]!.name.slice(0, 12)} leaves`;
  }

  private async change(state: State, lead: (Node | string)[]):
    Promise<void> {
    const before = this.plan;
    const run = ++this.changes;
    let half: Half;
    try {
      half = this.halfOf(state);
    } catch (error) {
      this.figure.say(...lead.slice(0, 1), ' — refused: ',
        error instanceof Error ? error.message : String(error));
      this.fillControls();
      return;
    }
    this.state = state;
    const large = this.large(half);
    if (large && !await this.rest(run)) return half.map.free();
    const diff = before.map.diff(half.map);
    const next = { ...half, scene: this.sceneOf(state, half) };
    if (large && !await this.rest(run)) return half.map.free();
    next.scene.moved = this.movedArcs(before, next);
    const owner = before.scene.keys.owner;
    next.scene.movedKeys = Array.from(next.scene.keys.owner.keys())
      .filter((i) => owner[i] !== next.scene.keys.owner[i]);
    this.plan = next;
    this.forgetWalk();
    const told = () => this.render(before.counts);
    await this.view.change(next.scene, CHANGE / this.speed, told);
    if (this.plan !== next) return;
    if (reduced()) told();
    this.fillControls();
    this.sayMoved(lead, diff, next);
    before.map.free();
  }

  private movedArcs(before: Plan, next: Plan): Float64Array {
    if (!before.map.pointCount && !next.map.pointCount)
      return new Float64Array(0);
    let moved: Float64Array;
    try {
      moved = before.map.diffTurns(next.map);
    } catch {
      return new Float64Array(0);     // another hash: nothing in common
    }
    const unit = 1 / (Number(next.map.top) + 1);
    for (let i = 0; i < moved.length; i += 4) {
      moved[i]! -= unit;
      moved[i + 1]! -= unit;
      moved[i + 2] = before.number[moved[i + 2]!] ?? -1;
      moved[i + 3] = next.number[moved[i + 3]!] ?? -1;
    }
    return moved;
  }

  private sayMoved(lead: (Node | string)[], diff: ReturnType<KeyMap['diff']>,
                   next: Plan): void {
    const { movedKeys, keys } = next.scene;
    const takers = new Set(movedKeys.map((i) => keys.owner[i]!));
    const most = diff.moved - diff.ideal < 5e-5 || diff.excessChurn === 0;
    this.figure.say(...lead, diff.basis === 'exact' ? 'exactly ' : 'about ',
      percent(diff.moved), ' of the ring changed hands',
      diff.excessChurn === 0 ? ', none of it without need' : ', ' +
        `${percent(diff.excessChurn)} of it without need`, most ? '' : '',
      keys.at.length ? `; of ${count(keys.at.length)} keys ${
        count(movedKeys.length)} moved` : '',
      movedKeys.length && this.active() ? `, to ${
        plural(takers.size, 'node')}` : '',
      keys.at.length ? `, ${count(keys.at.length - movedKeys.length)} ` +
        'stayed.' : '.');
  }

  private pin(node: number): void {
    if (this.view.scene.pinned === node || this.view.motion.busy) return;
    this.view.scene.pinned = node;
    if (this.view.scene.nodes > 12 || this.view.scene.arcs.length > 400)
      this.view.refresh();
    if (node >= 0) this.describe(node);
  }

  private describe(node: number): void {
    const n = this.state.nodes[node];
    if (n) this.where.replaceChildren(name(n.name), ' owns ',
      percent(this.plan.shares[node]!));
  }

  // ---- play --------------------------------------------------------------

  private stop(): void {
    this.touched = true;
    this.playing = 0;
    this.view.motion.jump();
  }

  /** D in the demo, else the largest. */
  private leaver(): number | undefined {
    const nodes = this.state.nodes;
    const d = nodes.findIndex((n) => n.name === 'D' && !n.out);
    if (this.state.placement === 'demo' && d >= 0) return d;
    let best: number | undefined;
    this.plan.shares.forEach((share, i) => {
      if (!nodes[i]!.out && (best === undefined ||
        share > this.plan.shares[best]!)) best = i;
    });
    return best;
  }

  private async toggle(): Promise<void> {
    this.touched = true;
    if (this.playing) {
      this.stop();
      this.render();
      return;
    }
    const who = this.leaver();
    if (who === undefined) return;
    const run = this.playing = ++this.runs;
    this.render();
    await this.flipNow(who);
    if (this.playing !== run) return;
    await this.view.motion.wait(1600 / this.speed);
    if (this.playing !== run) return;
    await this.flipNow(who);
    if (this.playing !== run) return;
    this.playing = 0;
    this.render();
  }

  /** Play, as its button does. */
  start(): void {
    if (!this.playing) void this.toggle();
  }

  /** Once, when first seen; never for those who asked for calm. */
  demonstrate(): void {
    if (!reduced() && !this.playing && !this.touched) void this.toggle();
  }

  // ---- a key's walk ------------------------------------------------------

  private placeOf(key: string): { place: number; hash: bigint | undefined;
    position: bigint; byHand: boolean } {
    const { map } = this.plan;
    const pinned = this.state.placement === 'demo'
      ? demo.keys.find((k) => k.name === key) : undefined;
    const hash = pinned ? undefined : map.hash(key);
    const position = pinned ? BigInt(pinned.position)
      : map.position(hash ?? 0n);
    return { hash, position, byHand: pinned !== undefined,
      place: Number(position) / (Number(map.top) + 1) };
  }

  private walkOf(key: string): Walk & { nodes: number[] } {
    const { map, number, scene } = this.plan;
    const { place, position } = this.placeOf(key);
    const nodes = map.orderAt(position, this.state.replicas)
      .map((i) => number[i]!);
    let at = place;
    const stops = nodes.map((node) => {
      at = this.after(scene.points, at, node);
      return { place: at, node };
    });
    return { from: place, stops, nodes };
  }

  /** The first point of a node at or after a place, which may be above 1. */
  private after(points: Float64Array, from: number, node: number): number {
    const turns = Math.floor(from), place = from - turns;
    let first = from + 1;
    for (let i = 0, seen = false; i < points.length; i += 2) {
      if (points[i + 1] !== node) continue;
      if (!seen) first = turns + 1 + points[i]!;
      seen = true;
      if (points[i]! >= place - 1e-12) return turns + points[i]!;
    }
    return first;
  }

  private forgetWalk(): void {
    this.step = 0;
    this.stepButton.textContent = 'Step';
    this.walkText.replaceChildren();
    this.view.clearWalk();
  }

  private async walk(): Promise<void> {
    this.stop();
    if (this.active() === 0) {
      this.walkText.replaceChildren('The ring is empty: no node owns any ' +
        'key.');
      return;
    }
    this.step = 3;
    this.stepButton.textContent = 'Step again';
    const walk = this.walkOf(this.keyInput.value);
    const length = (walk.stops.at(-1)?.place ?? walk.from) - walk.from;
    this.walkText.replaceChildren(...this.tellWalk(3));
    await this.view.play(walk,
      Math.min(CHANGE, Math.max(300, length * 1200)) / this.speed);
  }

  private nextStep(): void {
    if (this.active() === 0) return void this.walk();
    this.step = this.step % 3 + 1;
    this.stepButton.textContent = this.step === 3 ? 'Step again' : 'Step';
    const walk = this.walkOf(this.keyInput.value);
    this.walkText.replaceChildren(...this.tellWalk(this.step));
    if (this.step === 1) this.view.clearWalk();
    else if (this.step === 2) this.view.hold({ ...walk, stops: [] }, 1);
    else void this.view.play(walk, 600 / this.speed);
  }

  /** What happened up to a step, in words. */
  private tellWalk(step: number): (Node | string)[] {
    const key = this.keyInput.value;
    const { place, hash, byHand } = this.placeOf(key);
    const walk = this.walkOf(key);
    const degrees = (turn: number) =>
      `${(turn % 1 * 360).toFixed(this.state.placement === 'demo' ? 0 : 2)}°`;
    const said: (Node | string)[] = [h('strong', {}, STEPS[step - 1]!), ': ',
      name(key, 30), byHand ? ' is pinned by hand'
        : ` has the hash ${(hash ?? 0n).toString(16)}`];
    if (step === 1) return [...said, '.'];
    said.push(byHand ? ` at ${degrees(place)}` : `, which is ${
      degrees(place)}`);
    if (step === 2) return [...said, '.'];
    const first = walk.stops[0]!;
    const far = first.place - place;
    said.push(first.place >= 1
      ? '; it walks on, over the top, where the number line begins again, to '
      : far < 1e-12 ? '; a point stands just there, and it is '
        : '; it walks on to ',
    name(this.state.nodes[first.node]!.name), ` at ${degrees(first.place)}`);
    if (walk.nodes.length > 1)
      said.push('; copies on ', walk.nodes.slice(1).map((n) =>
        this.state.nodes[n]!.name).join(', '));
    if (walk.nodes.length < this.state.replicas)
      said.push(`; only ${walk.nodes.length} of ${this.state.replicas} ` +
        'copies can be placed');
    return [...said, '.'];
  }

  // ---- a closer look -----------------------------------------------------

  private tell(place: number | undefined): void {
    if (place === undefined) return this.pin(-1);
    this.pin(this.view.ownerAt(place));
  }

  private nearest(place: number): number {
    const { points } = this.plan.scene;
    let low = 0, high = points.length / 2;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (points[mid * 2]! < place) low = mid + 1;
      else high = mid;
    }
    return low * 2 >= points.length ? 0 : low;
  }

  /** Left and right go from point to point. */
  private jump(event: KeyboardEvent): void {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1,
      ArrowUp: 1 }[event.key];
    const { points } = this.plan.scene;
    if (!by || points.length === 0) return;
    event.preventDefault();
    const n = points.length / 2;
    const at = this.nearest(Number(this.probe.value) / 10000);
    const here = Math.round(points[at * 2]! * 10000) ===
      Number(this.probe.value);
    const next = (at + (by > 0 ? (here ? 1 : 0) : -1) + n) % n;
    this.probe.value = String(Math.round(points[next * 2]! * 10000));
    this.look(next);
  }

  private look(point?: number): void {
    const { points } = this.plan.scene;
    const n = points.length / 2;
    const place = point === undefined ? Number(this.probe.value) / 10000
      : points[point * 2]!;
    this.view.point(place);
    if (n === 0) {
      this.where.replaceChildren('This ring has no points to look at.');
      this.strip.replaceChildren();
      return;
    }
    const at = point ?? this.nearest(place);
    const owner = this.state.nodes[points[at * 2 + 1]!]!;
    const before = points[(at + n - 1) % n * 2]!;
    const arc = n === 1 ? 1 : (points[at * 2]! - before + 1) % 1;
    const text = `${percent(place)}, owned by ${owner.name}, ` +
      `arc ${percent(arc)}`;
    this.where.replaceChildren(text);
    this.probe.setAttribute('aria-valuetext', text);
    const around = Math.min(9, n);
    this.strip.replaceChildren(...Array.from({ length: around }, (_, k) => {
      const i = (at + k - (around >> 1) + n) % n;
      const prior = points[(i + n - 1) % n * 2]!;
      const own = this.state.nodes[points[i * 2 + 1]!]!;
      return h('li', { class: i === at ? 'here' : '' }, name(own.name, 12),
        h('small', {}, percent(points[i * 2]!)),
        h('small', {}, 'arc ', percent(n === 1 ? 1
          : (points[i * 2]! - prior + 1) % 1)));
    }));
  }
}
