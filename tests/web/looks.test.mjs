// SPDX-License-Identifier: Apache-2.0
// What everybody gets: axe in four modes, phones, colours, time, pictures.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, choose, close, launch, open, openAll, shots, toggle }
  from './browser.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const MODES = {
  light: {}, dark: { scheme: 'dark' }, phone: { width: 320, height: 640 },
  forced: { forced: 'active' },
};

for (const [mode, options] of Object.entries(MODES))
  test(`axe finds nothing: ${mode}`, async () => {
    const one = await open(browser, options);
    const { page } = one;
    await openAll(page);
    await toggle(page, 'D');
    await page.click('#remap button:text-is("4 nodes")');
    await page.evaluate(axe);
    const found = await page.evaluate(async () => {
      const { violations } = await window.axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa',
          'best-practice'] });
      return violations.map((v) => `${v.impact} ${v.id}: ${
        v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(' | ')}`);
    });
    assert.deepEqual(found, []);
    assert.ok(await page.evaluate(() =>
      document.documentElement.scrollWidth <= innerWidth),
    'nothing hangs over the side');
    await close(one);
  });

test('phone: what is tapped is large enough', async () => {
  const one = await open(browser, { width: 360, height: 740 });
  await openAll(one.page);
  const small = await one.page.$$eval('button, select, input', (all) =>
    all.filter((e) => e.offsetParent && e.type !== 'range')
      .filter((e) => e.getBoundingClientRect().height < 44)
      .map((e) => e.outerHTML.slice(0, 80)));
  assert.deepEqual(small, []);
  await close(one);
});

test('tab stops: one for a table, and no trap', async () => {
  const one = await open(browser);
  const { page } = one;
  const stops = await page.$$eval('figure', (all) => all.map((f) => [f.id,
    [...f.querySelectorAll('button, select, input, textarea, summary')]
      .filter((e) => e.checkVisibility() && e.tabIndex >= 0 && !e.disabled)
      .length]));
  for (const [figure, n] of stops)
    assert.ok(n <= 12, `${figure}: ${n} tab stops`);
  await page.focus('#theme');
  const seen = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    seen.add(await page.evaluate(() =>
      document.activeElement.closest('figure')?.id));
  }
  for (const id of ['ring', 'remap', 'worked', 'vnodes', 'compare', 'fleet'])
    assert.ok(seen.has(id), `${id} is reached`);
  await close(one);
});

// ---- colours: told apart by every eye -------------------------------------

/** sRGB to OKLab × 100. */
function oklab([r, g, b]) {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s]
    .map((x) => x * 100);
}
const linear = (hex) => [1, 3, 5].map((i) => {
  const v = parseInt(hex.slice(i, i + 2), 16) / 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
});
const luminance = (hex) => {
  const [r, g, b] = linear(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
};
/** Machado, Oliveira and Fernandes 2009, at full strength. */
const EYES = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881]],
  tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039]],
};

for (const scheme of ['light', 'dark'])
  test(`colours: ${scheme}`, async () => {
    const one = await open(browser, { scheme, ready: 'ring' });
    const [hues, ground] = await one.page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const of = (v) => style.getPropertyValue(v).trim();
      return [Array.from({ length: 8 }, (_, i) => of(`--hue-${i}`)),
        of('--ground')];
    });
    for (const hue of hues)
      assert.ok(contrast(hue, ground) >= 3, `${hue} on ${ground}`);
    for (const [eye, matrix] of Object.entries(EYES)) {
      const seen = hues.map((hue) => {
        const rgb = linear(hue);
        return oklab(matrix.map((row) => Math.min(1, Math.max(0,
          row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2]))));
      });
      for (let i = 0; i < 8; i++)
        for (let k = 0; k < i; k++) {
          const apart = Math.hypot(...seen[i].map((x, c) => x - seen[k][c]));
          assert.ok(apart >= 9, `${eye}: ${hues[i]} and ${hues[k]}: ${apart}`);
        }
    }
    await close(one);
  });

// ---- time: reported, with generous gates ----------------------------------

test('frames of a removal', async (t) => {
  const one = await open(browser, { motion: 'no-preference' });
  const { page } = one;
  await openAll(page);
  for (const [nodes, keys, most] of [['50', '1000', 50], ['300', '10000', 50]]) {
    await choose(page, '#ring', 'Nodes', nodes);
    await choose(page, '#ring', 'Keys', keys);
    const draws = await page.evaluate(async () => {
      const { ring } = window.clockwisePage;
      const view = ring.view, list = [];
      const draw = view.draw.bind(view);
      view.draw = () => {
        const start = performance.now();
        draw();
        list.push(performance.now() - start);
      };
      for (const node of [3, 3, 7]) await ring.flip(node);
      delete view.draw;
      return list.sort((a, b) => a - b);
    });
    const p = (part) => draws[Math.min(draws.length - 1,
      Math.floor(draws.length * part))];
    t.diagnostic(`${nodes} nodes, ${keys} keys: ${draws.length} draws, ` +
      `median ${p(0.5).toFixed(1)} ms, p95 ${p(0.95).toFixed(1)} ms, ` +
      `longest ${p(1).toFixed(1)} ms`);
    assert.ok(p(0.95) <= most, `p95 of ${p(0.95)} ms`);
  }
  await close(one);
});

test('first paint, from disk', async (t) => {
  const one = await open(browser, { ready: 'ring' });
  const paint = await one.page.evaluate(() => performance
    .getEntriesByName('first-contentful-paint')[0]?.startTime);
  t.diagnostic(`first contentful paint after ${paint?.toFixed(0)} ms`);
  assert.ok(paint > 0);
  await close(one);
});

// ---- pictures, to be looked at --------------------------------------------

const SHOTS = {
  'desktop-light': [{}, '3'], 'desktop-dark': [{ scheme: 'dark' }, 'demo'],
  'desktop-300': [{}, '300'],
  'phone-light': [{ width: 390, height: 844, scale: 2 }, 'demo'],
  'phone-dark': [{ width: 390, height: 844, scale: 2, scheme: 'dark' }, '3'],
  'phone-300': [{ width: 390, height: 844, scale: 2 }, '300'],
};

for (const [name, [options, nodes]] of Object.entries(SHOTS))
  test(`picture: ${name}`, async () => {
    const one = await open(browser, options);
    const { page } = one;
    if (nodes !== 'demo') {
      await openAll(page);
      await choose(page, '#ring', 'Nodes', nodes);
      if (nodes === '3') await choose(page, '#ring', 'Points per node', '4');
    }
    await page.click('#ring .chip >> nth=1');
    await page.mouse.move(0, 0);
    await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
    const top = await page.screenshot({ path: `${shots}/${name}.png` });
    assert.ok(top.length > 10000, 'there is something to see');
    if (nodes === 'demo')
      await page.screenshot({ path: `${shots}/${name}-page.png`,
        fullPage: true });
    await close(one);
  });
