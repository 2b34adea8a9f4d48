// SPDX-License-Identifier: Apache-2.0
// The full interface: what it promises, and what it refuses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockwise, ClockwiseError, fleet, NONE, placement, rows, version }
  from '../dist/esm/index.js';

const keys = Array.from({ length: 3000 }, (_, i) => `key:${i}`);
const abc = ['cache-a', 'cache-b', 'cache-c'];
const refused = (call, code, text) => assert.throws(call, (error) => {
  assert.ok(error instanceof ClockwiseError);
  assert.equal(error.code, code);
  assert.match(error.message, text);
  return true;
});

test('tables say what can be asked for', () => {
  assert.match(version, /^\d+\.\d+\.\d+$/);
  const ring = rows('algorithms').find((row) => row.name === 'ring');
  assert.equal(ring.traits.minimal && ring.traits.arcs, true);
  assert.ok(ring.options.some((option) => option.name === 'points' &&
    option.fallback === '160'));
  assert.ok(rows('compat').some((row) => row.name === 'ketama160'));
  assert.equal(rows('hashes').find((row) => row.name === 'crc32').bits, 32);
});

test('every row builds a map that is sound', (t) => {
  const without = [];
  let built = 0;
  for (const [table, option] of [['algorithms', 'algorithm'],
    ['compat', 'compat']])
    for (const row of rows(table)) {
      const asked = { [option]: row.name };
      let map;
      try {
        map = fleet(abc).map(asked);
      } catch (error) {
        // a row may need more than names, and says so
        assert.ok(error instanceof ClockwiseError, `${row.name}: ${error}`);
        without.push(`${row.name} (${error.message})`);
        continue;
      }
      map.check();
      built++;
      assert.equal(map.row.name, row.name);
      const shares = map.shares();
      assert.equal(shares.nodes.reduce((sum, n) => sum + n.positions, 0n),
        shares.size, `${row.name}: shares sum to the whole`);
      for (const key of keys.slice(0, 100)) {
        const order = map.order(key);
        assert.equal(order[0], map.ownerIndex(key), row.name);
        assert.equal(new Set(order).size, order.length, row.name);
      }
    }
  if (without.length) t.diagnostic(`refused: ${without.join('; ')}`);
  assert.ok(built > 4 * without.length, `${built} rows built`);
});

test('a node that leaves hands over its own keys only', () => {
  const nodes = fleet([...abc, { name: 'cache-d', weight: 2 }]);
  const before = nodes.map();
  const after = nodes.copy().remove('cache-b').map();
  const diff = before.diff(after);
  const gone = before.find('cache-b');
  let moved = 0;
  for (const key of keys) {
    const was = before.owner(key);
    if (was === 'cache-b') moved++;
    else assert.equal(after.owner(key), was);
  }
  assert.ok(moved > 0);
  assert.equal(diff.basis, 'exact');
  assert.equal(diff.moved, before.shares().nodes[gone].part);
  assert.equal(diff.excessChurn, 0);
  assert.equal(diff.movedPositions, before.shares().nodes[gone].positions);
  assert.equal(diff.flows.reduce((sum, f) => sum + f.positions, 0n),
    diff.movedPositions);
  assert.equal(before.diffArcs(after).reduce((sum, arc) =>
    sum + arc.last - arc.first + 1n, 0n), diff.movedPositions);
  assert.equal(diff.nodes.find((n) => n.name === 'cache-b').newIndex, NONE);
  assert.equal(nodes.map().fingerprint, before.fingerprint);
});

