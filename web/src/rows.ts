// SPDX-License-Identifier: Apache-2.0
// Placements as the page offers them, from the library's own tables.
import type { PlacementOptions, Row } from '../../bindings/js/src/core.js';
import { clockwise } from './library.js';

export interface Choice {
  id: string;
  text: string;
  row: Row;
  options: PlacementOptions;
}

let known: Choice[] | undefined;

/** Every algorithm and compat row. */
export function choices(): Choice[] {
  known ??= [
    ...clockwise.rows('algorithms').map((row) => ({ id: row.name,
      text: row.name, row, options: { algorithm: row.name } })),
    ...clockwise.rows('compat').map((row) => ({ id: `compat:${row.name}`,
      text: row.name, row, options: { compat: row.name } })),
  ];
  return known;
}

export const choice = (id: string) => choices().find((c) => c.id === id);

/** Those that have arcs, and a map of two plain names to show. */
export const withArcs = () => choices().filter((c) => {
  if (!c.row.traits.arcs) return false;
  const fleet = clockwise.fleet(['a', 'b']);
  try {
    fleet.map(c.options).free();
    return true;
  } catch {
    return false;
  } finally {
    fleet.free();
  }
});

export const takesPoints = (c: Choice) =>
  c.row.options.find((o) => o.name === 'points');
