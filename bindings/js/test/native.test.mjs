// SPDX-License-Identifier: Apache-2.0
// Every row over fleets of 1, 3 and 24 nodes against the native library:
// CW_NATIVE names the program built from tests/build/wasm_owners.c.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fleet, rows, version } from '../dist/esm/index.js';

const native = process.env.CW_NATIVE;

test('equal to the native library', {
  skip: native ? false : 'CW_NATIVE names no program to compare with',
}, () => {
  const lines = execFileSync(native, { encoding: 'utf8', maxBuffer: 1 << 28 })
    .trim().split('\n');
  const seen = new Set();
  let map, row, keys = 0;
  for (const line of lines) {
    const [word, ...rest] = line.split(' ');
    if (word === 'version') {
      assert.equal(version, rest[0]);
    } else if (word === 'map') {
      row = rest[0];
      const [option, name] = row.split('=');
      seen.add(name);
      map = fleet(rest.slice(1).map((node) => {
        const [host, weight] = node.split('=');
        return { name: host, weight: Number(weight) / 1e6 };
      })).map({ [option]: name });
    } else if (word === 'fingerprint') {
      assert.equal(map.fingerprint, rest[0], row);
    } else {
      assert.equal(map.ownerIndex(word), Number(rest[0]), `${row}: ${word}`);
      keys++;
    }
  }
  assert.ok(keys >= 500 * 3 * rows('algorithms').length, `${keys} keys`);
  for (const each of rows('algorithms')) assert.ok(seen.has(each.name));
});
