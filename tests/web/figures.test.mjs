// SPDX-License-Identifier: Apache-2.0
// Figures 2 to 5 in Chromium, and what the page is made of.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { close, demo, file, open, test, text, withBrowser }
  from './browser.mjs';

let browser, at;
withBrowser(async (one) => {
  browser = one;
  at = await open(browser);
});

const press = (page, figure, name) =>
  page.click(`#${figure} button:text-is("${name}")`);

test('remap: ten of twelve against three of twelve, and clear again',
  async () => {
    const { page } = at;
    const moved = () => Promise.all(['modulo', 'ring'].map((lane) =>
      page.locator(`#remap [data-lane="${lane}"] .moved`).count()));
    assert.deepEqual(await moved(), [0, 0]);
    await press(page, 'remap', '4 nodes');
    assert.deepEqual(await moved(), [10, 3]);
    assert.equal(await text(page, '#remap .result'), 'A fourth node: hash % ' +
      'N moves 10 of 12 keys, the ring 3 of 12.');
    assert.deepEqual(await page.$$eval('#remap output', (all) =>
      all.map((o) => o.textContent)), ['10 of 12 moved', '3 of 12 moved']);
    const owners = await page.$$eval('#remap [data-lane="modulo"] li',
      (all) => all.map((li) => li.firstChild.textContent).join(''));
    assert.equal(owners,
      demo.keys.map((k) => 'ABCD'[k.position % 4]).join(''));
    await press(page, 'remap', '3 nodes');
    assert.deepEqual(await moved(), [0, 0]);
  });

test('remap: the table says what theory says, within its band', async () => {
  const { page } = at;
  const rows = await page.$$eval('#remap tbody tr', (all) => all.map((tr) =>
    [tr.dataset.row, ...[...tr.children].map((td) =>
      td.textContent.replace(/\s+/gu, ' '))]));
  assert.deepEqual(rows.map((r) => `${r[0]}: ${r[3]}`), [
    'modulo 3: 75.0 %', 'ring 3: 25.0 %', 'modulo 4: 80.0 %',
    'ring 4: 20.0 %', 'modulo 9: 90.0 %', 'ring 9: 10.0 %']);
  for (const row of rows) {
    const [expected, exact, sample] = row.slice(3, 6).map(parseFloat);
    const centre = Number.isNaN(exact) ? expected : exact;
    const p = centre / 100;
    const band = 200 * Math.sqrt(p * (1 - p) / 10000);
    assert.ok(Math.abs(sample - centre) < 2 * band, row.join(' '));
    assert.ok(Math.abs(parseFloat(row[6].slice(2)) - band) < 0.01);
  }
});

test('worked ring: 0 to 99', async () => {
  const { page } = at;
  const owns = () => page.$$eval('#worked tbody .number', (all) =>
    all.map((td) => td.textContent.replace(/\s+/gu, ' ')));
  const ask = async (place) => {
    await page.fill('#worked input', String(place));
    return text(page, '#worked .walk-text');
  };
  assert.deepEqual(await owns(), ['30 places', '43 places', '27 places',
    'out']);
  assert.equal(await ask(96),
    'A key at 96 walks 9 places, past 99 to 0 and on, to 5: A has it.');
  assert.equal(await ask(18),
    'A key at 18 stands on a point of B: it is B\'s.');
  assert.equal(await ask(19), 'A key at 19 walks 11 places to 30: C has it.');
  for (const bad of ['-1', '100', '1.5', ''])
    assert.match(await ask(bad), /whole number from 0 to 99/);
  await press(page, 'worked', 'D joins');
  const points = { A: [5, 42, 71], B: [18, 55, 88], C: [30, 63, 95],
    D: [20, 50, 80] };
  const all = Object.entries(points).flatMap(([n, l]) => l.map((p) => [p, n]))
    .sort((a, b) => a[0] - b[0]);
  const count = { A: 0, B: 0, C: 0, D: 0 };
  for (let p = 0; p < 100; p++)
    count[(all.find(([q]) => q >= p) ?? all[0])[1]]++;
  assert.deepEqual(await owns(),
    Object.values(count).map((n) => `${n} places`));
  assert.match(await text(page, '#worked .result'),
    new RegExp(`^D joins: ${count.D} of 100 places change hands: `));
  await press(page, 'worked', 'D leaves');
  assert.deepEqual(await owns(), ['30 places', '43 places', '27 places',
    'out']);
});

