// SPDX-License-Identifier: Apache-2.0
// Figure 1 in Chromium: every interaction with its numbers.
import assert from 'node:assert/strict';
import { chips, choose, close, demo, open, openAll, plain, reset, test,
  text, toggle, withBrowser } from './browser.mjs';

let browser, at;
withBrowser(async (one) => {
  browser = one;
  at = await open(browser);
});

const KEY = '#ring .controls input[type="text"]';
const press = (page, name) =>
  page.click(`#ring button:text-is("${name}")`);

// ---- the demo ring, worked out here and not by the core -------------------

const SIZE = demo.size;
const ownerOf = (position, nodes) => {
  const sorted = [...nodes].sort((a, b) => a.position - b.position);
  return (sorted.find((n) => n.position >= position) ?? sorted[0]).name;
};
const shareOf = (name, nodes) => Array.from({ length: SIZE }, (_, p) => p)
  .filter((p) => ownerOf(p, nodes) === name).length / SIZE;
const percent = (part) => `${(part * 100).toFixed(part < 0.09995 ? 2 : 1)} %`;
const keysOf = (name, nodes) =>
  demo.keys.filter((k) => ownerOf(k.position, nodes) === name).length;
const expected = (nodes) => demo.nodes.map((n) => {
  const here = nodes.includes(n);
  return [n.name, here ? percent(shareOf(n.name, nodes)) : 'removed',
    here ? keysOf(n.name, nodes) : 0];
});
const whole = expected(demo.nodes).map((row) => row.join('|'));
const settled = (rows) => rows.map((row) => row.replace(/[+−]\d+ /, ''));

test('the demo is the one everybody tells', () => {
  assert.deepEqual(demo.nodes.map((n) => `${n.name} ${n.position}`),
    ['A 204', 'B 312', 'C 39', 'D 140']);
  const doc = demo.keys.find((k) => k.name === 'doc:a1');
  assert.equal(doc.position, 326);
  assert.equal(ownerOf(326, demo.nodes), 'C');
  assert.equal(demo.keys.length, 12);
  assert.equal(keysOf('D', demo.nodes), 3);
});

test('ring: opens with the demo, shares and counts right', async () => {
  const { page } = at;
  await reset(page);
  assert.deepEqual(await chips(page), whole);
  assert.match(await text(page, '#ring .centre'),
    /4 nodes 4 points 12 keys largest 30.0 % fair 25.0 %/);
  assert.match(await text(page, '#ring .result'), /set by hand/);
});

test('ring: D leaves, three keys walk on to A, nine stay', async () => {
  const { page } = at;
  await reset(page);
  await toggle(page, 'D');
  const rows = expected(demo.nodes.filter((n) => n.name !== 'D'));
  assert.deepEqual(await chips(page), [
    `A|${rows[0][1]}|+3 6`, `B|${rows[1][1]}|3`, `C|${rows[2][1]}|3`,
    'D|removed|−3 0']);
  assert.equal(await text(page, '#ring .result'), 'D removed: exactly ' +
    `${percent(101 / 360)} of the ring changed hands, none of it without ` +
    'need; of 12 keys 3 moved, to 1 node, 9 stayed.');
  await toggle(page, 'D');
  assert.match(await text(page, '#ring .result'), /^D is back: /);
  assert.deepEqual(settled(await chips(page)), whole);
});

test('ring: every node, by keyboard; focus stays on its row', async () => {
  const { page } = at;
  await reset(page);
  await page.focus('#ring .chip[tabindex="0"]');
  for (const key of ['ArrowDown', 'ArrowDown', 'End', 'Home', 'ArrowDown'])
    await page.keyboard.press(key);
  await page.keyboard.press('Enter');
  const focused = () => page.evaluate(() =>
    document.activeElement.textContent.slice(1));
  assert.equal(await focused(), 'B: restore');
  assert.match(await text(page, '#ring .result'), /^B removed: /);
  await page.keyboard.press('Delete');
  assert.equal(await focused(), 'B: remove');
  assert.equal(await page.locator('#ring .chip[tabindex="0"]').count(), 1,
    'one tab stop');
});

