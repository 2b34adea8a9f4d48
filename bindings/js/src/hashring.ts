// SPDX-License-Identifier: Apache-2.0
/**
 * The interface that users of npm `hashring` know, and its placement: the
 * same servers and options give every key the same server as hashring 3.2.0.
 *
 * A server that no point is left for, a key in the cache, the order of equal
 * points: all as there. What differs is stated at the member.
 */
import { ClockwiseError, Fleet, KeyMap } from './core.js';
import { clockwise } from './instance.js';
import { md5 } from './md5.js';

/** A server's weight, or its weight and number of vnodes. */
export type ServerValue = number | string |
  { weight?: number; vnodes?: number };

/** "host:port", a list of them, or an object from them to their weights. */
export type Servers = string | readonly string[] |
  Readonly<Record<string, ServerValue>>;

/** A digest of a text: at least 4 bytes a replica. */
export type Digest = (text: string) => Uint8Array;

export interface HashRingOptions {
  /** Digests a server has at weight 1: 40. */
  'vnode count'?: number;
  /** Points a digest gives: 4. */
  replicas?: number;
  /** 'hash_ring' for 3 replicas, anything else for 4. */
  compatibility?: string;
  /** Servers with this port are hashed without it. */
  'default port'?: number;
  /** Taken for the sake of old callers; there is no cache. */
  'max cache size'?: number;
}

interface Server {
  text: string;
  host: string;
  port: number;
  weight: number;
  vnodes: number;
}

const utf8 = new TextEncoder();

function parseServer(text: string, value?: ServerValue): Server {
  const parts = text.split(':');
  const object = typeof value === 'object';
  return { text, host: parts[0]!, port: Number(parts[1]),
    weight: Number(object ? value.weight : value) || 1,
    vnodes: object ? Number(value.vnodes) || 0 : 0 };
}

function parse(servers: Servers | undefined): Server[] {
  if (!servers) return [];
  if (typeof servers === 'string') return [parseServer(servers)];
  if (Array.isArray(servers))
    return servers.map((text: string) => parseServer(text));
  return Object.entries(servers).map(([text, value]) =>
    parseServer(text, value as ServerValue));
}

function md5Digest(text: string): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(16));
  md5(utf8.encode(text)).forEach((word, i) =>
    bytes.setUint32(i * 4, word, true));
  return new Uint8Array(bytes.buffer);
}

function word(bytes: Uint8Array, j: number): number {
  const at = j * 4;
  if (at + 4 > bytes.length)
    throw new ClockwiseError('EINVAL', `replica ${j} needs a digest of ` +
      `${at + 4} bytes; this one has ${bytes.length}`);
  return (bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 |
    bytes[at + 3]! << 24) >>> 0;
}

/** A ring of servers. */
export class HashRing {
  private readonly vnode: number;
  private readonly replicas: number;
  private readonly defaultPort: number | undefined;
  private readonly digest: Digest;
  private readonly hasher: KeyMap | undefined;
  private servers: Server[];
  private fleet: Fleet | undefined;
  private map: KeyMap | undefined;
  private readonly lookUp: (hasher: number, map: number, at: number,
                            len: number) => number;

  /**
   * @param algorithm 'md5', or a function that gives a digest: for another
   *   of node's, (text) => createHash('sha1').update(text).digest()
   */
  constructor(servers?: Servers, algorithm: 'md5' | Digest = 'md5',
              options: HashRingOptions = {}) {
    if (typeof algorithm !== 'function' && algorithm !== 'md5')
      throw new ClockwiseError('EINVAL', `algorithm "${algorithm}": ` +
        `expected "md5" or a function from text to its digest`);
    this.vnode = options['vnode count'] ?? 40;
    const replicas = options.compatibility
      ? (options.compatibility === 'hash_ring' ? 3 : 4)
      : Number(options.replicas ?? 4);
    this.replicas = replicas > 0 ? replicas : 1;
    this.defaultPort = options['default port'];
    this.digest = typeof algorithm === 'function' ? algorithm : md5Digest;
    this.lookUp = clockwise.memory.exports['flat_owner_hashed'] as
      typeof this.lookUp;
    // ketama160 hashes keys as hashring does: 4 bytes of MD5.
    this.hasher = algorithm === 'md5'
      ? clockwise.fleet().map({ compat: 'ketama160' }) : undefined;
    this.servers = parse(servers);
    this.rebuild();
  }

