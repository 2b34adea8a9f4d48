// SPDX-License-Identifier: Apache-2.0
//
// The last step of the build: pack the page's script and the WebAssembly
// module (CLOCKWISE_PAGE_WASM, when it is not in build/wasm) into one script,
// put the hashes of all scripts and the style into the page's policy, and
// refuse a page that would fetch anything or is too big.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { transformWithEsbuild } from 'vite';

// Bytes of the whole file after gzip -9.
const LIMIT = 150 * 1024;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = process.env.CLOCKWISE_PAGE ?? here('../build/web');
const wasm = readFileSync(process.env.CLOCKWISE_PAGE_WASM ??
  here('../build/wasm/clockwise-page.wasm'));
const file = `${folder}/index.html`;
const fail = (text) => { console.error(`seal.mjs: ${text}`); process.exit(1); };

/** As boot.ts unpacks it: what xz writes, without the header. Matches above 48
 * bytes cost more than they save here, and the script is smaller behind the
 * module than before it. */
const lzma = (bytes) => execFileSync('xz', ['--format=lzma', '--stdout',
  '--lzma1=preset=9e,lc=3,lp=0,pb=0,nice=48,depth=2000'],
  { input: bytes, maxBuffer: 1 << 26 })
  .subarray(13);

async function pack(script) {
  const text = Buffer.from(script);
  const { code } = await transformWithEsbuild(
    readFileSync(here('src/boot.ts'), 'utf8').replace('export function',
      'function'), 'boot.ts', { minify: true, format: 'iife',
      target: 'es2022', define: {
        PACKED: JSON.stringify(lzma(Buffer.concat([wasm, text]))
          .toString('base64')),
        SIZES: JSON.stringify([wasm.length, text.length]) } });
  return code.trim();
}

let html = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
const part = (tag) => new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`)
  .exec(html) ?? fail(`there is no ${tag}`);
const sha = (text) =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const [element, script] = part('script');
const boot = await pack(script);
if (boot.includes('</script')) fail('the script would end early');
html = html.replace(element, () => '')
  .replace('</body>', () => `<script>${boot}</script>\n</body>`);
if (/<(script|link)[^>]*\s(src|href)=(?!"data:)/.test(html))
  fail('something was left outside the file');
if (!html.includes('__CSP__')) fail('there is no place for the policy');
html = html.replace('__CSP__', "default-src 'none'; " +
  `script-src ${sha(boot)} ${sha(script)} 'wasm-unsafe-eval'; ` +
  `style-src ${sha(part('style')[1])}; img-src data: blob:; ` +
  "worker-src blob:; base-uri 'none'; form-action 'none'");
writeFileSync(file, html);
const size = gzipSync(html, { level: 9 }).length;
console.log(`${file}: ${(html.length / 1024).toFixed(1)} KiB, ` +
  `${(size / 1024).toFixed(1)} KiB gzip`);
if (size > LIMIT) fail(`more than ${LIMIT / 1024} KiB`);
