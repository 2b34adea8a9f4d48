// SPDX-License-Identifier: Apache-2.0
// One self-contained file: build/web/index.html, which seal.mjs finishes.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

const root = fileURLToPath(new URL('.', import.meta.url));
/** Of npm `yaml` the reader alone, with the schema in which every value is a
 * text: the page writes no YAML, and types are the C readers' business. */
const yamlReader = {
  name: 'clockwise-yaml-reader',
  enforce: 'pre',
  load(id) {
    if (id.endsWith('/yaml/browser/dist/schema/tags.js'))
      return `import { map } from './common/map.js';
        import { seq } from './common/seq.js';
        import { string } from './common/string.js';
        export const coreKnownTags = {};
        export const getTags = () => [map, seq, string];`;
    if (!/\/yaml\/browser\/dist\/stringify\/(stringify|fold)/.test(id))
      return undefined;
    const [, names] = /export \{([^}]*)\}/.exec(readFileSync(id, 'utf8'));
    return names.split(',').map((name) => `export const ${name.trim()} =
      () => { throw new Error('nothing is written here'); };`).join('\n');
  },
};

export default defineConfig({
  root,
  base: './',
  logLevel: 'warn',
  plugins: [yamlReader, viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    target: 'es2022',
    modulePreload: false,
    outDir: process.env.CLOCKWISE_PAGE ?? `${root}../build/web`,
    emptyOutDir: false,
  },
});