test('arcs and points tell the same story as look-ups', () => {
  const map = fleet(abc).map({ algorithm: 'ring', points: 3 });
  const points = map.points();
  assert.equal(points.length, map.pointCount);
  assert.equal(points.length, 9);
  for (const p of points) {
    assert.equal(map.ownerAt(p.position), p.node);
    assert.equal(map.nodePointCount(p.node), 3);
  }
  let next = 0n;
  for (const arc of map.arcs()) {
    assert.equal(arc.first, next);
    assert.equal(map.ownerAt(arc.first), arc.owner);
    assert.equal(map.ownerAt(arc.last), arc.owner);
    next = arc.last + 1n;
  }
  assert.equal(next, map.top + 1n);
  assert.deepEqual(Array.from(map.pointTurns()), points.flatMap((p) =>
    [Number(p.position) / 2 ** 64, p.node]));
  assert.deepEqual(Array.from(map.arcTurns()), map.arcs().flatMap((arc) =>
    [Number(arc.first) / 2 ** 64, (Number(arc.last) + 1) / 2 ** 64,
      arc.owner, arc.owner]));
  const turns = map.turns(keys);
  keys.forEach((key, i) => assert.equal(
    Number(map.position(map.hash(key))) / 2 ** 64, turns[i]));
});

test('explicit positions: the ring 0 to 99', () => {
  const map = fleet([{ name: 'A', positions: [5, 42, 71] },
    { name: 'B', positions: [18, 55, 88n] }])
    .map({ algorithm: 'ring', size: 100 });
  assert.equal(map.top, 99n);
  assert.equal(map.node(map.ownerAt(6n)).name, 'B');
  assert.equal(map.node(map.ownerAt(18n)).name, 'B');
  assert.equal(map.node(map.ownerAt(89n)).name, 'A');
  assert.equal(map.ownerAt(100n), NONE);
  assert.equal(map.shares().nodes[0].positions, 57n);
});

test('replicas stand in distinct zones', () => {
  const map = fleet([{ name: 'a', zone: 'x' }, { name: 'b', zone: 'x' },
    { name: 'c', zone: 'y' }]).map();
  for (const key of keys.slice(0, 200)) {
    const [one, two, three, ...more] = map.replicas(key, 9);
    assert.notEqual(map.node(one).zone, map.node(two).zone);
    assert.deepEqual([one, two, three].sort(), [0, 1, 2]);
    assert.deepEqual(more, []);
  }
});

test('an empty fleet owns nothing', () => {
  const map = fleet().map();
  assert.equal(map.owner('x'), undefined);
  assert.equal(map.ownerIndex('x'), NONE);
  assert.deepEqual(map.order('x'), []);
  assert.deepEqual(map.replicas('x', 3), []);
  assert.deepEqual(map.points(), []);
  assert.deepEqual(map.shares().nodes, []);
  assert.equal(fleet([{ name: 'a', weight: 0 }]).map().owner('x'), undefined);
  assert.equal(map.diff(fleet(['a']).map()).flows[0].from, NONE);
});

test('keys are bytes: text is their UTF-8', () => {
  const map = fleet(abc).map();
  const utf8 = new TextEncoder();
  for (const key of ['', 'a', 'é', '漢字', '🦊', 'a\0b', '\ud800', 'x€',
    'k'.repeat(4096), 'é'.repeat(100000), 'a'.repeat(1 << 20)]) {
    assert.equal(map.ownerIndex(key), map.ownerIndex(utf8.encode(key)));
    assert.equal(map.hash(key), map.hash(utf8.encode(key)));
  }
  const mixed = ['é', utf8.encode('é'), '', new Uint8Array(0)];
  const [a, b, c, d] = map.owners(mixed);
  assert.equal(a, b);
  assert.equal(c, d);
  assert.equal(map.owners([]).length, 0);
});

test('what is neither text nor bytes is no key and no name', () => {
  const nodes = fleet(abc);
  const map = nodes.map();
  const before = map.fingerprint;
  for (const wrong of [5, 7n, null, undefined, true, {}, ['a', 'b'],
    new Uint16Array(2), new DataView(new ArrayBuffer(2))]) {
    for (const call of [() => map.owner(wrong), () => map.owners(['a', wrong]),
      () => map.order(wrong), () => nodes.has(wrong),
      () => nodes.add({ name: wrong }), () => nodes.setZone('cache-a', wrong)])
      refused(call, 'EINVAL', /expected text or a Uint8Array/);
  }
  assert.equal(nodes.map().fingerprint, before);
  assert.equal(map.owner(Buffer.from('user:1')), map.owner('user:1'));
});

