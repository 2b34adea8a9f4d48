// SPDX-License-Identifier: Apache-2.0
// Fleet files, by the readers of the program: YAML becomes a tree here, and
// the tree becomes nodes and a placement in C, with the same messages.
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments }
  from 'yaml';
import type { Document, Node as YamlNode } from 'yaml';
import { Fleet, Placement } from '../../bindings/js/src/core.js';
import type { Memory } from '../../bindings/js/src/memory.js';
import { clockwise } from './library.js';

const NULL = 1, SCALAR = 2, LIST = 4, MAP = 8;
const NULLS = new Set(['', '~', 'null', 'Null', 'NULL']);
const MOST = 200000;        // values, aliases written out
const MOST_ALIASED = 10000; // of them those that aliases stand for

export interface FleetFile {
  fleet: Fleet;
  placement: Placement;
  format: string;
  /** What was inferred, or could not be taken over: a line each. */
  notes: string[];
  /** Names of all pools in the file, and the number of the one read. */
  pools: string[];
  pool: number;
}

/** What is wrong with a file, as the program would print it. */
export class FleetFileError extends Error {}

class TreeWriter {
  readonly words: number[] = [];
  private values = 0;
  private aliased = 0;
  private aliases = 0;      // within so many
  private readonly open = new Set<unknown>();
  private readonly anchors = new Map<string, unknown>();
  private readonly utf8 = new TextEncoder();

  constructor(private readonly lines: LineCounter) {}

  head(kind: number, quoted: boolean, range: readonly number[] | undefined,
       n: number): void {
    const at = range ? this.lines.linePos(range[0]!) : { line: 0, col: 0 };
    const end = range ? this.lines.linePos(range[1]!) : at;
    this.words.push(kind, quoted ? 1 : 0, at.line, at.col,
      end.line === at.line ? Math.max(1, end.col - at.col) : 1, n);
  }

  text(kind: number, quoted: boolean, range: readonly number[] | undefined,
       text: string): void {
    const bytes = this.utf8.encode(text);
    this.head(kind, quoted, range, bytes.length);
    for (let i = 0; i < bytes.length; i += 4)
      this.words.push(((bytes[i] ?? 0) | (bytes[i + 1] ?? 0) << 8 |
        (bytes[i + 2] ?? 0) << 16 | (bytes[i + 3] ?? 0) << 24) >>> 0);
  }

  /** False: an error was written, and ends the tree. */
  value(node: unknown): boolean {
    if (this.aliases > 0) this.aliased++;
    if (++this.values > MOST || this.aliased > MOST_ALIASED)
      return this.fail(undefined, `more than ${MOST} values, or ${
        MOST_ALIASED} that aliases stand for: too many for this page`);
    if (node === null || node === undefined) {
      this.text(NULL, false, undefined, '');
      return true;
    }
    const range = (node as YamlNode).range ?? undefined;
    if (isAlias(node)) {
      const target = this.anchors.get(node.source);
      if (!target) return this.fail(range,
        `there is no anchor "&${node.source}" before this alias`);
      if (this.open.has(target)) return this.fail(range,
        `the alias "*${node.source}" is part of what it stands for`);
      this.aliases++;
      const ok = this.value(target);
      this.aliases--;
      return ok;
    }
    const anchor = (node as { anchor?: string }).anchor;
    if (anchor) this.anchors.set(anchor, node);
    const tag = (node as YamlNode).tag;
    if (tag && !/^tag:yaml.org,2002:(str|map|seq)$|^!$/.test(tag))
      return this.fail(range, 'tags ("!") are not accepted here');
    if (isScalar(node)) return this.scalar(node, range);
    return this.collection(node, range);
  }

  private scalar(node: { value: unknown; type?: string | undefined },
                 range: readonly number[] | undefined): boolean {
    const text = String(node.value ?? '');
    const quoted = node.type !== 'PLAIN' && node.type !== undefined;
    this.text(!quoted && NULLS.has(text) ? NULL : SCALAR, quoted, range,
      text);
    return true;
  }

  private collection(node: unknown, range: readonly number[] | undefined):
    boolean {
    if (this.open.size >= 32) return this.fail(range,
      'more than 32 lists and mappings in each other');
    this.open.add(node);
    let ok = true;
    if (isMap(node)) {
      this.head(MAP, false, range, node.items.length);
      for (const pair of node.items)
        ok = ok && this.value(pair.key) && this.value(pair.value);
    } else if (isSeq(node)) {
      this.head(LIST, false, range, node.items.length);
      for (const item of node.items) ok = ok && this.value(item);
    }
    this.open.delete(node);
    return ok;
  }

  fail(range: readonly number[] | undefined, text: string): false {
    this.text(0, false, range, text);
    return false;
  }
}

/** Text to the words that wasm_conf.c takes. */
function treeOf(text: string): number[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { schema: 'failsafe',
    lineCounter: lines, uniqueKeys: false, prettyErrors: false,
    logLevel: 'silent' });
  const list = Array.isArray(documents) ? documents : [];
  const document = list[0] as Document | undefined;
  if (!document) return [];
  const writer = new TreeWriter(lines);
  const error = list.flatMap((d) => d.errors)[0];
  if (error)
    writer.fail(error.pos, `not YAML: ${error.message}`);
  else if (list.length > 1)
    writer.fail((list[1] as Document).range ?? undefined,
      'a second document begins here; expected one in a file');
  else if (document.contents)
    writer.value(document.contents);
  return writer.words;
}

/** Read a file of any format that the program knows. */
export function readFleet(text: string, pool = 0): FleetFile {
  const memory: Memory = clockwise.memory;
  const [at, len] = memory.keep(text);
  let tree: number[] = [];
  if (memory.call('flat_conf_is_tree', at, len)) tree = treeOf(text);
  const words = memory.allocate(tree.length * 4 + 4);
  memory.u32(words, tree.length).set(tree);
  const answer = memory.u32(memory.call('flat_conf_read', at, len, words,
    tree.length, pool), 9).slice();
  const said = answer[6] ? memory.text(answer[5]!, answer[6]!) : '';
  const format = answer[3] ? memory.text(answer[3]!) : '';
  const pools = memory.text(answer[7]!, answer[8]!).split('\0').slice(0, -1);
  memory.free(at);
  memory.free(words);
  if (answer[0] !== 1) throw new FleetFileError(said.trim());
  return { format, pools, pool: pool < pools.length ? pool : 0,
    notes: said.split('\n').filter((line) => line !== ''),
    fleet: new Fleet(memory, [], answer[1]!),
    placement: new Placement(memory, {}, answer[2]!) };
}
