// SPDX-License-Identifier: Apache-2.0
// What everybody gets: axe in four modes, phones, colours, time, pictures.
import assert from 'node:assert/strict';
import { axe, choose, close, open, openAll, reset, shots, test, toggle,
  withBrowser } from './browser.mjs';

let browser, desk, phone;
withBrowser(async (one) => {
  browser = one;
  desk = await open(browser);
  phone = await open(browser, { width: 390, height: 844, scale: 2 });
});

const MODES = {
  light: {}, dark: { colorScheme: 'dark' }, phone: { width: 320 },
  forced: { forcedColors: 'active' },
};

/** The page as it is for others, until the next call. */
async function as({ page }, { width = 1280, height = 900, ...media } = {}) {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none',
    reducedMotion: 'reduce', ...media });
  return page;
}

for (const [mode, options] of Object.entries(MODES))
  test(`axe finds nothing: ${mode}`, async () => {
    const page = await as(desk, options);
    await reset(page);
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
  });

test('phone: what is tapped is large enough', async () => {
  await openAll(phone.page);
  const small = await phone.page.$$eval('button, select, input', (all) =>
    all.filter((e) => e.offsetParent && e.type !== 'range' &&
      e.type !== 'file').filter((e) => e.getBoundingClientRect().height < 44)
      .map((e) => e.outerHTML.slice(0, 80)));
  assert.deepEqual(small, []);
});

test('tab stops: one for a table, and no trap', async () => {
  const page = await as(desk);
  const stops = await page.$$eval('figure', (all) => all.map((f) => [f.id,
    [...f.querySelectorAll('button, select, input, textarea, summary')]
      .filter((e) => e.checkVisibility() && e.tabIndex >= 0 && !e.disabled)
      .length]));
  for (const [figure, n] of stops)
    assert.ok(n <= (figure === 'ring' ? 20 : 12), `${figure}: ${n} tab stops`);
  await page.focus('#theme');
  const seen = new Set();
  for (let i = 0; i < 70; i++) {
    await page.keyboard.press('Tab');
    seen.add(await page.evaluate(() =>
      document.activeElement.closest('figure')?.id));
  }
  for (const id of ['ring', 'remap', 'worked', 'vnodes', 'compare', 'fleet'])
    assert.ok(seen.has(id), `${id} is reached`);
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
    const page = await as(desk, { colorScheme: scheme });
    const [hues, ground] = await page.evaluate(() => {
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
  });

// ---- time -----------------------------------------------------------------

/**
 * Removals as the page does them, with each task of its main thread in ms of
 * processor time, which other programs do not lengthen much; what little they
 * do is not the page's, so the best of a few runs counts.
 */
async function removals(browser, page, times) {
  const runs = [];
  for (let i = 0; i < times; i++) {
    await browser.startTracing(page, { categories: ['toplevel',
      'devtools.timeline'] });
    await page.evaluate(async (node) => {
      await window.clockwisePage.ring.flip(node);
      await new Promise((done) => setTimeout(done, 50));
    }, 3 + (i >> 1));
    const { traceEvents } = JSON.parse(await browser.stopTracing());
    const main = new Set(traceEvents.filter((e) =>
      e.args?.name === 'CrRendererMain').map((e) => `${e.pid} ${e.tid}`));
    const tasks = traceEvents.filter((e) => e.name.endsWith('RunTask') &&
      main.has(`${e.pid} ${e.tid}`)).map((e) => (e.tdur ?? 0) / 1000);
    const frames = traceEvents.filter((e) => e.name === 'FireAnimationFrame');
    runs.push([Math.max(...tasks), tasks.length, frames.length]);
  }
  return runs.sort((a, b) => a[0] - b[0])[0];
}

for (const [nodes, keys] of [['50', '1000'], ['300', '10000']])
  test(`frames of a removal: ${nodes} nodes, ${keys} keys`, async (t) => {
    const page = await as(desk);
    await reset(page);
    await openAll(page);
    await choose(page, '#ring', 'Nodes', nodes);
    await choose(page, '#ring', 'Keys', keys);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.evaluate(() => document.getElementById('ring')
      .scrollIntoView());
    const [longest, tasks, frames] = await removals(browser, page, 4);
    t.diagnostic(`the best of 4: ${frames} frames, ${tasks} tasks, the ` +
      `longest ${longest.toFixed(1)} ms of processor time`);
    assert.ok(tasks > 10 && frames > 2, `${tasks} tasks, ${frames} frames`);
    assert.ok(longest <= 50, `a task takes ${longest} ms`);
  });

test('first paint, from disk', async (t) => {
  const paint = await desk.page.evaluate(() => performance
    .getEntriesByName('first-contentful-paint')[0]?.startTime);
  t.diagnostic(`first contentful paint after ${paint?.toFixed(0)} ms`);
  assert.ok(paint > 0);
});

// ---- pictures, to be looked at --------------------------------------------

const SHOTS = {
  'desktop-light': ['desk', {}, '3'],
  'desktop-dark': ['desk', { colorScheme: 'dark' }, 'demo'],
  'desktop-300': ['desk', {}, '300'],
  'phone-light': ['phone', {}, 'demo'],
  'phone-dark': ['phone', { colorScheme: 'dark' }, '3'],
  'phone-300': ['phone', {}, '300'],
};

for (const [name, [where, media, nodes]] of Object.entries(SHOTS))
  test(`picture: ${name}`, async () => {
    const page = await as(where === 'desk' ? desk : phone,
      where === 'desk' ? media : { width: 390, height: 844, ...media });
    await reset(page);
    await page.$$eval('#ring details', (all, open) =>
      all.forEach((d) => { d.open = open; }), nodes !== 'demo');
    if (nodes !== 'demo') {
      await choose(page, '#ring', 'Nodes', nodes);
      if (nodes === '3') await choose(page, '#ring', 'Points per node', '4');
      await page.waitForFunction((n) => document.querySelector(
        '#ring .centre strong').textContent.startsWith(n), nodes);
    }
    await page.click('#ring .chip >> nth=1');
    await page.mouse.move(0, 0);
    await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
    const top = await page.screenshot({ timeout: 40000,
      path: `${shots}/${name}.png` });
    assert.ok(top.length > 10000, 'there is something to see');
    if (nodes === 'demo')
      await page.screenshot({ path: `${shots}/${name}-page.png`,
        fullPage: true, timeout: 40000 });
  });

test('nothing was asked of a network, said or breached on the way', async () => {
  await close(desk);
  await close(phone);
});
