// SPDX-License-Identifier: Apache-2.0
// The ring as a picture. Keys never move on it: only their owner changes.
import { easeOut, Motion } from './time.js';
import { h, look, Look, onLook } from './dom.js';

const TURN = 2 * Math.PI;
const TOP = -Math.PI / 2;
const DOTS = 2000;          // above: a profile in place of dots
const TETHERS = 400;        // above: no lines from moved keys

export interface RingKeys {
  at: Float64Array;         // parts of a turn
  owner: Int32Array;        // node, or -1
  names: readonly string[] | undefined;
}

/** All that is to be seen. Nodes are numbers; -1 is nobody. */
export interface RingScene {
  nodes: number;
  letters: readonly string[];
  /** begin, end, owner, owner; begin, end, owner, owner; … */
  arcs: Float64Array;
  /** place, node; place, node; … */
  points: Float64Array;
  keys: RingKeys;
  /** begin, end, from, to of what changed last. */
  moved: Float64Array;
  /** Numbers of the keys whose owner changed last. */
  movedKeys: readonly number[];
  pinned: number;
  /** Written beside a point; undefined for none. */
  mark: ((place: number, node: number) => string) | undefined;
  /** Places of nodes that are out: hollow marks. */
  gone: readonly { place: number; node: number }[];
}

export interface Walk {
  from: number;
  /** Stations in order, each further on (may be above 1: over the top). */
  stops: { place: number; node: number }[];
}

export const emptyScene = (): RingScene => ({ nodes: 0, letters: [],
  arcs: new Float64Array(0), points: new Float64Array(0),
  keys: { at: new Float64Array(0), owner: new Int32Array(0),
    names: undefined },
  moved: new Float64Array(0), movedKeys: [], pinned: -1, mark: undefined,
  gone: [] });

export class RingView {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly centre: HTMLElement;
  readonly motion = new Motion();
  scene = emptyScene();
  /** Draws since the start and their longest, in ms: read by tests. */
  readonly stats = { draws: 0, longest: 0 };
  onnode: (node: number) => void = () => undefined;
  onarc: (node: number) => void = () => undefined;
  onhover: (place: number | undefined) => void = () => undefined;

  private readonly context: CanvasRenderingContext2D;
  private readonly still = document.createElement('canvas');
  private stale = true;
  private size = 0;
  private ratio = 1;
  private progress = 1;
  private walk: Walk | undefined;
  private walked = 1;
  private probe: number | undefined;
  private colours: Look = look();

  constructor(describedBy: string, label: string) {
    this.canvas = h('canvas', { role: 'img', 'aria-label': label,
      'aria-describedby': describedBy });
    this.centre = h('div', { class: 'centre' });
    this.element = h('div', { class: 'ring' }, this.canvas, this.centre);
    this.context = this.canvas.getContext('2d')!;
    new ResizeObserver(() => this.fit()).observe(this.element);
    onLook(() => {
      this.colours = look();
      this.refresh();
    });
    this.canvas.addEventListener('click', (event) => this.click(event));
    this.canvas.addEventListener('pointermove', (event) => this.over(event));
    this.canvas.addEventListener('pointerleave', () =>
      this.onhover(undefined));
  }

  /** Show a scene at once. */
  show(scene: RingScene): void {
    this.motion.jump();
    this.scene = scene;
    this.progress = 1;
    this.refresh();
  }

  /** Go to a scene whose `moved` says what changes hands on the way. */
  change(scene: RingScene, duration: number,
         halfway: () => void = () => undefined): Promise<void> {
    let told = false;
    this.motion.jump();
    this.scene = scene;
    this.walk = undefined;
    this.stale = true;
    return this.motion.run(duration, (t) => {
      this.progress = t;
      if (!told && t > 0.6) {
        told = true;
        halfway();
      }
      this.draw();
    });
  }

  /** Walk from a key to its owner, and on to further stops. */
  play(walk: Walk, duration: number): Promise<void> {
    this.motion.jump();
    this.walk = walk;
    return this.motion.run(duration, (t) => {
      this.walked = t;
      this.draw();
    });
  }

  clearWalk(): void {
    this.motion.jump();
    this.walk = undefined;
    this.draw();
  }

