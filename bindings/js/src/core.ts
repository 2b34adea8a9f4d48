// SPDX-License-Identifier: Apache-2.0
/**
 * The library in full: fleets, placements, maps, what a change moves.
 *
 * `index.ts` binds this to the module that the package carries. Import
 * `libclockwise/core` to load the WebAssembly yourself.
 */
import { type Bytes, ClockwiseError, type Exports, Memory } from './memory.js';

export { ClockwiseError };
export type { Bytes };

/** No node: what an index is where there is none. */
export const NONE = -1;

export type State = 'up' | 'down' | 'drain';
const STATES: State[] = ['up', 'down', 'drain'];

/** A node as it is given; only the name is needed. */
export interface NodeSpec {
  name: Bytes;
  /** 0 to 1,000,000 with at most six decimals; 1 when absent. */
  weight?: number | string;
  /** Where it is; never decides placement. */
  address?: Bytes;
  zone?: Bytes;
  /** The bytes that decide its points, when not its name. */
  label?: Bytes;
  state?: State;
  /** Explicit positions on the ring, in place of computed points. */
  positions?: readonly (number | bigint)[];
}

/** A node as it is in a fleet or map. */
export interface Node {
  name: string;
  label: string;
  address: string;
  zone: string;
  weight: number;
  state: State;
  /** How many explicit positions it has. */
  positions: number;
}

/** Options of a placement by their names in a fleet file. */
export type PlacementOptions =
  Readonly<Record<string, Bytes | number | bigint>>;

export interface Traits {
  /** The order of the list never matters. */
  orderFree: boolean;
  /** A change moves only keys that the changed node gains or loses. */
  minimal: boolean;
  /** A node removed and added again gets just its former keys back. */
  restores: boolean;
  weighted: boolean;
  /** Shares and movement are exact. */
  arcs: boolean;
  /** Nodes may have explicit positions. */
  positions: boolean;
  balanced: boolean;
}

export interface RowOption {
  name: string;
  summary: string;
  expected: string;
  fallback: string;
}

/** A row of the tables of algorithms, compat placements and hashes. */
export interface Row {
  name: string;
  summary: string;
  source: string;
  traits: Traits;
  /** Of a hash: its values are below 2^bits. */
  bits: number;
  keyed: boolean;
  options: RowOption[];
}

/** How a share or a movement is known. */
export type Basis = 'exact' | 'independent' | 'sampled' | 'expected';
const BASES: Basis[] = ['exact', 'independent', 'sampled', 'expected'];

export interface Share {
  /** Positions the node owns; all of them sum to `size`. */
  positions: bigint;
  /** positions / size. */
  part: number;
  /** weight / sum of weights. */
  fair: number;
}

export interface Shares {
  basis: Basis;
  size: bigint;
  nodes: Share[];
  balance: { maxAvg: number; minAvg: number; cv: number };
}

export interface DiffNode {
  name: string;
  /** Number in the old and the new map, or NONE. */
  oldIndex: number;
  newIndex: number;
  oldShare: number;
  newShare: number;
  oldFair: number;
  newFair: number;
  /** Share of all keys that leaves it, that comes to it. */
  gave: number;
  took: number;
  /** Nodes that take what it gives, and the largest part one takes. */
  receivers: number;
  largest: number;
}

export interface Flow {
  /** Numbers in `Diff.nodes`, or NONE. */
  from: number;
  to: number;
  positions: bigint;
  part: number;
}

export interface Diff {
  basis: Basis;
  samples: number;
  size: bigint;
  movedPositions: bigint;
  /** Share of the keys whose owner changes. */
  moved: number;
  /** Half the sum of the changes of the fair shares: the least. */
  ideal: number;
  /** Share that moves although the change asked it of nobody. */
  excessChurn: number;
  nodes: DiffNode[];
  flows: Flow[];
}

export interface Arc {
  /** Both ends belong to it. */
  first: bigint;
  last: bigint;
  owner: number;
}

export interface MovedArc {
  first: bigint;
  last: bigint;
  from: number;
  to: number;
}

export interface Point {
  position: bigint;
  node: number;
}

const TABLES = { algorithms: 0, compat: 1, hashes: 2 } as const;

function u128(hi: bigint, lo: bigint): bigint {
  return hi << 64n | lo;
}

