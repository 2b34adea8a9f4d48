// SPDX-License-Identifier: Apache-2.0
/**
 * Consistent hashing: which node has a key, and what a change moves.
 *
 * @example
 * const before = fleet(['cache-a', 'cache-b', 'cache-c']);
 * before.map().owner('user:1');
 */
import { Bytes, Fleet, NodeSpec, Placement, PlacementOptions, Row }
  from './core.js';
import { clockwise } from './instance.js';

export * from './core.js';
export { clockwise };
export { HashRing } from './hashring.js';
export type { Digest, HashRingOptions, Servers, ServerValue }
  from './hashring.js';

/** "0.1.0": the library's version. */
export const version: string = clockwise.version;

/** A fleet of these nodes. */
export function fleet(nodes: Iterable<NodeSpec | Bytes> = []): Fleet {
  return clockwise.fleet(nodes);
}

/** A placement, to be used for many maps. */
export function placement(options: PlacementOptions = {}): Placement {
  return clockwise.placement(options);
}

/** Every algorithm, compat placement or hash there is. */
export function rows(table: 'algorithms' | 'compat' | 'hashes'): Row[] {
  return clockwise.rows(table);
}