test('virtual nodes: 2.22 and 0.04 at one point, even at 128', async () => {
  const { page } = at;
  const ratios = () => page.$$eval('#vnodes tbody td:nth-child(3)', (all) =>
    all.map((td) => parseFloat(td.textContent)));
  const exactly = async (n) => {
    await page.fill('#vnodes input[type="number"]', String(n));
    await page.press('#vnodes input[type="number"]', 'Enter');
    return ratios();
  };
  let now = await exactly(1);
  assert.equal(Math.max(...now), 2.22);
  assert.equal(Math.min(...now), 0.04);
  assert.match(await text(page, '#vnodes .walk-text'),
    /^cache-a, cache-b, cache-c, cache-d; textbook-fnv1a-js\.$/);
  now = await exactly(128);
  assert.equal(Math.max(...now), 1.04);
  assert.equal(Math.min(...now), 0.96);
  await page.focus('#vnodes input[type="range"]');
  await page.keyboard.press('End');
  assert.match(await text(page, '#vnodes .result'), /^1 000 points a node/);
  await page.keyboard.press('Home');
  assert.match(await text(page, '#vnodes .result'), new RegExp('^1 point a ' +
    'node: the busiest has 2.22 × its fair share of the keys, the idlest ' +
    '0.04 ×\\. Theory: ± 77.5 %'));
  await exactly(0);
  assert.match(await text(page, '#vnodes .result'), /whole number from 1/);
  const one = await exactly(7);
  await press(page, 'vnodes', 'Other names');
  assert.notDeepEqual(await ratios(), one);
  await press(page, 'vnodes', 'Other hash');
  assert.match(await text(page, '#vnodes .walk-text'), /; ring\.$/);
});

test('virtual nodes: the prose has the core\'s numbers', async () => {
  const { page } = at;
  const within = parseFloat(await text(page, '[data-bind="within"]'));
  const median = parseFloat(await text(page, '[data-bind="median"]'));
  assert.ok(within > 5 && within < 16, `${within} % within 5 %`);
  assert.ok(median >= 1.08 && median <= 1.1, `median ${median}`);
});

test('compare: every algorithm under four changes', async () => {
  const { page } = at;
  const rows = () => page.$$eval('#compare tbody tr', (all) =>
    Object.fromEntries(all.map((tr) => [tr.dataset.row,
      [...tr.querySelectorAll('td')].map((td) =>
        td.textContent.replace(/\s+/gu, ' '))])));
  await press(page, 'compare', 'Add a ninth node');
  const added = await rows();
  const known = await page.evaluate(() =>
    window.clockwisePage.clockwise.rows('algorithms').map((r) => r.name));
  for (const name of ['ring', 'slots', 'rendezvous', 'jump', 'maglev',
    'modulo'])
    assert.equal(name in added, known.includes(name), name);
  assert.equal(added.modulo[0], '88.9 %');
  assert.equal(added.ring[1], '11.1 %');
  assert.equal(added.ring[2], '0 %');
  assert.equal(added.ring[5], 'exact');
  await press(page, 'compare', 'Remove a middle one');
  const middle = await rows();
  assert.ok(parseFloat(middle.jump[2]) > 10, 'jump moves two shares');
  assert.equal(middle.ring[2], '0 %');
  assert.equal(middle.rendezvous[2], '0 %');
  await press(page, 'compare', 'Double one weight');
  const doubled = await rows();
  assert.match(doubled.jump[0], /^refused: .*weight/);
  assert.equal(doubled.ring[2], '0 %');
  await press(page, 'compare', 'Remove the last');
  assert.equal((await rows()).jump[2], '0 %');
});

// ---- what it is made of ---------------------------------------------------

test('one file within its budget, nothing outside', () => {
  const html = readFileSync(file, 'utf8');
  const size = gzipSync(html, { level: 9 }).length;
  assert.ok(size < 150 * 1024, `${size} bytes gzip`);
  const shell = html.replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '');
  assert.ok(shell.length < 20000, `${shell.length} letters of plain HTML`);
  assert.doesNotMatch(shell, /\b(src|href)="(?!#|data:)/);
  const [, policy] = /http-equiv="C[^"]*" content="([^"]*)"/.exec(html);
  assert.match(policy, new RegExp("^default-src 'none'; script-src " +
    "'sha256-[^ ]+' 'sha256-[^ ]+' 'wasm-unsafe-eval'; style-src 'sha256-"));
  assert.doesNotMatch(policy, /__CSP__|connect-src|unsafe-inline|'self'|http/);
});

test('the policy stops what it should', async () => {
  const hostile = await open(browser, { ready: 'ring' });
  const tried = await hostile.page.evaluate(() => new Promise((done) => {
    // out of evaluate(), which may do what the page may not
    setTimeout(async () => {
      const result = {};
      const script = document.createElement('script');
      script.textContent = 'window.injected = true';
      document.body.append(script);
      result.injected = window.injected === true;
      result.fetch = await fetch('file:///etc/hostname')
        .then(() => true, () => false);
      try {
        result.eval = new Function('return true')();
      } catch {
        result.eval = false;
      }
      setTimeout(() => done({ ...result,
        breaches: window.breaches.length >= 2 }), 100);
    }, 0);
  }));
  assert.deepEqual(tried,
    { injected: false, fetch: false, eval: false, breaches: true });
  await hostile.context.close();
});

test('nothing was asked of a network, said or breached on the way', () =>
  close(at));