function traitsOf(bits: number): Traits {
  const has = (bit: number) => (bits >> bit & 1) === 1;
  return { orderFree: has(0), minimal: has(1), restores: has(2),
    weighted: has(3), arcs: has(4), positions: has(5), balanced: has(6) };
}

/** What is freed when nobody holds the object any more. */
interface Resource {
  memory: Memory;
  free: string;
  at: number;
}

const forgotten = new FinalizationRegistry<Resource>((r) => {
  if (r.at) r.memory.call(r.free, r.at);
});

/** An object of the library. Freed by itself when unreachable, or at once
 * by free(); using it after that is an error. */
abstract class Handle {
  private readonly resource: Resource;

  /** @internal */
  constructor(protected readonly memory: Memory, free: string, at: number) {
    if (at === 0) throw new ClockwiseError('ENOMEM', 'no memory');
    this.resource = { memory, free, at };
    forgotten.register(this, this.resource, this.resource);
  }

  /** @internal */
  get at(): number {
    const at = this.resource.at;
    if (at === 0) throw new ClockwiseError('EINVAL', 'used after free()');
    return at;
  }

  free(): void {
    if (this.resource.at === 0) return;
    forgotten.unregister(this.resource);
    this.memory.call(this.resource.free, this.resource.at);
    this.resource.at = 0;
  }
}

function readNode(memory: Memory, at: number, weight: bigint): Node {
  const w = memory.u32(at, 10);
  const part = (i: number) => memory.text(w[i]!, w[i + 1]!);
  return { name: part(0), label: part(2), address: part(4), zone: part(6),
    weight: Number(weight) / 1e6, state: STATES[w[8]!] ?? 'up',
    positions: w[9]! };
}

/** Algorithm, hash and options. */
export class Placement extends Handle {
  /** @internal */
  constructor(memory: Memory, options: PlacementOptions = {}, at?: number) {
    super(memory, 'cw_placement_free',
      at ?? memory.call('cw_placement_new', 0));
    const row = (name: string) => name === 'algorithm' || name === 'compat';
    const entries = Object.entries(options);
    try {
      for (const [name, value] of entries)
        if (row(name)) this.set(name, value);
      for (const [name, value] of entries)
        if (!row(name)) this.set(name, value);
    } catch (error) {
      this.free();
      throw error;
    }
  }

  /** "algorithm" and "compat" put all other options back: set them first. */
  set(option: string, value: Bytes | number | bigint): this {
    const m = this.memory;
    const [o] = m.keep(option, true);
    const [v] = m.keep(value instanceof Uint8Array ? value : String(value),
      true);
    const status = m.call('cw_placement_set', this.at, o, v, m.errorAt());
    m.free(o);
    m.free(v);
    m.check(status);
    return this;
  }
}

/** The set of nodes. A call that throws has changed nothing. */
export class Fleet extends Handle {
  /** @internal */
  constructor(memory: Memory, nodes: Iterable<NodeSpec | Bytes> = [],
              at?: number) {
    super(memory, 'cw_fleet_free', at ?? memory.call('cw_fleet_new', 0));
    try {
      for (const node of nodes)
        this.add(typeof node === 'string' || node instanceof Uint8Array
          ? { name: node } : node);
    } catch (error) {
      this.free();
      throw error;
    }
  }

  /** Add a node at the end of the list. */
  add(node: NodeSpec | Bytes): this {
    const spec = typeof node === 'string' || node instanceof Uint8Array
      ? { name: node } : node;
    const m = this.memory;
    const weight = this.weight(spec.weight ?? 1);
    const [at, len] = m.put(spec.name);
    m.check(m.call('cw_fleet_add', this.at, at, len, weight, m.errorAt()));
    try {
      if (spec.address !== undefined)
        this.setAddress(spec.name, spec.address);
      if (spec.zone !== undefined) this.setZone(spec.name, spec.zone);
      if (spec.label !== undefined) this.setLabel(spec.name, spec.label);
      if (spec.state !== undefined) this.setState(spec.name, spec.state);
      if (spec.positions !== undefined)
        this.setPositions(spec.name, spec.positions);
    } catch (error) {
      this.remove(spec.name);
      throw error;
    }
    return this;
  }

  remove(name: Bytes): this {
    const m = this.memory;
    const [at, len] = m.put(name);
    m.check(m.call('cw_fleet_remove', this.at, at, len, m.errorAt()));
    return this;
  }

