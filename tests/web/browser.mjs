// SPDX-License-Identifier: Apache-2.0
// Chromium with the page in it, and what every test watches.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test as nodeTest } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(`${root}web/package.json`);
const { chromium } = require('playwright-core');

export const folder = process.env.CLOCKWISE_PAGE ?? `${root}build/web`;
export const file = `${folder}/index.html`;
export const shots = `${folder}/shots`;
export const axe = readFileSync(require.resolve('axe-core/axe.min.js'),
  'utf8');
export const demo = JSON.parse(readFileSync(`${root}web/src/demo.json`));

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu',
  '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--no-first-run', '--force-color-profile=srgb',
  '--font-render-hinting=none', '--disable-lcd-text'];

/**
 * Calls into a page have no time limit of their own: a page that hangs would
 * hold up its test for ever. So each test has one, and is named when it is
 * over; what then still holds the process is ended with it.
 */
const LIMIT = 90000;        // ms
const timeout = LIMIT;
export const test = (name, run) => nodeTest(name, { timeout }, run);

/** A browser for all tests of a file; `prepare` opens what they share. */
export function withBrowser(prepare = () => undefined) {
  let browser;
  before(async () => {
    browser = await launch();
    await prepare(browser);
  }, { timeout });
  after(async () => {
    const late = new Promise((done) => setTimeout(done, 10000).unref());
    await Promise.race([browser?.close(), late]);
    setTimeout(() => {
      console.error('something holds the process after its last test');
      process.exit(1);
    }, 10000).unref();
  }, { timeout });
}

async function launch() {
  assert.ok(existsSync(file), `${file}: make web builds it`);
  assert.ok(existsSync(CHROMIUM), `${CHROMIUM}: scripts/setup installs it`);
  mkdirSync(shots, { recursive: true });
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS,
    timeout: 30000 });
}

/**
 * A page that has finished. Requests, errors, console messages and breaches
 * of its policy are kept in `seen`, which tests expect to stay empty.
 */
export async function open(browser, { width = 1280, height = 900,
  hash = '', motion = 'reduce', scheme = 'light', forced = 'none',
  scale = 1, ready = 'all' } = {}) {
  const context = await browser.newContext({ viewport: { width, height },
    reducedMotion: motion, colorScheme: scheme, forcedColors: forced,
    deviceScaleFactor: scale });
  const page = await context.newPage();
  const seen = [];
  page.setDefaultTimeout(30000);
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith('data:') && !url.startsWith('blob:') &&
        url.split('#')[0] !== pathToFileURL(file).href)
      seen.push(`request ${url}`);
  });
  page.on('console', (message) => seen.push(`console ${message.text()}`));
  page.on('pageerror', (error) => seen.push(`error ${error.stack}`));
  await page.addInitScript(() => {
    window.breaches = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      window.breaches.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  await page.goto(pathToFileURL(file).href + hash);
  await page.waitForSelector(ready === 'all' ? 'html[data-ready="all"]'
    : 'html[data-ready]', { timeout: 40000 });
  return { page, context, seen };
}

export async function close({ page, context, seen }) {
  const breaches = await page.evaluate(() => window.breaches);
  await context.close();
  assert.deepEqual([...seen, ...breaches], []);
}

/** Text with every kind of space as a plain one. */
export const plain = (text) => text.replace(/\s+/gu, ' ').trim();

export const text = async (page, selector) =>
  plain(await page.locator(selector).innerText());

/** The select of a figure that has this label. */
export const choose = (page, figure, label, value) =>
  page.locator(`${figure} .field`, { has: page.locator('label', {
    hasText: new RegExp(`^${label}$`) }) }).locator('select')
    .selectOption(value);

/** Name, share and keys of every row of the ring's table. */
export const chips = (page) => page.$$eval('#ring tbody tr', (rows) =>
  rows.map((row) => [row.querySelector('bdi').textContent,
    ...[...row.querySelectorAll('td')].map((td) => td.textContent
      .replace(/\s+/gu, ' ').trim())].join('|')));

export const toggle = (page, node) =>
  page.click(`#ring .chip[data-node="${node}"]`);
export const reset = (page) => page.click('#ring button:text-is("Reset")');
export const openAll = (page) => page.$$eval('#ring details', (all) =>
  all.forEach((d) => { d.open = true; }));