  /** Put the walk at a fixed part of its way. */
  hold(walk: Walk, part: number): void {
    this.motion.jump();
    this.walk = walk;
    this.walked = part;
    this.draw();
  }

  point(place: number | undefined): void {
    this.probe = place;
    this.draw();
  }

  /** Where a place is on the canvas, in CSS pixels; for tests. */
  spot(place: number): { x: number; y: number } {
    const angle = TOP + place * TURN;
    return { x: this.size / 2 + Math.cos(angle) * this.radius,
      y: this.size / 2 + Math.sin(angle) * this.radius };
  }

  refresh(): void {
    this.stale = true;
    this.draw();
  }

  private get band(): number {
    return Math.max(14, this.size * 0.05);
  }

  private get radius(): number {
    return this.size / 2 - (this.size < 420 ? 38 : 46) - this.band / 2;
  }

  private fit(): void {
    const size = Math.round(this.element.clientWidth);
    const ratio = Math.min(devicePixelRatio || 1, 2);
    if (size === 0 || (size === this.size && ratio === this.ratio)) return;
    this.size = size;
    this.ratio = ratio;
    for (const canvas of [this.canvas, this.still])
      canvas.width = canvas.height = Math.round(size * ratio);
    this.refresh();
  }

  // ---- the parts that do not move ----------------------------------------

  /** Colours tell nodes apart while they are few and their arcs long. */
  private get coloured(): boolean {
    const arcs = this.scene.arcs.length / 4;
    return this.scene.nodes <= 12 &&
      arcs / (TURN * this.radius * this.ratio) < 0.25;
  }

  private hue(node: number): string {
    if (node < 0) return this.colours.ground;
    return this.coloured || node === this.scene.pinned
      ? this.colours.hues[node % 8]! : this.colours.steps[node % 3]!;
  }

  private drawStill(): void {
    const c = this.still.getContext('2d')!;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.clearRect(0, 0, this.size, this.size);
    c.translate(this.size / 2, this.size / 2);
    if (this.scene.points.length === 0 && this.scene.arcs.length === 0) {
      c.setLineDash([6, 6]);
      c.strokeStyle = this.colours.mute;
      c.lineWidth = 1.5;
      c.beginPath();
      c.arc(0, 0, this.radius, 0, TURN);
      c.stroke();
      c.setLineDash([]);
    } else {
      if (this.coloured) this.drawArcs(c);
      else this.drawBins(c);
      this.drawPinned(c);
      c.strokeStyle = this.colours.mute;
      c.lineWidth = 1;
      for (const side of [-1, 1]) {
        c.beginPath();
        c.arc(0, 0, this.radius + side * this.band / 2, 0, TURN);
        c.stroke();
      }
    }
    this.drawKeys(c);
    this.drawTop(c);
  }

  private arc(c: CanvasRenderingContext2D, radius: number, a: number,
              b: number): void {
    const from = TOP + a * TURN;
    c.moveTo(Math.cos(from) * radius, Math.sin(from) * radius);
    c.arc(0, 0, radius, from, TOP + b * TURN);
  }

  private drawArcs(c: CanvasRenderingContext2D): void {
    const { arcs, nodes } = this.scene;
    const gap = 0.75 / (TURN * this.radius);
    const end = arcs.length - 4;
    const wraps = end > 0 && arcs[2] === arcs[end + 2];
    for (let node = 0; node < nodes; node++) {
      c.strokeStyle = this.hue(node);
      c.lineWidth = this.band;
      c.beginPath();
      for (let i = 0; i < arcs.length; i += 4) {
        if (arcs[i + 2] !== node) continue;
        const a = arcs[i]!, b = arcs[i + 1]!;
        // a gap wider than the arc would paint the whole circle
        const cut = b - a >= 1 ? 0 : Math.min(gap, (b - a) / 4);
        // one arc that goes over the top comes in two parts: no seam there
        this.arc(c, this.radius, a + (wraps && i === 0 ? -gap : cut),
          b - (wraps && i === end ? 0 : cut));
      }
      c.stroke();
      if (node < 8) continue;
      c.strokeStyle = this.colours.ground;     // the second eight: striped
      c.lineWidth = this.band / 5;
      c.stroke();
    }
  }