test('ring: click a node on the picture', async () => {
  const { page } = at;
  await reset(page);
  const click = async (place) => {
    const { x, y } = await page.evaluate((p) => {
      const view = window.clockwisePage.ring.view;
      view.canvas.scrollIntoView({ block: 'center' });
      const box = view.canvas.getBoundingClientRect();
      const spot = view.spot(p);
      return { x: spot.x + box.left, y: spot.y + box.top };
    }, place);
    await page.mouse.click(x, y);
  };
  await click(140 / 360);
  assert.match(await text(page, '#ring .result'), /^D removed: .* 3 moved/);
  await click(140 / 360);
  assert.match(await text(page, '#ring .result'), /^D is back/);
  await click(90 / 360);      // an arc: pins, removes nothing
  assert.match(await text(page, '#ring .result'), /^D is back/);
});

test('ring: the picture shows the owner\'s colour', async () => {
  const { page } = at;
  await reset(page);
  const pixel = (place) => page.evaluate((p) => {
    const view = window.clockwisePage.ring.view;
    const { x, y } = view.spot(p);
    const copy = new OffscreenCanvas(1, 1)
      .getContext('2d', { willReadFrequently: true });
    copy.drawImage(view.canvas, -Math.round(x), -Math.round(y));
    const [r, g, b] = copy.getImageData(0, 0, 1, 1).data;
    return '#' + [r, g, b].map((v) => v.toString(16).padStart(2, '0'))
      .join('');
  }, place);
  const hue = (i) => page.evaluate((n) => getComputedStyle(
    document.documentElement).getPropertyValue(`--hue-${n}`), i);
  assert.equal(await pixel(90 / 360), await hue(3), 'D');
  assert.equal(await pixel(170 / 360), await hue(0), 'A');
  assert.equal(await pixel(0.001), await hue(2), 'C, over the top');
  await toggle(page, 'D');
  assert.equal(await pixel(90 / 360), await hue(0), 'A has taken over');
});

test('ring: down to none, and back', async () => {
  const { page } = at;
  await reset(page);
  for (const node of 'DCBA') await toggle(page, node);
  assert.equal(await text(page, '#ring .centre'),
    'The ring is empty: no node owns any key.');
  await press(page, 'Walk');
  assert.match(await text(page, '#ring .walk-text'), /The ring is empty/);
  await toggle(page, 'B');
  assert.match((await chips(page))[1], /^B\|100 %\|\+12 12$/);
});

test('ring: a key walks over the top', async () => {
  const { page } = at;
  await reset(page);
  await page.fill(KEY, 'doc:a1');
  await press(page, 'Walk');
  assert.equal(await text(page, '#ring .walk-text'), 'Walk to the owner: ' +
    'doc:a1 is pinned by hand at 326°; it walks on, over the top, where ' +
    'the number line begins again, to C at 39°.');
  await page.fill(KEY, 'my own key');
  assert.equal(await text(page, '#ring .walk-text'), '');
  const said = [];
  for (let i = 0; i < 3; i++) {
    await page.click('#ring button:text-matches("^Step")');
    said.push(await text(page, '#ring .walk-text'));
  }
  assert.match(said[0], /^Hash the key: my own key has the hash [0-9a-f]+\.$/);
  assert.match(said[1], /^Find its place: .*, which is \d+°\.$/);
  assert.match(said[2], /^Walk to the owner: .* to [ABCD] at \d+°\.$/);
  const place = Number(/which is (\d+)°/.exec(said[2])[1]);
  assert.match(said[2], new RegExp(` to ${ownerOf(place, demo.nodes)} at `));
});

test('ring: copies go to distinct nodes', async () => {
  const { page } = at;
  await reset(page);
  await openAll(page);
  await page.fill(KEY, 'doc:a1');
  await choose(page, '#ring', 'Copies of a key', '3');
  assert.match(await text(page, '#ring .walk-text'),
    /to C at 39°; copies on D, A\.$/);
  await choose(page, '#ring', 'Copies of a key', '5');
  assert.match(await text(page, '#ring .walk-text'),
    /only 4 of 5 copies can be placed\.$/);
});

