// SPDX-License-Identifier: Apache-2.0
// The package as it would be published: packed, installed elsewhere, and used
// as an ES module, as CommonJS and from TypeScript.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const tsc = join(here, 'node_modules/typescript/bin/tsc');
const place = mkdtempSync(join(tmpdir(), 'clockwise-js-'));
const run = (file, ...args) => execFileSync(process.execPath,
  [join(place, file), ...args], { cwd: place, encoding: 'utf8' });
let files;

before(() => {
  const npm = (...args) => execFileSync('npm', args,
    { encoding: 'utf8', cwd: place });
  const [{ filename, files: list }] = JSON.parse(npm('pack', '--json',
    '--ignore-scripts', '--pack-destination', place, here));
  files = list.map((file) => file.path);
  writeFileSync(join(place, 'package.json'), '{ "private": true }');
  npm('install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts',
    join(place, filename));
});
after(() => rmSync(place, { recursive: true }));

test('package: holds what is needed and no more', () => {
  for (const file of ['LICENSE', 'README.md', 'package.json',
    'dist/clockwise.wasm', 'dist/esm/index.js', 'dist/esm/index.d.ts',
    'dist/cjs/index.js', 'dist/cjs/index.d.ts', 'dist/cjs/package.json'])
    assert.ok(files.includes(file), file);
  for (const file of files)
    assert.match(file, /^(dist\/|LICENSE$|README\.md$|package\.json$)/);
});

test('package: small, and of one core', () => {
  const size = files.length && readFileSync(join(place,
    'node_modules/libclockwise/dist/clockwise.wasm')).length;
  assert.ok(size > 50000 && size < 200000, `${size} bytes of WebAssembly`);
});

test('lock files name packages, not where they were fetched', () => {
  for (const folder of ['..', '../../../web'])
    assert.doesNotMatch(readFileSync(fileURLToPath(new URL(
      `${folder}/package-lock.json`, import.meta.url)), 'utf8'),
    /"resolved"|https?:\/\/(?!opencollective|github|tidelift|www)/);
});

/** The README's examples: ```js blocks, and what they are said to print. */
function examples() {
  const text = readFileSync(join(here, 'README.md'), 'utf8');
  return [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => ({
    code, said: [...code.matchAll(/\/\/ -> (.*)$/gm)].map(([, out]) => out),
  }));
}

test('package: the examples of the README print what they say', () => {
  const all = examples();
  assert.ok(all.length >= 2);
  all.forEach(({ code, said }, i) => {
    assert.ok(said.length > 0, 'an example shows its output');
    writeFileSync(join(place, `example-${i}.mjs`), code);
    assert.deepEqual(run(`example-${i}.mjs`).trim().split('\n'), said);
  });
});

test('package: the same as CommonJS', () => {
  const [{ code, said }] = examples();
  writeFileSync(join(place, 'example.cjs'), code.replace(
    /import (\{[^}]*\}) from '([^']*)';/g, "const $1 = require('$2');"));
  assert.deepEqual(run('example.cjs').trim().split('\n'), said);
});

test('package: the module alone, for pages that load it themselves', () => {
  writeFileSync(join(place, 'own.mjs'), `
    import { readFileSync } from 'node:fs';
    import { createRequire } from 'node:module';
    import { load } from 'libclockwise/core';
    const file = createRequire(import.meta.url)
      .resolve('libclockwise/clockwise.wasm');
    const clockwise = await load(readFileSync(file));
    console.log(clockwise.fleet(['a']).map().owner('x'));`);
  assert.equal(run('own.mjs'), 'a\n');
});

for (const extension of ['mts', 'cts'])
  test(`package: types, as .${extension}`, () => {
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({
      compilerOptions: { noEmit: true, strict: true, module: 'Node16',
        target: 'ES2022', types: [] },
      files: [`use.${extension}`],
    }));
    writeFileSync(join(place, `use.${extension}`), `
      import { fleet, HashRing, KeyMap, Diff } from 'libclockwise';
      const map: KeyMap = fleet([{ name: 'a', weight: 2 }, 'b']).map();
      const owner: string | undefined = map.owner('x');
      const diff: Diff = map.diff(map);
      const ring = new HashRing({ a: { weight: 1, vnodes: 2 } });
      const list: string[] = ring.add('b').range('x', 2);
      // @ts-expect-error a weight is a number or its digits
      fleet([{ name: 'a', weight: true }]);
      // @ts-expect-error no such state
      fleet([{ name: 'a', state: 'gone' }]);
      export { owner, diff, list };`);
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', place],
      { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  });