  /** One bin a device pixel, in the mean of the shades that fall into it. */
  private drawBins(c: CanvasRenderingContext2D): void {
    const bins = Math.max(360, Math.round(TURN * this.radius * this.ratio));
    const sum = new Float64Array(bins);
    const { arcs } = this.scene;
    for (let i = 0; i < arcs.length; i += 4) {
      const shade = arcs[i + 2]! % 3;
      const a = Math.max(0, arcs[i]!) * bins;
      const b = Math.min(1, arcs[i + 1]!) * bins;
      let k = Math.floor(a);
      if (b <= k + 1) {
        if (k < bins) sum[k]! += shade * (b - a);
        continue;
      }
      sum[k]! += shade * (k + 1 - a);
      for (k++; k + 1 <= b; k++) sum[k]! += shade;
      if (k < bins) sum[k]! += shade * (b - k);
    }
    const LEVELS = 9;
    c.lineWidth = this.band;
    for (let level = 0; level < LEVELS; level++) {
      c.strokeStyle = mix(this.colours.steps[0]!, this.colours.steps[2]!,
        level / (LEVELS - 1));
      c.beginPath();
      for (let k = 0; k < bins;) {
        let end = k;
        while (end < bins &&
          Math.round(sum[end]! / 2 * (LEVELS - 1)) === level) end++;
        if (end > k) this.arc(c, this.radius, k / bins, end / bins);
        k = Math.max(end, k + 1);
      }
      c.stroke();
    }
  }

  /** A pinned node in colour, and a tick outside for each of its arcs: at
   * true width most would be invisible. */
  private drawPinned(c: CanvasRenderingContext2D): void {
    const { arcs, pinned } = this.scene;
    if (pinned < 0) return;
    const least = 2 / (TURN * this.radius);
    c.strokeStyle = this.colours.hues[pinned % 8]!;
    for (const [radius, width] of [[this.radius, this.band],
      [this.radius + this.band / 2 + 5, 4]] as const) {
      c.lineWidth = width;
      c.beginPath();
      for (let i = 0; i < arcs.length; i += 4) {
        if (arcs[i + 2] !== pinned) continue;
        const b = arcs[i + 1]!;
        const a = radius === this.radius ? arcs[i]!
          : Math.min(arcs[i]!, b - least);
        this.arc(c, radius, a, b);
      }
      c.stroke();
    }
  }

  private laneOf(i: number, last: Float64Array): number {
    const at = this.scene.keys.at[i]!;
    const apart = 8 / (TURN * (this.radius - this.band));
    let lane = 0;
    while (lane < last.length - 1 && at - last[lane]! < apart) lane++;
    last[lane] = at;
    return lane;
  }

  private drawKeys(c: CanvasRenderingContext2D): void {
    const { at } = this.scene.keys;
    if (at.length > DOTS) this.drawProfile(c);
    else this.drawDots(c);
  }

  /** Keys as bars inward, one for 3 px of the circle; moved ones in ink. */
  private drawProfile(c: CanvasRenderingContext2D): void {
    const { at } = this.scene.keys;
    const inner = this.radius - this.band / 2 - 4;
    const bins = Math.round(TURN * inner / 3);
    const all = new Float64Array(bins), moved = new Float64Array(bins);
    for (const t of at) all[Math.floor(t * bins)]!++;
    for (const i of this.scene.movedKeys)
      moved[Math.floor(at[i]! * bins)]!++;
    const unit = 18 / (at.length / bins);
    c.lineWidth = 2;
    for (const [values, colour] of [[all, this.colours.mute],
      [moved, this.colours.ink]] as const) {
      c.strokeStyle = colour;
      c.beginPath();
      for (let k = 0; k < bins; k++) {
        if (values[k] === 0) continue;
        const angle = TOP + (k + 0.5) / bins * TURN;
        const end = inner - Math.min(values[k]! * unit, inner * 0.4);
        c.moveTo(Math.cos(angle) * inner, Math.sin(angle) * inner);
        c.lineTo(Math.cos(angle) * end, Math.sin(angle) * end);
      }
      c.stroke();
    }
  }