test('ring: add a node; the same name is refused', async () => {
  const { page } = at;
  await reset(page);
  await openAll(page);
  await press(page, 'Add');
  assert.match(await text(page, '#ring .result'),
    /^E added: exactly .* none of it without need/);
  assert.equal((await chips(page)).length, 5);
  await page.getByLabel('New node').fill('A');
  await press(page, 'Add');
  assert.equal(await text(page, '#ring .result'),
    'A node named A is there already.');
  assert.equal((await chips(page)).length, 5);
});

test('ring: weight, points, every placement with arcs', async () => {
  const { page } = at;
  await reset(page);
  await openAll(page);
  const weight = page.locator('#ring input[aria-label="Weight"]');
  await weight.fill('3');
  await weight.press('Enter');
  assert.match(await text(page, '#ring .result'), /set by hand, so its/);
  assert.equal(await weight.inputValue(), '1');
  await choose(page, '#ring', 'Placement', 'ring');
  await choose(page, '#ring', 'Points per node', '128');
  assert.match(await text(page, '#ring .centre'), /4 nodes 512 points 24 keys/);
  await weight.fill('3');
  await weight.press('Enter');
  assert.match(await text(page, '#ring .result'),
    /^A now has weight 3: exactly \S+ % of the ring changed hands, none of/);
  assert.match(await text(page, '#ring .centre'), /768 points/);
  await reset(page);
  const ids = await page.$$eval('#ring select', (all) =>
    [...all.find((s) => s.options[0]?.text.startsWith('demo:')).options]
      .map((o) => o.value));
  assert.ok(ids.length >= 6, ids.join());
  // a ring of many points changes after the next frame
  const said = (sentence) => page.locator('#ring .result',
    { hasText: sentence }).waitFor();
  for (const id of ids) {
    await choose(page, '#ring', 'Placement', id);
    await said(/^4 nodes, /);
    await toggle(page, 'B');
    await said(/^B removed: /);
    assert.match(await text(page, '#ring .result'), /^B removed: /, id);
    await toggle(page, 'B');
    await said(/^B is back: /);
  }
});

test('ring: shares equal a ring worked out in BigInt', async () => {
  const { page } = at;
  await reset(page);
  await openAll(page);
  await choose(page, '#ring', 'Placement', 'ring');
  await choose(page, '#ring', 'Points per node', '64');
  const [points, shown] = await page.evaluate(() => {
    const { plan, state } = window.clockwisePage.ring;
    return [plan.map.points().map((p) => [String(p.position),
      state.nodes[plan.number[p.node]].name]), plan.shares];
  });
  const owned = { A: 0n, B: 0n, C: 0n, D: 0n };
  let last = BigInt(points.at(-1)[0]) - (1n << 64n);
  for (const [position, name] of points) {
    owned[name] += BigInt(position) - last;
    last = BigInt(position);
  }
  assert.equal(points.length, 256);
  assert.equal(Object.values(owned).reduce((a, b) => a + b), 1n << 64n);
  Object.values(owned).forEach((n, i) =>
    assert.ok(Math.abs(Number(n) / 2 ** 64 - shown[i]) < 1e-15));
});

test('ring: a look closer goes from point to point', async () => {
  const { page } = at;
  await reset(page);
  await openAll(page);
  const probe = page.getByLabel('Place on the ring');
  const said = [];
  for (let i = 0; i < 5; i++) {
    await probe.press('ArrowRight');
    said.push(plain(await probe.getAttribute('aria-valuetext')));
  }
  assert.deepEqual(said.map((s) => /owned by (.)/.exec(s)[1]),
    ['C', 'D', 'A', 'B', 'C']);
  assert.match(said[1], /^38.9 %, owned by D, arc 28.1 %$/);
  assert.equal(await page.locator('#ring .street li').count(), 4);
});

