// SPDX-License-Identifier: Apache-2.0
// npm run bench: HashRing and KeyMap beside npm hashring, in one run.
// Median of 7 rounds each; ratios are what to read.
import { createRequire } from 'node:module';
import { fleet, HashRing } from '../dist/esm/index.js';

const Real = createRequire(import.meta.url)('hashring');
const servers = (n) => Array.from({ length: n },
  (_, i) => `10.0.${i >> 8}.${i & 255}:11211`);
const KEYS = 20000;
const cold = Array.from({ length: KEYS }, (_, i) => `session:${i}:${i * 7}`);
const warm = Array.from({ length: KEYS }, (_, i) => cold[i % 1000]);

/** Nanoseconds of one step, median of 7 rounds of `steps`. */
function time(steps, round) {
  const rounds = [];
  round();
  for (let i = 0; i < 7; i++) {
    const start = process.hrtime.bigint();
    round();
    rounds.push(Number(process.hrtime.bigint() - start) / steps);
  }
  return rounds.sort((a, b) => a - b)[3];
}

const show = (ns) => (ns < 1e4 ? `${ns.toFixed(0)} ns`
  : ns < 1e7 ? `${(ns / 1e3).toFixed(0)} us` : `${(ns / 1e6).toFixed(0)} ms`)
  .padStart(9);

function line(what, real, ours) {
  console.log(`${what.padEnd(34)} ${show(real)} ${show(ours)} ` +
    `${(real / ours).toFixed(1).padStart(6)}x`);
}

let sink = 0;
const all = (keys, get) => () => {
  for (const key of keys) sink += get(key).length;
};

console.log(`node ${process.version}`);
console.log(`${''.padEnd(34)}  hashring libclockwise  ratio`);
for (const n of [5, 50, 500]) {
  const list = servers(n);
  const real = new Real(list);
  const same = new HashRing(list);
  const own = fleet(list).map();
  line(`${n} servers: build`, time(1, () => new Real(list)),
    time(1, () => new HashRing(list)));
  line(`${n} servers: get, 20,000 keys`,
    time(KEYS, all(cold, (key) => real.get(key))),
    time(KEYS, all(cold, (key) => same.get(key))));
  line(`${n} servers: get, 1,000 hot keys`,
    time(KEYS, all(warm, (key) => real.get(key))),
    time(KEYS, all(warm, (key) => same.get(key))));
  line(`${n} servers: range of 3`,
    time(KEYS, all(cold, (key) => real.range(key, 3))),
    time(KEYS, all(cold, (key) => same.range(key, 3))));
  line(`${n} servers: fleet().map().owner`,
    time(KEYS, all(cold, (key) => real.get(key))),
    time(KEYS, all(cold, (key) => own.owner(key))));
  line(`${n} servers: owners of all at once`,
    time(KEYS, all(cold, (key) => real.get(key))),
    time(KEYS, () => { sink += own.owners(cold)[0]; }));
}
if (sink === 0) throw new Error('nothing was measured');