  private drawDots(c: CanvasRenderingContext2D): void {
    const { at, owner, names } = this.scene.keys;
    const small = at.length > 200;
    const moved = new Set(this.scene.movedKeys);
    const order = Array.from(at.keys()).sort((a, b) => at[a]! - at[b]!);
    const last = new Float64Array(8).fill(-1);
    c.font = `13px ${this.colours.font}`;
    for (const i of order) {
      const lane = this.laneOf(i, last);
      const angle = TOP + at[i]! * TURN;
      const r = this.radius - this.band / 2 - 12 - lane * (small ? 6 : 10);
      const x = Math.cos(angle) * r, y = Math.sin(angle) * r;
      c.beginPath();
      c.arc(x, y, small ? 2.2 : 5, 0, TURN);
      if (owner[i]! < 0) {
        c.strokeStyle = this.colours.mute;
        c.lineWidth = 1.5;
        c.stroke();
      } else {
        c.fillStyle = this.coloured ? this.hue(owner[i]!)
          : owner[i] === this.scene.pinned ? this.hue(owner[i]!)
            : this.colours.mute;
        c.fill();
      }
      if (moved.has(i)) {
        c.strokeStyle = this.colours.ink;
        c.lineWidth = 2;
        c.beginPath();
        c.arc(x, y, small ? 3.6 : 7.5, 0, TURN);
        c.stroke();
      }
      if (names && at.length <= 24 && this.size >= 420) this.keyName(c, names[i]!, angle, r - 12);
    }
  }

  private keyName(c: CanvasRenderingContext2D, text: string, angle: number,
                  r: number): void {
    const side = Math.cos(angle);
    c.fillStyle = this.colours.ink;
    c.textAlign = side > 0.35 ? 'right' : side < -0.35 ? 'left' : 'center';
    c.textBaseline = Math.abs(side) > 0.35 ? 'middle'
      : Math.sin(angle) > 0 ? 'bottom' : 'top';
    c.fillText(text, Math.cos(angle) * r, Math.sin(angle) * r);
  }

  /** The top, where the number line ends and begins. */
  private drawTop(c: CanvasRenderingContext2D): void {
    const r = this.radius + this.band / 2;
    c.strokeStyle = this.colours.mute;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(0, -r - 2);
    c.lineTo(0, -r - 8);
    c.stroke();
  }

  // ---- what moves --------------------------------------------------------