  setWeight(name: Bytes, weight: number | string): this {
    const m = this.memory;
    const millionths = this.weight(weight);
    const [at, len] = m.put(name);
    m.check(m.call('cw_fleet_set_weight', this.at, at, len, millionths,
      m.errorAt()));
    return this;
  }

  setAddress(name: Bytes, address: Bytes): this {
    return this.setText('cw_fleet_set_address', name, address);
  }

  setZone(name: Bytes, zone: Bytes): this {
    return this.setText('cw_fleet_set_zone', name, zone);
  }

  /** The bytes that decide the node's points; '': its name again. */
  setLabel(name: Bytes, label: Bytes): this {
    return this.setText('cw_fleet_set_label', name, label);
  }

  /** A new name for the node; it keeps its points, so no key moves. */
  rename(name: Bytes, newName: Bytes): this {
    return this.setText('cw_fleet_rename', name, newName);
  }

  /** Changes no owner. */
  setState(name: Bytes, state: State): this {
    const m = this.memory;
    const number = STATES.indexOf(state);
    if (number < 0)
      throw new ClockwiseError('EINVAL',
        `state "${state}": expected up, down or drain`);
    const [at, len] = m.put(name);
    m.check(m.call('cw_fleet_set_state', this.at, at, len, number,
      m.errorAt()));
    return this;
  }

  setPositions(name: Bytes, positions: readonly (number | bigint)[]): this {
    const m = this.memory;
    const values = positions.map((position) => {
      const value = typeof position === 'bigint' ||
        Number.isSafeInteger(position) ? BigInt(position) : -1n;
      if (value < 0n || value >> 64n)
        throw new ClockwiseError('EINVAL',
          `position ${position}: expected a whole number, 0 to 2^64 - 1`);
      return value;
    });
    const block = m.allocate(positions.length * 8 + 8);
    m.u64(block, positions.length).set(values);
    const [at, len] = m.put(name);
    const status = m.call('cw_fleet_set_positions', this.at, at, len, block,
      positions.length, m.errorAt());
    m.free(block);
    m.check(status);
    return this;
  }

  /** Number of nodes, whatever their weight. */
  get size(): number {
    return this.memory.call('cw_fleet_count', this.at);
  }

  /** The nodes in list order. */
  nodes(): Node[] {
    const m = this.memory;
    return Array.from({ length: this.size }, (_, i) => readNode(m,
      m.call('flat_fleet_node', this.at, i),
      m.call64('flat_fleet_weight', this.at, i)));
  }

  has(name: Bytes): boolean {
    const m = this.memory;
    const out = m.allocate(64);
    const [at, len] = m.put(name);
    const status = m.call('cw_fleet_find', this.at, at, len, out) | 0;
    m.free(out);
    return status === 0;
  }

  /** A copy that can be changed on its own. */
  copy(): Fleet {
    return new Fleet(this.memory, [],
      this.memory.call('cw_fleet_copy', this.at));
  }

  /** A map of the fleet as it stands now. */
  map(placement: PlacementOptions | Placement = {}): KeyMap {
    const m = this.memory;
    const given = placement instanceof Placement;
    const p = given ? placement : new Placement(m, placement);
    m.errorAt();
    const map = m.call('flat_build', this.at, p.at);
    if (!given) p.free();
    return map === 0 ? m.fail() : new KeyMap(m, map);
  }

  private setText(call: string, name: Bytes, value: Bytes): this {
    const m = this.memory;
    const [v, vLen] = m.keep(value);
    const [at, len] = m.put(name);
    const status = m.call(call, this.at, at, len, v, vLen, m.errorAt());
    m.free(v);
    m.check(status);
    return this;
  }

  private weight(value: number | string): bigint {
    const m = this.memory;
    const out = m.allocate(8);
    let status: number;
    if (typeof value === 'string') {
      const [at, len] = m.put(value);
      status = m.call('cw_weight_parse', at, len, out, m.errorAt());
    } else {
      status = m.call('cw_weight_from_double', value, out, m.errorAt());
    }
    const result = m.u64(out, 1)[0]!;
    m.free(out);
    m.check(status);
    return result;
  }
}

/** Where every key is. Never changes. */
export class KeyMap extends Handle {
  private readonly known: (Node | undefined)[] = [];
  private readonly ownerOf: (map: number, at: number, len: number) => number;
  private address: number;      // 0 after free()