test('ring: 300 nodes: one is found, and leaves', async () => {
  const { page } = at;
  await reset(page);
  await openAll(page);
  await choose(page, '#ring', 'Nodes', '300');
  await page.waitForFunction(() => /^300 nodes/.test(
    document.querySelector('#ring .centre').textContent));
  assert.match(await text(page, '#ring .centre'),
    /300 nodes 38 400 points 10 000 keys/);
  await page.getByLabel('Find a node').fill('cache-217');
  assert.equal(await page.locator('#ring tbody tr:not([hidden])').count(), 1);
  await page.click('#ring tbody tr:not([hidden]) .chip');
  await page.waitForFunction(() => /^cache-217/.test(
    document.querySelector('#ring .result').textContent));
  assert.match(await text(page, '#ring .result'), new RegExp('^cache-217 ' +
    'removed: exactly 0\\.\\d\\d % of the ring changed hands, none of it'));
  await page.getByLabel('Find a node').fill('');
  await reset(page);
});

test('ring: a link brings back what was seen', async () => {
  const { page } = at;
  await reset(page);
  await toggle(page, 'B');
  const before = settled(await chips(page));
  await press(page, 'Copy link');
  await page.waitForFunction(() => location.hash.startsWith('#s='));
  const hash = await page.evaluate(() => location.hash);
  const again = await open(browser, { hash, ready: 'ring' });
  await again.page.waitForFunction(() =>
    document.querySelectorAll('#ring .out').length === 1);
  assert.deepEqual(await chips(again.page), before);
  await close(again);
});

test('a link that cannot be read is said, and does no harm', async () => {
  for (const hash of ['#s=%%%', '#s=AAAA', '#s=' + 'x'.repeat(5000)]) {
    const bad = await open(browser, { hash, ready: 'ring' });
    await bad.page.waitForFunction(() =>
      document.getElementById('note').textContent !== '');
    assert.equal((await chips(bad.page)).length, 4);
    await close(bad);
  }
});

// ---- motion ---------------------------------------------------------------

test('ring: play, by a clock of our own', async () => {
  const moving = await open(browser, { motion: 'no-preference' });
  const { page } = moving;
  await reset(page);
  await page.evaluate(() => {
    const frames = [];
    window.clockwiseClock = { at: 0, now() { return this.at; },
      frame(next) { frames.push(next); } };
    window.advance = async (ms) => {
      window.clockwiseClock.at += ms;
      for (const next of frames.splice(0)) next();
      await new Promise((done) => setTimeout(done, 0));
    };
  });
  const advance = (ms) => page.evaluate((t) => window.advance(t), ms);
  const keys = async () => (await chips(page)).map((row) =>
    row.split('|')[2].split(' ').at(-1)).join(' ');
  await page.click('#ring .primary');
  assert.equal(await text(page, '#ring .primary'), '■ Stop');
  assert.equal(await keys(), '3 3 3 3');
  await advance(300);
  assert.equal(await keys(), '3 3 3 3');
  await advance(350);
  assert.equal(await keys(), '6 3 3 0', 'counts change hands on the way');
  await advance(300);
  assert.match(await text(page, '#ring .result'), /^D removed/);
  await advance(1700);
  await advance(950);
  assert.match(await text(page, '#ring .result'), /^D is back/);
  assert.equal(await keys(), '3 3 3 3');
  assert.match(await text(page, '#ring .primary'), /Play: D leaves/);
  // a click on the way jumps to the end, then starts the next
  await toggle(page, 'D');
  await advance(400);
  await toggle(page, 'A');
  await advance(950);
  assert.equal(await keys(), '0 9 3 0');
  await close(moving);
});

test('reduced motion: one draw for a change', async () => {
  const { page } = at;
  await reset(page);
  const drawn = await page.evaluate(() => {
    const { stats } = window.clockwisePage.ring.view;
    const before = stats.draws;
    document.querySelector('#ring .chip[data-node="C"]').click();
    return stats.draws - before;
  });
  assert.ok(drawn <= 2, `${drawn} draws`);
  await reset(page);
});

test('nothing was asked of a network, said or breached on the way', () =>
  close(at));
