// SPDX-License-Identifier: Apache-2.0
// Figure 6: fleet files, by the same readers and with the same numbers as
// the program, whose path is in CLOCKWISE.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after } from 'node:test';
import { close, open, shots, test, text, withBrowser } from './browser.mjs';

const program = process.env.CLOCKWISE ??
  fileURLToPath(new URL('../../build/bin/clockwise', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'clockwise-web-'));

let browser, at;
withBrowser(async (one) => {
  browser = one;
  at = await open(browser);
});
after(() => rmSync(place, { recursive: true }));

/** Put both files in; what they gave when they were read. */
const give = (page, was, is) => page.evaluate(async ([a, b]) => {
  const figure = window.clockwisePage.fleet;
  const start = performance.now();
  figure.load(a, b);
  await figure.shown;
  const list = (selector) => [...document.querySelectorAll(
    `#fleet ${selector}`)].map((e) => e.textContent.replace(/\s+/gu, ' ')
    .trim());
  return { took: performance.now() - start, errors: list('.errors'),
    warnings: list('.warnings li'),
    shares: [...document.querySelectorAll('#fleet .shares tbody tr')]
      .map((tr) => [...tr.children].map((td) => td.textContent
        .replace(/\s+/gu, ' '))) };
}, [was, is]);

const says = (page, pattern) => page.waitForFunction((source) =>
  new RegExp(source).test(document.querySelector('#fleet .result')
    .textContent.replace(/\s+/gu, ' ')), pattern);

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

// ---- files of other programs, as they are ---------------------------------

const NUTCRACKER = `alpha:
  listen: 127.0.0.1:22121
  hash: fnv1a_64
  distribution: ketama
  servers:
   - 10.1.0.1:11211:1 cache-01
   - 10.1.0.2:11211:1 cache-02
   - 10.1.0.3:11211:2 cache-03
beta:
  listen: 127.0.0.1:22122
  hash: md5
  distribution: ketama
  servers:
   - 10.1.0.4:11211:1
   - 10.1.0.5:11211:3
`;
const NGINX = `http {
    upstream sessions {
        hash $cookie_sid consistent;
        server 10.0.0.11:8080 weight=2;
        server 10.0.0.12:8080;
        server 10.0.0.13:8080;
    }
    upstream images {
        hash $request_uri consistent;
        server img-a.example:8080;
        server img-b.example:8080;
    }
}
`;
const NATIVE = {
  twemproxy: [NUTCRACKER, NUTCRACKER.replace('beta:',
    '   - 10.1.0.6:11211:1 cache-06\nbeta:').replace(':3\n', ':3\n' +
    '   - 10.1.0.7:11211:1\n'), 'alpha', 'beta', 'nutcracker.yml'],
  nginx: [NGINX, NGINX.replace('        server 10.0.0.12:8080;\n', '')
    .replace('img-b.example:8080;', 'img-b.example:8080;\n' +
    '        server img-c.example:8080;'), 'sessions', 'images',
  'nginx.conf'],
};

/** Files dropped on the figure at once, as from a folder. */
const drop = (page, target, files) => page.evaluate(async ([at, list]) => {
  const data = new DataTransfer();
  for (const [name, text] of list) data.items.add(new File([text], name));
  document.querySelector(at).dispatchEvent(new DragEvent('drop',
    { dataTransfer: data, bubbles: true, cancelable: true }));
}, [target, files]);

/** What the figure shows equals what the program says of that pool. */
async function equalToProgram(page, pool) {
  const { stdout } = run('diff', '-q', '--pool', pool, 'old', 'new');
  const field = (name) => Number(new RegExp(`^${name}\t(\\S+)`, 'm')
    .exec(stdout)[1]);
  assert.equal(await text(page, '#fleet [data-bind="moved"]'),
    percent(field('moved')));
  assert.equal(await text(page, '#fleet [data-bind="ideal"]'),
    percent(field('ideal')));
  const cells = await page.$$eval('#fleet .matrix .gives', (all) =>
    all.map((td) => [td.closest('tr').querySelector('th').textContent,
      td.closest('table').querySelectorAll('thead th')[td.cellIndex]
        .querySelector('bdi').title, td.textContent.replace(/\s+/gu, ' ')]
      .join(' ')));
  const flows = [...stdout.matchAll(/^flow\t(\S+)\t(\S+)\t(\S+)/gm)]
    .map(([, from, to, part]) => `${from} ${to} ${percent(Number(part))}`);
  assert.ok(flows.length > 0);
  assert.deepEqual(cells.sort(), flows.sort());
  for (const line of run('share', '-q', '--pool', pool, '-f', 'new').stdout
    .split('\n').filter((l) => l && !l.startsWith('#'))) {
    const [name, , , , share] = line.split('\t');
    const row = await page.$eval(`#fleet .shares tr:has(bdi[title="${name}"])`,
      (tr) => tr.querySelectorAll('td')[1].textContent.replace(/\s+/gu, ' '));
    assert.equal(row, percent(Number(share)), name);
  }
}