  /** @internal */
  constructor(memory: Memory, at: number) {
    super(memory, 'cw_map_unref', at);
    this.address = at;
    this.ownerOf = memory.exports['flat_owner'] as typeof this.ownerOf;
  }

  override free(): void {
    super.free();
    this.address = 0;
  }

  /** Number of nodes in the map, those of weight 0 included. */
  get size(): number {
    return this.memory.call('cw_map_count', this.at);
  }

  node(i: number): Node {
    const known = this.known[i];
    if (known) return known;
    if (!Number.isInteger(i) || i < 0 || i >= this.size)
      throw new ClockwiseError('EINVAL',
        `node ${i}: expected 0 to ${this.size - 1}`);
    const m = this.memory;
    return this.known[i] = readNode(m, m.call('flat_map_node', this.at, i),
      m.call64('flat_map_weight', this.at, i));
  }

  nodes(): Node[] {
    return Array.from({ length: this.size }, (_, i) => this.node(i));
  }

  /** The node's number, or NONE. */
  find(name: Bytes): number {
    const [at, len] = this.memory.put(name);
    return this.memory.call('cw_map_find', this.at, at, len) | 0;
  }

  /** The number of the node that owns a key; NONE for an empty map. */
  ownerIndex(key: Bytes): number {
    const m = this.memory;
    const map = this.address || this.at;
    if (typeof key === 'string') {
      const len = m.putText(key);
      return this.ownerOf(map, m.inputAt, len) | 0;
    }
    const [at, len] = m.put(key);
    return this.ownerOf(map, at, len) | 0;
  }

  /** The name of the node that owns a key; undefined for an empty map. */
  owner(key: Bytes): string | undefined {
    const i = this.ownerIndex(key);
    return i < 0 ? undefined : (this.known[i] ?? this.node(i)).name;
  }

  /** Numbers of the owners of many keys at once. */
  owners(keys: readonly Bytes[]): Int32Array {
    return this.many('flat_owners', keys, 4, (at, n) =>
      new Int32Array(this.memory.u32(at, n)));
  }

  /** Where keys stand, as parts of a full turn: for drawing. */
  turns(keys: readonly Bytes[]): Float64Array {
    return this.many('flat_turns', keys, 8, (at, n) =>
      this.memory.f64(at, n).slice());
  }

  /** Owner of a position, 0 to top; NONE where there is none. */
  ownerAt(position: bigint): number {
    return this.memory.call('flat_owner_position', this.at, position) | 0;
  }

  /** The preference list of a key: node numbers, the owner first. */
  order(key: Bytes, n = this.size): number[] {
    return this.list('cw_map_order', key, n);
  }

  /** The replica set: r nodes, in distinct zones while there are any. */
  replicas(key: Bytes, r: number): number[] {
    return this.list('cw_map_replicas', key, r);
  }

  /** The preference list from a position on. */
  orderAt(position: bigint, n = this.size): number[] {
    return this.from('cw_map_order_position', position, n);
  }

  /** The preference list of a hash that hash() gives, or another. */
  orderOf(hash: bigint, n = this.size): number[] {
    return this.from('cw_map_order_hash', hash, n);
  }

  /** The key's hash; undefined for a row that works on the key's bytes. */
  hash(key: Bytes): bigint | undefined {
    const m = this.memory;
    const ok = m.allocate(4);
    const [at, len] = m.put(key);
    const hash = m.call64('flat_hash', this.at, at, len, ok);
    const known = m.u32(ok, 1)[0] === 1;
    m.free(ok);
    return known ? hash : undefined;
  }

  /** The position that a hash has on the ring. */
  position(hash: bigint): bigint {
    return this.memory.call64('cw_map_position', this.at, hash);
  }

  /** Largest position: the ring's size - 1. */
  get top(): bigint {
    return this.memory.call64('cw_map_top', this.at);
  }

  /** Equal on two machines: equal owners and replica sets. */
  get fingerprint(): string {
    return this.memory.call64('cw_map_fingerprint', this.at).toString(16)
      .padStart(16, '0');
  }

  get row(): Row {
    const at = this.memory.call('flat_map_row', this.at);
    return { ...readRow(this.memory, at), options: [] };
  }

  get pointCount(): number {
    return Number(this.memory.call64('cw_map_points', this.at));
  }