test('names of any bytes come back', () => {
  const nodes = fleet([{ name: 'naïve 🦊\0x', zone: 'é', address: 'host:1',
    label: 'old', state: 'drain', weight: '0.000001' }]);
  assert.deepEqual(nodes.nodes(), [{ name: 'naïve 🦊\0x', label: 'old',
    address: 'host:1', zone: 'é', weight: 0.000001, state: 'drain',
    positions: 0 }]);
  assert.equal(nodes.has('naïve 🦊\0x'), true);
  assert.equal(nodes.has('naïve'), false);
});

test('a rename moves no key', () => {
  const before = fleet(abc).map();
  const after = fleet(abc).rename('cache-a', 'cache-z').map();
  for (const key of keys.slice(0, 500))
    assert.equal(after.owner(key),
      before.owner(key).replace('cache-a', 'cache-z'));
});

test('memory grows under open maps', () => {
  const small = fleet(abc).map();
  const before = Array.from(small.owners(keys));
  const names = Array.from({ length: 2000 }, (_, i) => `node-${i}`);
  const big = fleet(names).map({ algorithm: 'ring', points: 500 });
  assert.equal(big.points().length, 1000000);
  assert.deepEqual(Array.from(small.owners(keys)), before);
  assert.equal(big.owner('x'), names[names.indexOf(big.owner('x'))]);
  big.free();
});

test('objects can be freed, and say so afterwards', () => {
  const nodes = fleet(abc);
  const map = nodes.map();
  nodes.free();
  nodes.free();
  assert.ok(map.owner('x'));
  map.free();
  refused(() => map.owner('x'), 'EINVAL', /used after free/);
  refused(() => map.shares(), 'EINVAL', /used after free/);
  refused(() => nodes.add('d'), 'EINVAL', /used after free/);
});

test('20,000 maps made and freed do not fill the memory', () => {
  const nodes = fleet(abc);
  nodes.map().free();
  const before = clockwise.memory.u8().length;
  for (let i = 0; i < 20000; i++) {
    const map = nodes.map({ algorithm: 'ring', points: 10 });
    map.shares();
    map.free();
  }
  assert.ok(clockwise.memory.u8().length - before < 1 << 22);
});

test('what is wrong is said, and changes nothing', () => {
  const nodes = fleet(abc);
  refused(() => nodes.add('cache-a'), 'EEXIST', /"cache-a".*already/);
  refused(() => nodes.remove('nobody'), 'ENOENT', /"nobody"/);
  refused(() => nodes.add(''), 'EINVAL', /name/);
  refused(() => nodes.add('x'.repeat(65536)), 'EINVAL', /65535/);
  for (const weight of [-1, NaN, Infinity, 1e7, 0.0000001, '1e3', ' 1', ''])
    refused(() => nodes.add({ name: 'd', weight }), 'EINVAL', /weight/);
  refused(() => nodes.setState('cache-a', 'gone'), 'EINVAL', /expected up/);
  for (const position of [-1, 0.5, NaN, 2 ** 53, -1n, 1n << 64n])
    refused(() => nodes.setPositions('cache-a', [position]), 'EINVAL',
      /whole number/);
  refused(() => nodes.add({ name: 'd', state: 'gone' }), 'EINVAL', /gone/);
  assert.deepEqual(nodes.nodes().map((n) => n.name), abc);
  assert.equal(nodes.nodes()[0].positions, 0);
  refused(() => placement({ algorithm: 'rng' }), 'ENOENT', /"ring"/);
  refused(() => placement({ point: 3 }), 'ENOENT', /"points"/);
  refused(() => nodes.map({ points: 0 }), 'EINVAL', /1/);
  refused(() => nodes.map({ algorithm: 'ring', size: 1 }), 'EINVAL', /2/);
  refused(() => nodes.map().node(3), 'EINVAL', /expected 0 to 2/);
  refused(() => fleet([{ name: 'a', positions: [7] }])
    .map({ algorithm: 'ring', size: 5 }), 'EINVAL', /outside/);
  refused(() => fleet([{ name: 'a', weight: 2 }, 'b'])
    .map({ algorithm: 'modulo' }), 'EINVAL', /weight/);
  refused(() => fleet(abc).map({ algorithm: 'modulo' }).points(), 'ENOTSUP',
    /cannot/);
});
