// SPDX-License-Identifier: Apache-2.0
// HashRing against the real npm hashring 3.2.0.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { HashRing } from '../dist/esm/index.js';

const Real = createRequire(import.meta.url)('hashring');

const keys = Array.from({ length: 2000 }, (_, i) => `user:${i}`)
  .concat('', 'é', '漢字', '🦊 fox', 'a'.repeat(5000), '\u0000',
    '10.0.0.1:11211-0', '10.0.0.1:11211-39');
const hosts = (n) => Array.from({ length: n },
  (_, i) => `10.0.${i >> 8}.${i & 255}:11211`);
const five = ['10.0.0.1:11211', '10.0.0.2:11211', '10.0.0.3:11212',
  'cache-d.example:11211', '10.0.0.5:11211'];

function same(ours, real, what) {
  for (const key of keys)
    assert.equal(ours.get(key), real.get(key), `${what}: ${key}`);
  for (const key of keys.slice(0, 50)) {
    assert.deepEqual(ours.range(key, 3), real.range(key, 3), what);
    assert.deepEqual(ours.range(key), real.range(key), what);
    assert.deepEqual(ours.range(key, 7, false), real.range(key, 7, false));
  }
  assert.deepEqual({ ...ours.points() }, { ...real.points() }, what);
}

const cases = {
  'one server, as text': ['10.0.0.1:11211'],
  'five equal servers': [five],
  'names without a port': [['a', 'b', 'c d', 'é']],
  'weights': [{ '10.0.0.1:11211': 1, '10.0.0.2:11211': 2,
    '10.0.0.3:11212': 7 }],
  'weights and vnodes': [{ '10.0.0.1:11211': { weight: 3 },
    '10.0.0.2:11211': { weight: 1, vnodes: 50 },
    '10.0.0.3:11212': { vnodes: 100 } }],
  'a weight that is no number': [{ a: 'x', b: 2, c: 0 }],
  'weights that leave no point': [{ a: 1, b: 1e6, c: 1 }],
  'python hash_ring': [five, 'md5', { compatibility: 'hash_ring' }],
  'npm memcached': [five, 'md5',
    { compatibility: 'ketama', 'default port': 11211 }],
  'two replicas of 160': [five, 'md5', { replicas: 2, 'vnode count': 160 }],
  'no replicas': [five, 'md5', { replicas: 0 }],
};

for (const [what, given] of Object.entries(cases))
  test(`hashring: ${what}`, () =>
    same(new HashRing(...given), new Real(...given), what));

// floor(1/49 * 40 * 49) is 39 in doubles: the number of points of a server
// depends on the size of the list.
test('hashring: 1 to 60 equal servers', () => {
  let short = 0;
  for (let n = 1; n <= 60; n++) {
    const ours = new HashRing(hosts(n));
    const real = new Real(hosts(n));
    if (real.size !== n * 160) short++;
    for (const key of keys.slice(0, 200))
      assert.equal(ours.get(key), real.get(key), `${n} servers: ${key}`);
  }
  assert.ok(short > 0, 'the case that the test is for');
});

for (const name of ['sha1', 'sha256', 'sha512'])
  test(`hashring: ${name}`, () =>
    same(new HashRing(five, name), new Real(five, name), name));

test('hashring: servers come, go and change places', () => {
  const ours = new HashRing(five);
  const real = new Real(five);
  const both = (what, change) => {
    assert.equal(change(ours), ours, 'calls can be chained');
    change(real);
    same(ours, real, what);
    for (const server of [...five, 'new:1', 'weighted:1'])
      assert.equal(ours.has(server), real.has(server), `${what} ${server}`);
  };
  both('add', (ring) => ring.add('new:1'));
  both('add again', (ring) => ring.add('new:1'));
  both('remove', (ring) => ring.remove('10.0.0.2:11211'));
  both('remove what is not there', (ring) => ring.remove('nobody:1'));
  both('add a weight', (ring) => ring.add({ 'weighted:1': 5 }));
  both('swap', (ring) => ring.swap('10.0.0.1:11211', 'swapped:1'));
  both('remove after a swap', (ring) => ring.remove('new:1'));
  for (const server of [...five, 'swapped:1', 'weighted:1']) {
    ours.remove(server);
    real.remove(server);
  }
  assert.equal(real.get('a'), undefined);
  assert.equal(ours.get('a'), undefined);
  assert.deepEqual(ours.range('a', 2), []);
  assert.equal(ours.has('10.0.0.3:11212'), false);
});

test('hashring: two points at one place, in either order', () => {
  const pair = ['127.0.112.44:11211', '127.0.112.82:11211'];
  const all = new Map();
  for (const list of [pair, [...pair].reverse()]) {
    const ours = new HashRing(list);
    same(ours, new Real(list), list.join());
    for (const at of Object.values(ours.points()).flat())
      all.set(at, (all.get(at) ?? 0) + 1);
  }
  assert.ok([...all.values()].some((n) => n > 2), 'these servers collide');
});

test('hashring: what is refused', () => {
  for (const algorithm of ['sha3', 'MD5', () => new Uint8Array(20)])
    assert.throws(() => new HashRing(five, algorithm),
      /expected one of md5, sha1, sha256, sha512/);
  assert.throws(() => new HashRing(five, 'sha1', { replicas: 6 }),
    /replicas 6: the digest holds 5/);
  const ring = new HashRing(five);
  assert.throws(() => ring.add({ 'x:1': 1e7 }), /weight/);
  assert.equal(ring.get('a'), new Real(five).get('a'));
});

test('hashring: end and reset', () => {
  const ring = new HashRing(five);
  assert.equal(ring.reset().get('a'), undefined);
  assert.deepEqual(ring.range('a'), []);
  assert.equal(ring.has(five[0]), false);
  assert.equal(ring.end().add('x:1').get('a'), 'x:1');
});