  nodePointCount(i: number): number {
    return Number(this.memory.call64('cw_map_node_points', this.at, i));
  }

  get bytes(): number {
    return this.memory.call('cw_map_bytes', this.at);
  }

  /** Prove every invariant of the map, or throw. */
  check(): void {
    const m = this.memory;
    m.check(m.call('cw_map_check', this.at, m.errorAt()));
  }

  shares(): Shares {
    const m = this.memory;
    const block = this.block('flat_shares', this.at);
    const count = Number(m.u64(block, 1)[0]);
    const u = m.u64(block, 7 + count * 4).slice();
    const f = m.f64(block, 7 + count * 4).slice();
    m.free(block);
    return {
      basis: BASES[Number(u[1])] ?? 'exact',
      size: u128(u[2]!, u[3]!),
      balance: { maxAvg: f[4]!, minAvg: f[5]!, cv: f[6]! },
      nodes: Array.from({ length: count }, (_, i) => {
        const at = 7 + i * 4;
        return { positions: u128(u[at]!, u[at + 1]!), part: f[at + 2]!,
          fair: f[at + 3]! };
      }),
    };
  }

  /** Every arc in rising order; one that wraps comes in two parts. */
  arcs(): Arc[] {
    return this.cells('flat_arcs', 4, (u, at) => ({ first: u[at]!,
      last: u[at + 1]!, owner: Memory.index(u[at + 2]!) }), this.at);
  }

  /** Every point in rising order. */
  points(): Point[] {
    return this.cells('flat_points', 2, (u, at) => ({ position: u[at]!,
      node: Number(u[at + 1]) }), this.at);
  }

  /** What moves when `next` takes this map's place. */
  diff(next: KeyMap): Diff {
    const m = this.memory;
    const block = this.block('flat_diff', this.at, next.at);
    const head = m.u64(block, 11);
    const nodes = Number(head[9]);
    const flows = Number(head[10]);
    const u = m.u64(block, 11 + nodes * 10 + flows * 5).slice();
    const f = new Float64Array(u.buffer);
    m.free(block);
    return {
      basis: BASES[Number(u[0])] ?? 'exact',
      samples: Number(u[1]),
      size: u128(u[2]!, u[3]!),
      movedPositions: u128(u[4]!, u[5]!),
      moved: f[6]!, ideal: f[7]!, excessChurn: f[8]!,
      nodes: Array.from({ length: nodes }, (_, i) =>
        this.diffNode(next, u, f, 11 + i * 10)),
      flows: Array.from({ length: flows }, (_, i) => {
        const at = 11 + nodes * 10 + i * 5;
        return { from: Memory.index(u[at]!), to: Memory.index(u[at + 1]!),
          positions: u128(u[at + 2]!, u[at + 3]!), part: f[at + 4]! };
      }),
    };
  }

  /** The arcs whose owner changes; numbers of the old and the new map. */
  diffArcs(next: KeyMap): MovedArc[] {
    return this.cells('flat_diff_arcs', 4, (u, at) => ({ first: u[at]!,
      last: u[at + 1]!, from: Memory.index(u[at + 2]!),
      to: Memory.index(u[at + 3]!) }), this.at, next.at);
  }

  /** For drawing: begin, end (0 to 1, parts of a turn), owner and again the
   * owner of every arc, one behind the other. */
  arcTurns(): Float64Array {
    return this.turnCells('flat_turn_arcs', this.at, this.at);
  }

  /** For drawing: begin, end, from, to of the arcs whose owner changes. */
  diffTurns(next: KeyMap): Float64Array {
    return next.at === this.at ? new Float64Array(0)
      : this.turnCells('flat_turn_arcs', this.at, next.at);
  }

  /** For drawing: place and node of every point. */
  pointTurns(): Float64Array {
    return this.turnCells('flat_turn_points', this.at);
  }

  private turnCells(call: string, ...args: number[]): Float64Array {
    const m = this.memory;
    const block = this.block(call, ...args);
    const n = Number(m.u64(block, 1)[0]);
    const cells = m.f64(block + 8, n).slice();
    m.free(block);
    return cells;
  }

