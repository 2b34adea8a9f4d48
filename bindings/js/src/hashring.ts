// SPDX-License-Identifier: Apache-2.0
/**
 * The interface that users of npm `hashring` know, and its placement, the
 * library's row `npm-hashring`: the same servers and options give every key
 * the same server as hashring 3.2.0.
 *
 * A server that no point is left for, the order of equal points: all as
 * there. What differs is stated at the member.
 */
import { ClockwiseError, KeyMap } from './core.js';
import { clockwise } from './instance.js';

/** A server's weight, or its weight and number of vnodes. */
export type ServerValue = number | string |
  { weight?: number; vnodes?: number };

/** "host:port", a list of them, or an object from them to their weights. */
export type Servers = string | readonly string[] |
  Readonly<Record<string, ServerValue>>;

/** The digests there are. */
export type Digest = 'md5' | 'sha1' | 'sha256' | 'sha512';
const DIGESTS: readonly string[] = ['md5', 'sha1', 'sha256', 'sha512'];

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
  weight: number;
  vnodes: number;
}

function parseServer(text: string, value?: ServerValue): Server {
  const object = typeof value === 'object';
  return { text, weight: Number(object ? value.weight : value) || 1,
    vnodes: object ? Number(value.vnodes) || 0 : 0 };
}

function parse(servers: Servers | undefined): Server[] {
  if (!servers) return [];
  if (typeof servers === 'string') return [parseServer(servers)];
  const list = Array.isArray(servers)
    ? servers.map((text: string) => parseServer(text))
    : Object.entries(servers).map(([text, value]) =>
      parseServer(text, value as ServerValue));
  const seen = new Set<string>();
  return list.filter((s) => !seen.has(s.text) && seen.add(s.text));
}

/** A ring of servers. */
export class HashRing {
  private readonly vnode: number;
  private readonly placement: Record<string, string | number>;
  private servers: Server[];
  private map: KeyMap;      // its nodes are in the order of the servers

  /** Weights are 0 to 1,000,000 with at most six decimals. */
  constructor(servers?: Servers, algorithm: Digest = 'md5',
              options: HashRingOptions = {}) {
    if (!DIGESTS.includes(algorithm))
      throw new ClockwiseError('EINVAL', `algorithm "${String(algorithm)}": ` +
        `expected one of ${DIGESTS.join(', ')}`);
    this.vnode = options['vnode count'] ?? 40;
    const replicas = options.compatibility
      ? (options.compatibility === 'hash_ring' ? 3 : 4)
      : Number(options.replicas ?? 4);
    this.placement = { compat: 'npm-hashring', hash: algorithm,
      'vnode-count': this.vnode, replicas: replicas > 0 ? replicas : 1,
      'default-port': options['default port'] ?? 0 };
    this.servers = parse(servers);
    this.map = this.build(this.servers);
  }

  /** The server of a key; undefined when the ring is empty. */
  get(key: string): string | undefined {
    const i = this.map.ownerIndex(String(key));
    return i < 0 ? undefined : this.servers[i]!.text;
  }

  /**
   * The next `size` servers from the key on: distinct ones, unless unique
   * is given as false.
   */
  range(key: string, size?: number, unique?: boolean): string[] {
    const { map } = this;
    if (map.pointCount === 0) return [];
    const wanted = size || this.servers.length;
    if (unique !== false)
      return map.order(String(key), wanted)
        .filter((i) => map.nodePointCount(i) > 0)
        .map((i) => this.servers[i]!.text);
    const at = map.position(map.hash(String(key))!);
    const points = map.points();
    const first = points.findIndex((p) => p.position >= at);
    return Array.from({ length: Math.min(wanted, points.length) },
      (_, i) => points[(Math.max(first, 0) + i) % points.length]!)
      .map((p) => this.servers[p.node]!.text);
  }

  /** Positions of the points of each server, in rising order. */
  points(servers?: readonly string[]): Record<string, number[]> {
    const list = Object.create(null) as Record<string, number[]>;
    for (const text of servers ?? this.servers.map((s) => s.text))
      list[text] = [];
    for (const p of this.map.points())
      list[this.servers[p.node]!.text]?.push(Number(p.position));
    return list;
  }

  has(server: string): boolean {
    return this.servers.some((s, i) => s.text === server &&
      i < this.map.size && this.map.nodePointCount(i) > 0);
  }

  /** Add servers that are not there yet. */
  add(servers: Servers): this {
    const known = new Set(this.servers.map((s) => s.text));
    return this.become([...this.servers,
      ...parse(servers).filter((s) => !known.has(s.text))]);
  }

  remove(server: string): this {
    return this.become(this.servers.filter((s) => s.text !== server));
  }

  /** Put a server in another's place: it takes over its points. A later
   * add() or remove() computes them from its own name. */
  swap(from: string, to: string): this {
    this.servers = this.servers.map((s) =>
      (s.text === from ? { ...s, text: to } : s));
    return this;
  }

  /** Empty the ring; the servers stay known until end(). */
  reset(): this {
    this.map.free();
    this.map = this.build([]);
    return this;
  }

  end(): this {
    this.servers = [];
    return this.reset();
  }

  /** What is refused leaves the ring as it was. */
  private become(servers: Server[]): this {
    const map = this.build(servers);
    this.map.free();
    this.map = map;
    this.servers = servers;
    return this;
  }

  private build(servers: readonly Server[]): KeyMap {
    const fleet = clockwise.fleet(servers.map((s) => ({ name: s.text,
      weight: s.weight,
      label: `${s.text} vnodes=${s.vnodes || this.vnode}` })));
    try {
      return fleet.map(this.placement);
    } finally {
      fleet.free();
    }
  }
}
