// SPDX-License-Identifier: Apache-2.0
//
// The last step of the build: put the hashes of script and style into the
// page's policy, and refuse a page that would fetch anything or is too big.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

// bytes, gzip -9; the goal is 150 KiB, which the readers of other programs'
// files, 60 KiB of the module, have passed
const LIMIT = 200 * 1024;
const folder = process.env.CLOCKWISE_PAGE ??
  fileURLToPath(new URL('../build/web', import.meta.url));
const file = `${folder}/index.html`;
let html = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');

const sha = (text) =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const all = (tag) => [...html.matchAll(
  new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, 'g'))]
  .map((match) => sha(match[1])).join(' ');

const fail = (text) => { console.error(`seal.mjs: ${text}`); process.exit(1); };
if (/<(script|link)[^>]*\s(src|href)=(?!"data:)/.test(html))
  fail('something was left outside the file');
if (!html.includes('__CSP__')) fail('there is no place for the policy');
html = html.replace('__CSP__', "default-src 'none'; " +
  `script-src ${all('script')} 'wasm-unsafe-eval'; ` +
  `style-src ${all('style')}; img-src data: blob:; worker-src blob:; ` +
  "base-uri 'none'; form-action 'none'");
writeFileSync(file, html);
const size = gzipSync(html, { level: 9 }).length;
console.log(`${file}: ${(html.length / 1024).toFixed(1)} KiB, ` +
  `${(size / 1024).toFixed(1)} KiB gzip`);
if (size > LIMIT) fail(`more than ${LIMIT / 1024} KiB`);
