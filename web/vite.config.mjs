// SPDX-License-Identifier: Apache-2.0
// One self-contained file: build/web/index.html, which seal.mjs finishes.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

const root = fileURLToPath(new URL('.', import.meta.url));
/** Of npm `yaml` the reader alone, with the schema in which every value is a
 * text: the page writes no YAML, and types are the C readers' business. Of
 * some modules only the names stay, and of the tree's classes no method but
 * the constructor, which the reader calls. */
const UNUSED = new RegExp('/yaml/browser/dist/(stringify/(stringify|fold).*|' +
  'visit|doc/(createNode|applyReviver)|nodes/(toJS|addPairToJSMap)|' +
  'parse/cst-visit)\\.js$');
const TREE = /\/yaml\/browser\/dist\/(doc\/Document|nodes\/[A-Z]\w*)\.js$/;
const METHOD = new RegExp('^ {4}(add|addIn|clone|createAlias|createNode|' +
  'createPair|delete|deleteIn|get|getIn|has|hasIn|hasAllNullValues|resolve|' +
  'set|setIn|toJS|toJSON|toString)\\(.*\\) \\{\\n(.*\\n)*? {4}\\}\\n', 'gm');
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
    if (TREE.test(id)) return readFileSync(id, 'utf8').replace(METHOD, '');
    if (!UNUSED.test(id)) return undefined;
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
