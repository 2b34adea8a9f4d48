// SPDX-License-Identifier: Apache-2.0
// What two fleet files mean, and what going from one to the other moves:
// plain data, so that a worker can compute it.
import type { Diff, KeyMap } from '../../bindings/js/src/core.js';
import { FleetFile, readFleet } from './conf.js';

/** A text, and which of its pools; the one of that name, if there is one. */
export interface Source {
  text: string;
  pool: number | string;
}

export interface Side {
  format: string;
  pools: string[];
  pool: number;
  nodes: number;
  points: number;
  row: string;
  fingerprint: string;
}

/** A node of either file; no share: it is not in that one. */
export interface NodeLine {
  name: string;
  before: number | undefined;
  after: number | undefined;
  fair: number;
}

export interface Flow {
  from: number;         // in FleetPlan.lines; -1 for nobody
  to: number;
  part: number;
}

export interface FleetPlan {
  before: Side | undefined;
  after: Side | undefined;
  errors: { before: string; after: string };
  lines: NodeLine[];
  /** What was inferred from the files; what the reader should know. */
  notes: string[];
  warnings: string[];
  /** Of the file after the change, or of the only one. */
  exact: boolean;
  maxAvg: number;
  minAvg: number;
  /** For the ring: as in RingScene. */
  arcs: Float64Array;
  points: Float64Array;
  moved: Float64Array;
  change: {
    basis: Diff['basis'];
    moved: number;
    ideal: number;
    excess: number;
    flows: Flow[];
  } | undefined;
}

interface Read {
  file: FleetFile;
  map: KeyMap;
}

const nothing = () => new Float64Array(0);

function read({ text, pool }: Source): Read | undefined {
  if (text.trim() === '') return undefined;
  let file = readFleet(text, typeof pool === 'number' ? pool : 0);
  const named = file.pools.indexOf(String(pool));
  if (typeof pool === 'string' && named > 0) file = readFleet(text, named);
  return { file, map: file.fleet.map(file.placement) };
}

const side = (r: Read | undefined): Side | undefined => r && {
  format: r.file.format, pools: r.file.pools, pool: r.file.pool,
  nodes: r.map.size, points: r.map.pointCount, row: r.map.row.name,
  fingerprint: r.map.fingerprint };

/** What cannot be had of a placement without arcs is left out. */
function orNothing(get: () => Float64Array) {
  try {
    return get();
  } catch {
    return nothing();
  }
}

/** Whatever the texts are: what is wrong with them is in `errors`. */
export function planFleet(before: Source, after: Source): FleetPlan {
  const errors = { before: '', after: '' };
  const one = (which: 'before' | 'after', source: Source) => {
    try {
      return read(source);
    } catch (error) {
      errors[which] = error instanceof Error ? error.message : String(error);
      return undefined;
    }
  };
  const a = one('before', before), b = one('after', after);
  const shown = b ?? a;
  const diff = a && b ? a.map.diff(b.map) : undefined;
  const plan: FleetPlan = { before: side(a), after: side(b), errors,
    lines: [], notes: [], warnings: [], exact: true, maxAvg: 0,
    minAvg: 0, arcs: nothing(), points: nothing(), moved: nothing(),
    change: diff && { basis: diff.basis, moved: diff.moved,
      ideal: diff.ideal, excess: diff.excessChurn, flows: diff.flows } };
  remarks(plan, a, b);
  if (diff && a && b) plan.warnings.push(...traps(a, b, diff));
  if (!shown) return plan;
  const shares = shown.map.shares();
  plan.exact = shares.basis === 'exact';
  plan.maxAvg = shares.balance.maxAvg;
  plan.minAvg = shares.balance.minAvg;
  plan.lines = diff ? diff.nodes.map((n) => ({ name: n.name, fair: n.newFair,
    before: n.oldIndex < 0 ? undefined : n.oldShare,
    after: n.newIndex < 0 ? undefined : n.newShare }))
    : shares.nodes.map((s, i) => ({ name: shown.map.node(i).name,
      fair: s.fair, before: undefined, after: s.part }));
  draw(plan, shown, a, b);
  for (const r of [a, b]) {
    r?.map.free();
    r?.file.fleet.free();
    r?.file.placement.free();
  }
  return plan;
}

/** Arcs, points and moved arcs with the numbers of the lines. */
function draw(plan: FleetPlan, shown: Read, a: Read | undefined,
              b: Read | undefined): void {
  const at = new Map(plan.lines.map((line, i) => [line.name, i]));
  const number = (map: KeyMap) => map.nodes().map((n) => at.get(n.name)!);
  const own = number(shown.map);
  if (shown.map.row.traits.arcs) {
    plan.arcs = shown.map.arcTurns();
    for (let i = 0; i < plan.arcs.length; i += 4)
      plan.arcs[i + 2] = own[plan.arcs[i + 2]!] ?? -1;
    plan.points = orNothing(() => shown.map.pointTurns());
    for (let i = 1; i < plan.points.length; i += 2)
      plan.points[i] = own[plan.points[i]!]!;
  }
  if (!a || !b) return;
  const was = number(a.map), is = number(b.map);
  plan.moved = orNothing(() => a.map.diffTurns(b.map));
  for (let i = 0; i < plan.moved.length; i += 4) {
    plan.moved[i + 2] = was[plan.moved[i + 2]!] ?? -1;
    plan.moved[i + 3] = is[plan.moved[i + 3]!] ?? -1;
  }
}

// ---- what to look out for ----------------------------------------------

/** What the readers say of the files; once, where it is the same. */
function remarks(plan: FleetPlan, a: Read | undefined, b: Read | undefined) {
  const MARK = 'warning: ';
  const seen = new Map<string, string>();
  for (const [which, r] of [['before', a], ['after', b]] as const)
    for (const note of r?.file.notes ?? [])
      seen.set(note, seen.has(note) ? 'both' : which);
  for (const [note, which] of seen) {
    if (note.startsWith(MARK))
      plan.warnings.push(`${which}: ${note.slice(MARK.length)}`);
    else plan.notes.push(`${which}: ${note}`);
  }
}

function traps(before: Read, after: Read, diff: Diff): string[] {
  const list: string[] = [];
  const gone = diff.nodes.filter((n) => n.newIndex < 0);
  const fresh = new Map(diff.nodes.filter((n) => n.oldIndex < 0)
    .map((n) => [after.map.node(n.newIndex).address, n.name]));
  for (const g of gone) {
    const address = before.map.node(g.oldIndex).address;
    if (address !== '' && fresh.has(address))
      list.push(`${g.name} and ${fresh.get(address)} have the same address: ` +
        'a new name moves the whole share although the machine is the same; ' +
        'give it the old name as its label');
  }
  if (diff.basis === 'independent')
    list.push('The two hash keys with different functions: where a key is ' +
      'now says nothing of where it goes.');
  const both = new Set(diff.nodes.filter((n) => n.oldIndex >= 0 &&
    n.newIndex >= 0).map((n) => n.name));
  const order = (r: Read) => r.file.fleet.nodes().map((n) => n.name)
    .filter((n) => both.has(n)).join('\n');
  if (!after.map.row.traits.orderFree && order(before) !== order(after))
    list.push(`The order of the list changed, and ${after.map.row.name} ` +
      'goes by it.');
  if (diff.excessChurn > 1e-6)
    list.push(`${(diff.excessChurn * 100).toFixed(2)} % of all keys move ` +
      'between nodes that the change did not ask for it.');
  return list;
}
