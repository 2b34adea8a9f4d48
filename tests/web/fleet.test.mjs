// SPDX-License-Identifier: Apache-2.0
// Figure 6: fleet files, by the same readers and with the same numbers as
// the program, whose path is in CLOCKWISE.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { close, launch, open, text } from './browser.mjs';

const program = process.env.CLOCKWISE ??
  fileURLToPath(new URL('../../build/bin/clockwise', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'clockwise-web-'));

let browser, at;
before(async () => {
  browser = await launch();
  at = await open(browser);
});
after(() => close(at).finally(() => browser.close())
  .finally(() => rmSync(place, { recursive: true })));

/** Put both files in and read them at once; what they gave. */
const give = (page, was, is) => page.evaluate(([a, b]) => {
  const figure = window.clockwisePage.fleet;
  const start = performance.now();
  figure.load(a, b);
  const list = (selector) => [...document.querySelectorAll(
    `#fleet ${selector}`)].map((e) => e.textContent.replace(/\s+/gu, ' ')
    .trim());
  return { took: performance.now() - start, errors: list('.errors'),
    warnings: list('.warnings li'),
    shares: [...document.querySelectorAll('#fleet .shares tbody tr')]
      .map((tr) => [...tr.children].map((td) => td.textContent
        .replace(/\s+/gu, ' '))) };
}, [was, is]);

function run(...args) {
  const { status, stdout, stderr } = spawnSync(program, args,
    { encoding: 'utf8', cwd: place });
  return { status, stdout, stderr };
}

const percent = (p) => (p > 0 && p < 0.005 ? '< 0.01 %'
  : p > 99.95 && p < 100 ? '> 99.9 %'
    : `${p < 9.995 ? p === 0 ? '0' : p.toFixed(2)
      : p === 100 ? '100' : p.toFixed(1)} %`);

const FLEETS = {
  'one node a line': ['a\nb\nc weight=2\n', 'a\nb\nc weight=2\nd\n'],
  'yaml': ['nodes:\n  - a\n  - {name: b, weight: 0.5}\n  - c\n',
    'nodes:\n  - a\n  - {name: b, weight: 1.5}\n'],
  'json': ['{"nodes": ["x", "y", "z"]}',
    '{"nodes": ["x", "y", {"name": "w", "zone": "1"}]}'],
  'ketama160': ['placement: {compat: ketama160}\nnodes: [a, b, c, d]\n',
    'placement: {compat: ketama160}\nnodes: [a, b, d]\n'],
  'names of all kinds': ['nodes: ["<b>bold</b>", "é 漢", \'a: b\']\n',
    'nodes: ["<b>bold</b>", "é 漢"]\n'],
  'anchors': ['x: &n [a, b]\nnodes: [a, b]\n', 'nodes: [a, b]\n'],
};