for (const [format, [was, is, first, second, file]] of Object.entries(NATIVE))
  test(`fleet: two files of ${format} dropped, pool by pool`, async () => {
    const { page } = at;
    writeFileSync(join(place, 'old'), was);
    writeFileSync(join(place, 'new'), is);
    await give(page, '', '');
    await drop(page, '#fleet figcaption', [[file, was], [`new-${file}`, is]]);
    await says(page, '^From 3 nodes to');
    assert.deepEqual(await page.$$eval('#fleet .known strong', (all) =>
      all.map((e) => e.textContent)), [format, format]);
    assert.deepEqual(await page.$$eval('#fleet .pools option', (all) =>
      all.map((o) => o.text)), [first, second, first, second]);
    await equalToProgram(page, first);
    await page.locator('#fleet').screenshot({ timeout: 40000,
      path: `${shots}/fleet-${format}.png` });
    for (const select of await page.$$('#fleet .pools select'))
      await select.selectOption({ label: second });
    await says(page, '^From 2 nodes to 3');
    await equalToProgram(page, second);
    // a file dropped on one pane replaces that one, and keeps to the pool
    await drop(page, '#fleet-after', [[file, was]]);
    await says(page, '^From 2 nodes to 2 nodes: exactly 0 %');
  });

test('fleet: the matrix sums up, by keys; CSV has all of it', async () => {
  const { page } = at;
  const [was, is] = NATIVE.twemproxy;
  await give(page, was, is);
  const rows = await page.$$eval('#fleet .matrix tbody tr', (all) =>
    all.map((tr) => [...tr.querySelectorAll('td')].map((td) =>
      parseFloat(td.textContent) || 0)));
  for (const row of rows)
    assert.ok(Math.abs(row.slice(0, -1).reduce((a, b) => a + b) -
      row.at(-1)) < 0.2, `${row}`);
  const after = await page.$$eval('#fleet .matrix tfoot .sum', (all) =>
    all.map((td) => parseFloat(td.textContent)));
  after.forEach((sum, i) => assert.ok(Math.abs(sum -
    rows.reduce((all, row) => all + row[i], 0)) < 0.2));
  await page.focus('#fleet .gives[tabindex="0"]');
  const ticks = () => page.evaluate(() =>
    window.clockwisePage.fleet.view.scene.moved.length / 4);
  const some = await ticks();
  await page.keyboard.press('ArrowRight');
  const others = await ticks();
  await page.evaluate(() => document.activeElement.blur());
  const whole = await ticks();
  assert.ok(some > 0 && others > 0 && some + others <= whole,
    `${some} and ${others} of ${whole} moved arcs`);
  const saved = async (name) => {
    const [download] = await Promise.all([page.waitForEvent('download'),
      page.click(`#fleet button:text-is("${name}")`)]);
    return readFileSync(await download.path(), 'utf8').trim().split('\n')
      .map((line) => line.split(','));
  };
  const [head, ...moves] = await saved('Movement as CSV');
  assert.deepEqual(head, ['from', 'to', 'part']);
  const total = moves.reduce((sum, [, , part]) => sum + Number(part), 0);
  assert.equal(percent(total * 100),
    await text(page, '#fleet [data-bind="moved"]'));
  const shares = await saved('Shares as CSV');
  assert.equal(shares.length, 5);
  assert.ok(Math.abs(shares.slice(1).reduce((sum, row) =>
    sum + Number(row[2]), 0) - 1) < 1e-12);
});

test('fleet: 3,000 nodes, 480,000 points, computed beside the page',
  async (t) => {
    const { page } = at;
    const list = Array.from({ length: 3000 }, (_, i) => `node-${i}`);
    const longest = [];
    for (let i = 0; i < 3; i++)
      longest.push(await page.evaluate(async ([a, b]) => {
        const seen = [];
        const watch = new PerformanceObserver((l) =>
          seen.push(...l.getEntries().map((e) => e.duration)));
        watch.observe({ type: 'longtask' });
        const { fleet } = window.clockwisePage;
        fleet.load(a, b);
        await fleet.shown;
        await new Promise((done) => setTimeout(done, 200));
        watch.disconnect();
        return Math.max(0, ...seen);
      }, [list.join('\n'), `${list.join('\n')}\nnew-${i}`]));
    assert.match(await text(page, '#fleet .result'),
      /^From 3 000 nodes to 3 001 nodes: exactly 0.03 %/);
    assert.match(await text(page, '#fleet .flows caption'), /largest of/);
    t.diagnostic(`longest tasks of three runs: ${longest.map(Math.round)} ms`);
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
  await says(page, 'From 2 nodes to 2 nodes: exactly 0 % of all keys move');
  await page.fill('#fleet-after', 'one\ntwo\nthree\n');
  await says(page, 'to 3 nodes');
  await page.click('#fleet button:text-is("Clear")');
  await says(page, '^Paste a fleet file');
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
  await says(again.page, 'From 2 nodes to 2');
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

test('nothing was asked of a network, said or breached on the way', () =>
  close(at));