  /** The server of a key; undefined when the ring is empty. */
  get(key: string): string | undefined {
    const i = this.ownerOf(key);
    return i < 0 ? undefined : this.servers[i]!.text;
  }

  /**
   * The next `size` servers from the key on: distinct ones, unless unique
   * is given as false.
   */
  range(key: string, size?: number, unique?: boolean): string[] {
    const map = this.map;
    if (!map || map.pointCount === 0) return [];
    const wanted = size || this.servers.length;
    const at = this.positionOf(key);
    if (unique !== false)
      return map.orderAt(BigInt(at), wanted)
        .map((i) => this.servers[i]!.text);
    const points = map.points();
    const first = points.findIndex((p) => p.position >= BigInt(at));
    return Array.from({ length: Math.min(wanted, points.length) },
      (_, i) => points[(Math.max(first, 0) + i) % points.length]!)
      .map((p) => this.servers[p.node]!.text);
  }

  /** Positions of the points of each server, in rising order. */
  points(servers?: readonly string[]): Record<string, number[]> {
    const list = Object.create(null) as Record<string, number[]>;
    for (const text of servers ?? this.servers.map((s) => s.text))
      list[text] = [];
    for (const p of this.map?.points() ?? []) {
      const text = this.servers[p.node]!.text;
      list[text]?.push(Number(p.position));
    }
    return list;
  }

  has(server: string): boolean {
    return this.servers.some((s, i) => s.text === server &&
      this.map!.pointCount > 0 && this.map!.nodePointCount(i) > 0);
  }

  /** Add servers that are not there yet. */
  add(servers: Servers): this {
    const known = new Set(this.servers.map((s) => s.text));
    this.servers = [...this.servers,
      ...parse(servers).filter((s) => !known.has(s.text))];
    this.rebuild();
    return this;
  }

  remove(server: string): this {
    this.servers = this.servers.filter((s) => s.text !== server);
    this.rebuild();
    return this;
  }

  /** Put a server in another's place: it takes over its points. A later
   * add() or remove() computes them from its own name. */
  swap(from: string, to: string): this {
    this.servers = this.servers.map((s) => s.text !== from ? s
      : { ...parseServer(to), weight: s.weight, vnodes: s.vnodes });
    return this;
  }

  /** Empty the ring; the servers stay known until end(). */
  reset(): this {
    this.fleet?.free();
    this.map?.free();
    this.fleet = clockwise.fleet();
    this.map = this.fleet.map();
    return this;
  }

  end(): this {
    this.servers = [];
    return this.reset();
  }

  private ownerOf(key: string): number {
    const map = this.map!;
    const memory = clockwise.memory;
    if (!this.hasher)
      return map.ownerAt(BigInt(this.positionOf(key)));
    const len = memory.putText(String(key));
    return this.lookUp(this.hasher.at, map.at, memory.inputAt, len) | 0;
  }

  private positionOf(key: string): number {
    return this.hasher ? Number(this.hasher.hash(String(key)))
      : word(this.digest(String(key)), 0);
  }

  private rebuild(): void {
    const total = this.servers.reduce((sum, s) => sum + s.weight, 0);
    const fleet = clockwise.fleet();
    this.servers.forEach((s, i) => {
      const at = this.pointsOf(s, total);
      // Labels in list order: of two equal points the earlier one wins.
      fleet.add({ name: String(i), label: String(i).padStart(9, '0'),
        weight: at.length ? 1 : 0, positions: at });
    });
    const map = fleet.map({ algorithm: 'ring', size: 4294967296 });
    this.fleet?.free();
    this.map?.free();
    this.fleet = fleet;
    this.map = map;
  }

  private pointsOf(s: Server, total: number): number[] {
    const vnodes = s.vnodes || this.vnode;
    // In the order of hashring: the rounding of doubles is part of it.
    const length = vnodes !== this.vnode ? vnodes
      : Math.floor(s.weight / total * vnodes * this.servers.length);
    const name = this.defaultPort && s.port === this.defaultPort
      ? s.host : s.text;
    const at: number[] = [];
    for (let i = 0; i < length; i++) {
      const digest = this.digest(`${name}-${i}`);
      for (let j = 0; j < this.replicas; j++) at.push(word(digest, j));
    }
    return at;
  }
}