  private diffNode(next: KeyMap, u: BigUint64Array, f: Float64Array,
                   at: number): DiffNode {
    const oldIndex = Memory.index(u[at]!);
    const newIndex = Memory.index(u[at + 1]!);
    const node = newIndex >= 0 ? next.node(newIndex) : this.node(oldIndex);
    return { name: node.name, oldIndex, newIndex, oldShare: f[at + 2]!,
      newShare: f[at + 3]!, oldFair: f[at + 4]!, newFair: f[at + 5]!,
      gave: f[at + 6]!, took: f[at + 7]!, receivers: Number(u[at + 8]),
      largest: f[at + 9]! };
  }

  private from(call: string, value: bigint, n: number): number[] {
    const m = this.memory;
    const room = Math.min(Math.max(0, Math.floor(n)), this.size);
    const out = m.allocate(room * 4 + 4);
    const got = m.call(call, this.at, value, out, room);
    const list = Array.from(m.u32(out, got));
    m.free(out);
    return list;
  }

  private list(call: string, key: Bytes, n: number): number[] {
    const m = this.memory;
    const room = Math.min(Math.max(0, Math.floor(n)), this.size);
    const out = m.allocate(room * 4 + 4);
    const [at, len] = m.put(key);
    const got = m.call(call, this.at, at, len, out, room);
    const list = Array.from(m.u32(out, got));
    m.free(out);
    return list;
  }

  private many<T>(call: string, keys: readonly Bytes[], size: number,
                  read: (at: number, n: number) => T): T {
    const m = this.memory;
    const [at, ends] = m.keepMany(keys);
    const out = m.allocate(keys.length * size + size);
    m.call(call, this.at, at, ends, keys.length, out);
    const result = read(out, keys.length);
    m.free(at);
    m.free(ends);
    m.free(out);
    return result;
  }

  private block(call: string, ...args: number[]): number {
    const at = this.memory.call(call, ...args);
    if (at === 0)
      throw new ClockwiseError('ENOTSUP',
        `${this.row.name}: this placement cannot answer that question`);
    return at;
  }

  private cells<T>(call: string, size: number,
                   read: (u: BigUint64Array, at: number) => T,
                   ...args: number[]): T[] {
    const m = this.memory;
    const block = this.block(call, ...args);
    const n = Number(m.u64(block, 1)[0]);
    const u = m.u64(block + 8, n).slice();
    m.free(block);
    return Array.from({ length: n / size }, (_, i) => read(u, i * size));
  }
}

function readRow(memory: Memory, at: number): Omit<Row, 'options'> {
  const w = memory.u32(at, 7);
  return { name: memory.text(w[0]!), summary: memory.text(w[1]!),
    source: memory.text(w[2]!), traits: traitsOf(w[3]!), bits: w[4]!,
    keyed: w[5] === 1 };
}

function readRows(memory: Memory, table: number): Row[] {
  const rows: Row[] = [];
  for (let i = 0; ; i++) {
    const at = memory.call('flat_row', table, i);
    if (at === 0) return rows;
    const row: Row = { ...readRow(memory, at), options: [] };
    for (let j = 0; ; j++) {
      const option = memory.call('flat_row_option', table, i, j);
      if (option === 0) break;
      const [name, summary, expected, fallback] =
        Array.from(memory.u32(option, 4), (at) => memory.text(at));
      row.options.push({ name: name!, summary: summary!,
        expected: expected!, fallback: fallback! });
    }
    rows.push(row);
  }
}

/** The library over one WebAssembly instance. */
export class Clockwise {
  /** @internal */
  constructor(readonly memory: Memory) {}

  get version(): string {
    return this.memory.text(this.memory.call('cw_version'));
  }

  fleet(nodes: Iterable<NodeSpec | Bytes> = []): Fleet {
    return new Fleet(this.memory, nodes);
  }

  placement(options: PlacementOptions = {}): Placement {
    return new Placement(this.memory, options);
  }

  /** Rows of a table: what can be asked for. */
  rows(table: keyof typeof TABLES): Row[] {
    return readRows(this.memory, TABLES[table]);
  }
}

/** The library from a module of dist/clockwise.wasm. */
export function instantiate(module: WebAssembly.Module): Clockwise {
  const instance = new WebAssembly.Instance(module, {});
  return new Clockwise(new Memory(instance.exports as unknown as Exports));
}

/** The same from bytes, as a browser's main thread wants it. */
export async function load(bytes: BufferSource): Promise<Clockwise> {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return new Clockwise(new Memory(instance.exports as unknown as Exports));
}
