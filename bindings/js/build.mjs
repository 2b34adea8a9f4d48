// SPDX-License-Identifier: Apache-2.0
//
// node build.mjs: dist/ from src/ and from build/wasm/clockwise-js.wasm, or
// the file that CLOCKWISE_WASM names. ES module, CommonJS and types.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync,
  writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const wasm = process.env.CLOCKWISE_WASM ??
  join(here, '../../build/wasm/clockwise-js.wasm');

if (!existsSync(wasm)) {
  console.error(`build.mjs: there is no ${wasm}; \`make wasm\` builds it`);
  process.exit(1);
}
rmSync(join(here, 'dist'), { recursive: true, force: true });
mkdirSync(join(here, 'dist/cjs'), { recursive: true });
writeFileSync(join(here, 'src/wasm.ts'),
  '// Made by build.mjs: the WebAssembly module in base64.\n' +
  `export const wasm = '${readFileSync(wasm).toString('base64')}';\n`);
copyFileSync(wasm, join(here, 'dist/clockwise.wasm'));
copyFileSync(join(here, '../../LICENSE'), join(here, 'LICENSE'));

const tsc = (...args) => execFileSync(process.execPath,
  [join(here, 'node_modules/typescript/bin/tsc'), '-p', here, ...args],
  { stdio: 'inherit' });
try {
  tsc();
  // Without "type": "module" of package.json, the same sources are CommonJS.
  tsc('--module', 'CommonJS', '--moduleResolution', 'Node10',
    '--outDir', join(here, 'dist/cjs'));
} catch {
  process.exit(1);        // tsc has said why
}
writeFileSync(join(here, 'dist/cjs/package.json'),
  '{ "type": "commonjs" }\n');