for (const [what, [was, is]] of Object.entries(FLEETS))
  test(`fleet: ${what}: the numbers of the program`, async () => {
    writeFileSync(join(place, 'old'), was);
    writeFileSync(join(place, 'new'), is);
    const seen = await give(at.page, was, is);
    const diff = run('diff', '-q', 'old', 'new');
    if (diff.status !== 0) {
      // refused: in the same words, with the same place
      const said = run('check', 'old').stderr.split('\n')[0];
      assert.match(said, /^old:\d+:\d+: /, diff.stderr);
      assert.equal(seen.errors[0].split(' x: ')[0].replace(/^fleet:/, 'old:')
        .slice(0, said.length), said);
      return;
    }
    const field = (name) => Number(new RegExp(`^${name}\t(\\S+)`, 'm')
      .exec(diff.stdout)[1]);
    assert.equal(await text(at.page, '#fleet [data-bind="moved"]'),
      percent(field('moved')));
    assert.equal(await text(at.page, '#fleet [data-bind="ideal"]'),
      percent(field('ideal')));
    const shares = run('share', '-f', 'new').stdout.split('\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => line.split('\t'));
    assert.ok(shares.length >= 2);
    for (const [name, , , , share] of shares) {
      const row = seen.shares.find(([n]) => n === name);
      assert.ok(row, `${name} in ${JSON.stringify(seen.shares)}`);
      assert.equal(row[2], percent(Number(share)), name);
    }
    assert.equal(run('fingerprint', '-f', 'new').stdout.trim()
      .split(/\s/)[0].length > 0, true);
  });

test('fleet: errors name the line, and the other file still shows',
  async () => {
    const bad = 'nodes:\n  - name: a\n    wieght: 2.0\n  - b\n';
    const seen = await give(at.page, bad, 'a\nb\n');
    writeFileSync(join(place, 'bad'), bad);
    const said = run('check', 'bad').stderr.split('\n')[0];
    assert.match(seen.errors[0], /^fleet:3:5: /);
    assert.equal(seen.errors[0].slice('fleet'.length,
      said.length - 'bad'.length + 'fleet'.length), said.slice('bad'.length));
    assert.equal(seen.errors[1], '');
    assert.equal(await at.page.getAttribute('#fleet-before', 'aria-invalid'),
      'true');
    assert.match(await text(at.page, '#fleet .result'), /^2 nodes, placement/);
  });

test('fleet: typing reads by itself; copy and clear', async () => {
  const { page } = at;
  await page.fill('#fleet-before', 'one\ntwo\n');
  await page.click('#fleet button:text-is("Copy before to after")');
  assert.equal(await page.inputValue('#fleet-after'), 'one\ntwo\n');
  assert.match(await text(page, '#fleet .result'),
    /From 2 nodes to 2 nodes: exactly 0 % of all keys move/);
  await page.fill('#fleet-after', 'one\ntwo\nthree\n');
  await page.waitForFunction(() => /to 3 nodes/.test(
    document.querySelector('#fleet .result').textContent));
  await page.click('#fleet button:text-is("Clear")');
  assert.match(await text(page, '#fleet .result'), /^Paste a fleet file/);
});

test('fleet: traps are named', async () => {
  const renamed = await give(at.page,
    'nodes: [{name: a, address: "10.0.0.1:1"}, b]\n',
    'nodes: [{name: z, address: "10.0.0.1:1"}, b]\n');
  assert.match(renamed.warnings.join(), /a and z have the same address/);
  const order = await give(at.page,
    'placement: {algorithm: modulo}\nnodes: [a, b, c]\n',
    'placement: {algorithm: modulo}\nnodes: [b, a, c]\n');
  assert.match(order.warnings.join(), /The order of the list changed/);
});

test('fleet: a link restores both files, and only that link', async () => {
  const { page } = at;
  await give(page, 'left\nboth\n', 'both\nright\n');
  await page.click('#fleet button:text-is("Copy link with my fleet")');
  await page.waitForFunction(() => location.hash.startsWith('#s='));
  const hash = await page.evaluate(() => location.hash);
  const again = await open(browser, { hash });
  assert.equal(await again.page.inputValue('#fleet-before'), 'left\nboth\n');
  assert.equal(await again.page.inputValue('#fleet-after'), 'both\nright\n');
  assert.match(await text(again.page, '#fleet .result'), /From 2 nodes to 2/);
  await close(again);
});

// ---- hostile text ---------------------------------------------------------

/** The same texts at every run. */
function* hostile() {
  let x = 12345;
  const random = (n) => {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0;
    return (x >>> 8) % n;
  };
  const good = Object.values(FLEETS).flat();
  const bits = ['\0', '\u202e', '<img src=x onerror=alert(1)>', '</script>',
    '&a [*a]', '{', '}', '[', ']', ': ', '- ', '"', '\'', '\t', '\r\n', '!!x',
    '🦊', '\ud800', 'weight: 1e999', '|\n', '>-\n', '? ', '---\n', '...\n',
    '%YAML 9\n', 'nodes:', '#', '\uffff', '\ufeff', '*a', '&a ', '<<: *a'];
  for (let i = 0; i < 400; i++) {
    let text = good[random(good.length)];
    for (let k = 0; k <= random(4); k++) {
      const at = random(text.length + 1);
      text = random(3) === 0 ? text.slice(0, at)
        : text.slice(0, at) + bits[random(bits.length)] +
          text.slice(at + random(3));
    }
    yield text;
  }
  yield 'x'.repeat(1000000);
  yield 'a\n'.repeat(20000);
  yield '['.repeat(100000);
  yield 'a: '.repeat(5000);
  yield Array.from({ length: 10000 }, (_, i) => `node-${i}`).join('\n');
  yield 'a: &a [x,x,x,x,x,x,x,x,x]\n' + [...'bcdefghi'].map((c, i) =>
    `${c}: &${c} [${Array(9).fill('*' + 'abcdefgh'[i]).join()}]`).join('\n');
}

test('fleet: no text breaks the page', async (t) => {
  const { page } = at;
  let refused = 0, taken = 0, slowest = 0;
  for (const file of hostile()) {
    const { took, errors, shares } = await give(page, file, file);
    if (file.length < 2000) slowest = Math.max(slowest, took);
    if (errors[0]) refused++;
    else if (shares.length) taken++;
  }
  t.diagnostic(`${refused} refused, ${taken} taken, slowest short one ` +
    `${slowest.toFixed(0)} ms`);
  assert.ok(slowest < 2000, `${slowest} ms for a short text`);
  assert.ok(refused > 50 && taken > 50, `${refused} refused, ${taken} taken`);
  assert.equal(await page.locator('#fleet img, #fleet script, #fleet b')
    .count(), 0, 'text never becomes markup');
  const still = await give(page, 'a\nb\n', 'a\nb\nc\n');
  assert.equal(still.shares.length, 3, 'and it still works');
});

test('ring: hostile names', async () => {
  const { page } = at;
  for (const name of ['<img src=x onerror=alert(1)>', '\u202egnp.exe', '🦊',
    'x'.repeat(180), ' ', 'a\tb', '漢字'.repeat(40), '"\'`${1}']) {
    await page.evaluate(async (text) => {
      const { ring } = window.clockwisePage;
      ring.controls.added.value = text;
      await ring.add();
    }, name);
  }
  assert.equal(await page.locator('#ring img').count(), 0);
  assert.equal(await page.locator('#ring .chip').count(), 12);
  assert.ok(await page.evaluate(() =>
    document.documentElement.scrollWidth <= innerWidth));
});
