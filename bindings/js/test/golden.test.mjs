// SPDX-License-Identifier: Apache-2.0
// Every answer of tests/golden, through WebAssembly: the same files that the
// native library is held to. tests/golden/README.md describes them.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { clockwise, fleet } from '../dist/esm/index.js';

const root = fileURLToPath(new URL('../../../tests/golden/', import.meta.url));
const latin1 = (path) => readFileSync(path, 'latin1');
const bytes = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0));
const utf8 = (text) => Buffer.from(text, 'latin1').toString('utf8');

const lines = (path) => latin1(path).split('\n').slice(0, -1)
  .map((line) => line.split('\t'));

const unescape = (text) => text.replace(/%([0-9a-fA-F]{2})/g,
  (_, hex) => String.fromCharCode(parseInt(hex, 16)));

function readNodes(list) {
  return list.split(' ').filter((word) => word !== '').map((word) => {
    const [name, label, weight, address, zone, positions] =
      word.split('|').map((field) => bytes(unescape(field)));
    const given = (field) => field?.length ? field : undefined;
    return { name, label: given(label), address: given(address),
      zone: given(zone),
      weight: given(weight) && Buffer.from(weight).toString('latin1'),
      positions: given(positions) &&
        Buffer.from(positions).toString('latin1').split(',').map(BigInt) };
  });
}

const options = (text) => Object.fromEntries(text.split(';')
  .filter((part) => part !== '').map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at), bytes(part.slice(at + 1))];
  }));

function answer(map, title, text, n) {
  if (title === 'key') return map.order(bytes(text), n);
  if (title === 'hexkey') return map.order(Buffer.from(text, 'hex'), n);
  if (title === 'position') return map.orderAt(BigInt(text), n);
  assert.equal(title, 'hash', 'a known column');
  return map.orderOf(BigInt(text), n);
}

function owner(map, title, text) {
  if (title === 'key') return map.ownerIndex(bytes(text));
  if (title === 'position') return map.ownerAt(BigInt(text));
  return undefined;
}

function runCase(folder, [name, placement, nodes, file, columns]) {
  const map = fleet(readNodes(nodes)).map(options(placement));
  const [title, second] = columns.split(' ');
  const keys = [], owners = [];
  map.check();
  for (const [text, ...wanted] of lines(root + folder + '/' + file)) {
    if (second === 'hash') {
      const key = title === 'hexkey' ? Buffer.from(text, 'hex') : bytes(text);
      assert.equal(map.hash(key), BigInt(wanted[0]), `${name}: ${text}`);
      keys.push(key);
      continue;
    }
    const got = answer(map, title, text, wanted.length);
    assert.deepEqual(got.map((i) => map.node(i).name), wanted.map(utf8),
      `${folder}/${name}: ${title} ${text}`);
    const plain = owner(map, title, text);
    if (plain !== undefined) assert.equal(plain, got[0], text);
    keys.push(bytes(text));
    owners.push(got[0]);
  }
  if (title === 'key' && second !== 'hash')
    assert.deepEqual(Array.from(map.owners(keys)), owners, 'all at once');
  return keys.length;
}

/** Functions of a hash and a number of buckets: as fleets of so many nodes,
 * up to what is quick to build. The native test asks for all of them. */
function runBuckets(folder, [name, placement, , file]) {
  const maps = new Map();
  let asked = 0;
  for (const [hash, buckets, bucket] of lines(`${root}${folder}/${file}`)) {
    const n = Number(buckets);
    if (n > 1000) continue;
    if (!maps.has(n))
      maps.set(n, fleet(Array.from({ length: n }, (_, i) => `${i}`))
        .map(options(placement)));
    assert.deepEqual(maps.get(n).orderOf(BigInt(hash), 1), [Number(bucket)],
      `${name}: ${hash} of ${buckets}`);
    asked++;
  }
  return asked;
}

/** A row that is refused with its reason has no other answers. */
function refused(placement) {
  try {
    clockwise.placement(options(placement)).free();
    return false;
  } catch (error) {
    assert.match(error.message, /defective/);
    return true;
  }
}

const folders = readdirSync(root)
  .filter((name) => existsSync(`${root}${name}/cases.tsv`));
let answers = 0;
for (const folder of folders) {
  test(`golden: ${folder}`, (t) => {
    const cases = lines(`${root}${folder}/cases.tsv`)
      .filter(([first]) => first && !first.startsWith('#'));
    const ready = cases.filter(([, placement]) => placement !== '-');
    for (const one of ready) {
      const [name, placement, , , columns] = one;
      if (refused(placement)) t.diagnostic(`${name}: refused, as it should`);
      else if (columns === 'hash buckets bucket')
        answers += runBuckets(folder, one);
      else if (columns === 'key bucket')
        t.diagnostic(`${name}: more buckets than nodes, asked natively`);
      else answers += runCase(folder, one);
    }
  });
}

test('golden: there is something to compare', () => {
  assert.ok(folders.length >= 3 && answers > 10000,
    `${folders.length} folders, ${answers} answers`);
});

test('golden: fingerprints', () => {
  const rows = lines(root + 'fingerprint.tsv')
    .filter(([first]) => !first.startsWith('#'));
  assert.ok(rows.length >= 4);
  for (const [list, placement, wanted] of rows) {
    const nodes = list.split(',').filter((word) => word !== '')
      .map((word) => {
        const [, name, weight, zone] =
          /^([^=@]*)(?:=([^@]*))?(?:@(.*))?$/.exec(word);
        return { name, weight, zone };
      });
    assert.equal(fleet(nodes).map(options(placement)).fingerprint, wanted,
      `${list} ${placement}`);
  }
});

test('golden: hashes', () => {
  let seen = 0;
  for (const row of clockwise.rows('hashes')) {
    const placement = { algorithm: 'modulo', hash: row.name,
      ...(row.keyed ? { 'hash-key': '000102030405060708090a0b0c0d0e0f' }
        : {}) };
    const map = fleet(['a']).map(placement);
    for (const [input, value] of lines(`${root}hash/${row.name}.txt`)) {
      if (!/^[0-9a-f]*$/.test(input)) continue;   // comments and patterns
      assert.equal(map.hash(Buffer.from(input, 'hex')), BigInt('0x' + value),
        `${row.name} of ${input}`);
      seen++;
    }
  }
  assert.ok(seen > 100, `${seen} values`);
});