  draw(): void {
    if (this.size === 0) return;
    const begin = performance.now();
    const c = this.context;
    if (this.stale) {
      this.stale = false;
      this.drawStill();
    }
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.canvas.width, this.canvas.height);
    c.drawImage(this.still, 0, 0);
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.translate(this.size / 2, this.size / 2);
    const sweep = easeOut(Math.max(0, (this.progress - 1 / 3) * 1.5));
    if (this.progress < 1) this.drawSweep(c, sweep);
    this.drawTicks(c, Math.min(1, this.progress * 3));
    this.drawTethers(c, sweep);
    this.drawMarks(c);
    if (this.walk) this.drawWalk(c, this.walk);
    if (this.probe !== undefined) this.drawProbe(c, this.probe);
    this.stats.draws++;
    this.stats.longest = Math.max(this.stats.longest,
      performance.now() - begin);
  }

  /** What changes hands: the old colour fades to the ground, then the new
   * owner's grows back from its own point, against the walk. */
  private drawSweep(c: CanvasRenderingContext2D, sweep: number): void {
    const { moved } = this.scene;
    const fade = 1 - Math.min(1, this.progress * 3);
    c.lineWidth = this.band - 1;
    for (let i = 0; i < moved.length; i += 4) {
      const a = moved[i]!, b = moved[i + 1]!;
      const edge = b - (b - a) * sweep;
      if (edge - a < 1e-9) continue;
      c.strokeStyle = this.colours.ground;
      c.beginPath();
      this.arc(c, this.radius, a, edge);
      c.stroke();
      if (fade <= 0 || moved[i + 2]! < 0) continue;
      c.globalAlpha = fade;
      c.strokeStyle = this.hue(moved[i + 2]!);
      c.stroke();
      c.globalAlpha = 1;
    }
  }

  /** Every changed arc, at least 2 px wide, outside the band. */
  private drawTicks(c: CanvasRenderingContext2D, alpha: number): void {
    const { moved } = this.scene;
    const r = this.radius + this.band / 2 + 5 + 6 * (1 - alpha) * -1;
    const least = 2 / (TURN * r);
    if (moved.length === 0) return;
    c.globalAlpha = alpha;
    c.strokeStyle = this.colours.ink;
    c.lineWidth = 4;
    c.beginPath();
    for (let i = 0; i < moved.length; i += 4) {
      const b = moved[i + 1]!;
      this.arc(c, r, Math.min(moved[i]!, b - least), b);
    }
    c.stroke();
    c.globalAlpha = 1;
  }

  /** From each moved key clockwise to the point that owns it now. */
  private drawTethers(c: CanvasRenderingContext2D, sweep: number): void {
    const { movedKeys, keys, points, nodes } = this.scene;
    if (movedKeys.length === 0 || movedKeys.length > TETHERS || nodes > 12 ||
        points.length > 400) return;
    let lane = 0;
    c.lineWidth = 1.5;
    for (const i of movedKeys) {
      const at = keys.at[i]!;
      const to = this.nextPoint(at, keys.owner[i]!);
      if (to === undefined) continue;
      const end = at + (to - at) * sweep;
      const r = this.radius + this.band / 2 + 13 + (lane++ % 5) * 5;
      c.strokeStyle = this.hue(keys.owner[i]!);
      c.beginPath();
      this.arc(c, r, at, end);
      c.stroke();
      this.dot(c, r, at, 2.5, this.colours.ink);
      this.dot(c, r, end, 3.5, this.hue(keys.owner[i]!));
    }
  }

  /** The first point of a node at or after a place; may be above 1. */
  private nextPoint(at: number, node: number): number | undefined {
    const { points } = this.scene;
    let first: number | undefined;
    for (let i = 0; i < points.length; i += 2) {
      if (points[i + 1] !== node) continue;
      first ??= points[i]! + 1;
      if (points[i]! >= at - 1e-12) return points[i]!;
    }
    return first;
  }

  private dot(c: CanvasRenderingContext2D, r: number, place: number,
              size: number, colour: string): void {
    const angle = TOP + place * TURN;
    c.fillStyle = colour;
    c.beginPath();
    c.arc(Math.cos(angle) * r, Math.sin(angle) * r, size, 0, TURN);
    c.fill();
  }

  private get marked(): boolean {
    return this.scene.points.length <= 48 && this.scene.nodes <= 12;
  }

  /** Points as discs with a letter, while there is room. */
  private drawMarks(c: CanvasRenderingContext2D): void {
    const { points, gone, letters, mark } = this.scene;
    if (!this.marked) return;
    const size = points.length <= 24 ? 13 : 10;
    c.textBaseline = 'middle';
    for (const { place, node } of gone) {
      this.disc(c, place, size, this.colours.ground, this.colours.mute,
        letters[node]!, this.colours.mute, true);
    }
    for (let i = 0; i < points.length; i += 2) {
      const place = points[i]!, node = points[i + 1]!;
      this.disc(c, place, size, this.hue(node), this.colours.ground,
        letters[node]!, this.colours.dark ? '#12161c' : '#ffffff', false);
      const text = mark?.(place, node);
      if (text) this.outside(c, place, text);
    }
  }

  private disc(c: CanvasRenderingContext2D, place: number, size: number,
               fill: string, line: string, text: string, ink: string,
               hollow: boolean): void {
    const angle = TOP + place * TURN;
    const x = Math.cos(angle) * this.radius;
    const y = Math.sin(angle) * this.radius;
    c.beginPath();
    c.arc(x, y, size, 0, TURN);
    c.fillStyle = fill;
    c.fill();
    c.lineWidth = hollow ? 1.5 : 2;
    c.strokeStyle = line;
    if (hollow) c.setLineDash([3, 3]);
    c.stroke();
    c.setLineDash([]);
    c.fillStyle = ink;
    c.font = `600 ${size > 10 ? 13 : 11}px ${this.colours.font}`;
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    c.fillText(text, x, y + 0.5);
  }

  private outside(c: CanvasRenderingContext2D, place: number,
                  text: string): void {
    const angle = TOP + place * TURN;
    const r = this.radius + this.band / 2 + (this.size < 420 ? 18 : 26);
    c.lineWidth = 4;
    c.strokeStyle = this.colours.ground;
    c.font = `13px ${this.colours.font}`;
    c.fillStyle = this.colours.mute;
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    c.strokeText(text, Math.cos(angle) * r, Math.sin(angle) * r);
    c.fillText(text, Math.cos(angle) * r, Math.sin(angle) * r);
  }

  /** A walk: on the track outside the band, at even speed. */
  private drawWalk(c: CanvasRenderingContext2D, walk: Walk): void {
    const end = walk.stops.at(-1)?.place ?? walk.from;
    const now = walk.from + (end - walk.from) * this.walked;
    const r = this.radius + this.band / 2 + 14;
    c.strokeStyle = this.colours.ink;
    c.lineWidth = 2.5;
    c.beginPath();
    this.arc(c, r, walk.from, now);
    c.stroke();
    const angle = TOP + walk.from * TURN;
    const inner = this.radius - this.band / 2 - 6;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(Math.cos(angle) * inner, Math.sin(angle) * inner);
    c.lineTo(Math.cos(angle) * r, Math.sin(angle) * r);
    c.stroke();
    this.dot(c, inner, walk.from, 5, this.colours.ink);
    for (const stop of walk.stops)
      if (stop.place <= now + 1e-9) this.dot(c, r, stop.place, 5.5,
        this.scene.nodes <= 12 ? this.colours.hues[stop.node % 8]!
          : this.colours.ink);
    this.dot(c, r, now, 4, this.colours.ink);
  }

  private drawProbe(c: CanvasRenderingContext2D, place: number): void {
    const angle = TOP + place * TURN;
    const a = this.radius - this.band / 2 - 5;
    const b = this.radius + this.band / 2 + 5;
    c.strokeStyle = this.colours.ink;
    c.lineWidth = 3;
    c.beginPath();
    c.moveTo(Math.cos(angle) * a, Math.sin(angle) * a);
    c.lineTo(Math.cos(angle) * b, Math.sin(angle) * b);
    c.stroke();
  }

  // ---- pointing ----------------------------------------------------------

  private under(event: MouseEvent): { place: number; off: number } {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left - this.size / 2;
    const y = event.clientY - box.top - this.size / 2;
    const turn = (Math.atan2(y, x) - TOP) / TURN;
    return { place: turn - Math.floor(turn),
      off: Math.abs(Math.hypot(x, y) - this.radius) };
  }

  /** The owner of a place: the last arc that begins at or before it. */
  ownerAt(place: number): number {
    const { arcs } = this.scene;
    let low = 0, high = arcs.length / 4 - 1;
    if (high < 0) return -1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (arcs[mid * 4]! <= place) low = mid;
      else high = mid - 1;
    }
    return arcs[low * 4 + 2]!;
  }

  private click(event: MouseEvent): void {
    const { place, off } = this.under(event);
    if (off > this.band / 2 + 10) return;
    if (this.marked) {
      const near = 16 / (TURN * this.radius);
      const { points, gone } = this.scene;
      const close = (p: number) => Math.abs(((p - place + 1.5) % 1) - 0.5);
      for (const g of gone)
        if (close(g.place) < near) return this.onnode(g.node);
      for (let i = 0; i < points.length; i += 2)
        if (close(points[i]!) < near) return this.onnode(points[i + 1]!);
    }
    this.onarc(this.ownerAt(place));
  }

  private over(event: MouseEvent): void {
    const { place, off } = this.under(event);
    const on = off <= this.band / 2 + 6;
    this.canvas.classList.toggle('hot', on);
    this.onhover(on ? place : undefined);
  }
}

/** Between two colours of the form #rrggbb. */
function mix(a: string, b: string, t: number): string {
  const part = (text: string, i: number) =>
    parseInt(text.slice(1 + i * 2, 3 + i * 2), 16);
  const value = [0, 1, 2].map((i) =>
    Math.round(part(a, i) + (part(b, i) - part(a, i)) * t));
  return `rgb(${value.join(' ')})`;
}
