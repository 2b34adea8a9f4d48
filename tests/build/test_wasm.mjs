// SPDX-License-Identifier: Apache-2.0
//
// node test_wasm.mjs clockwise.wasm NATIVE
//
// The module must import nothing, export every function of symbols.txt, and
// give every key the owner that the native library gives it. NATIVE is the
// program built from wasm_owners.c; the test repeats what it prints.
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const [, , file, native] = process.argv;
const fail = (text) => { console.error(`wasm: ${text}`); process.exit(1); };

const major = Number(process.versions.node.split('.')[0]);
if (major < 18) fail(`node ${process.versions.node}; 18 or newer is needed`);

const module = new WebAssembly.Module(readFileSync(file));
const imports = WebAssembly.Module.imports(module);
if (imports.length)
  fail('imports ' + imports.map((i) => `${i.module}.${i.name}`).join(', '));

const names = new Set(WebAssembly.Module.exports(module).map((e) => e.name));
const listed = readFileSync(new URL('symbols.txt', import.meta.url), 'utf8')
  .split('\n').filter((line) => line && !line.startsWith('#'));
const wanted = [...listed, 'malloc', 'free', 'memory'];
const missing = wanted.filter((name) => !names.has(name));
if (missing.length) fail(`does not export ${missing.join(', ')}`);
const extra = [...names].filter((name) => !wanted.includes(name));
if (extra.length) fail(`exports ${extra.join(', ')} without need`);

const cw = new WebAssembly.Instance(module, {}).exports;
const utf8 = new TextEncoder();
const allocate = (size) => cw.malloc(size) || fail(`no memory for ${size}`);
const view = () => new DataView(cw.memory.buffer);

function text(at) {
  const bytes = new Uint8Array(cw.memory.buffer, at);
  return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
}

function withBytes(string, use) {
  const bytes = utf8.encode(string);
  const at = allocate(bytes.length || 1);
  new Uint8Array(cw.memory.buffer, at, bytes.length).set(bytes);
  const result = use(at, bytes.length);
  cw.free(at);
  return result;
}

const check = (status, what) => {
  if (status !== 0) fail(`${what}: ${text(cw.cw_status_text(status))}`);
};

function buildMap(row, nodes) {
  const fleet = cw.cw_fleet_new(0);
  const placement = cw.cw_placement_new(0);
  const [option, value] = row.split('=');
  withBytes(option + '\0', (o) => withBytes(value + '\0', (v) =>
    check(cw.cw_placement_set(placement, o, v, 0), row)));
  for (const [name, weight] of nodes)
    withBytes(name, (at, len) =>
      check(cw.cw_fleet_add(fleet, at, len, BigInt(weight), 0), name));
  const out = allocate(4);
  check(cw.cw_map_build(fleet, placement, out, 0), `map of ${row}`);
  const map = view().getUint32(out, true);
  cw.free(out);
  cw.cw_placement_free(placement);
  cw.cw_fleet_free(fleet);
  return map;
}

// Lines of the native program: "map ROW name=weight ...", then
// "fingerprint HEX" and "key NUMBER" for the map that was named last.
const { status, stdout, stderr } =
  spawnSync(native, { encoding: 'utf8', maxBuffer: 1 << 28 });
if (status !== 0) fail(`the native program ends with ${status}: ${stderr}`);
const lines = stdout.trim().split('\n');
const out = allocate(4);
let map = 0, row = '', maps = 0, keys = 0;
for (const line of lines) {
  const [word, ...rest] = line.split(' ');
  if (word === 'version') {
    const version = text(cw.cw_version());
    if (version !== rest[0]) fail(`version ${version}, native ${rest[0]}`);
  } else if (word === 'map') {
    if (map) cw.cw_map_unref(map);
    row = rest[0];
    map = buildMap(row, rest.slice(1).map((node) => node.split('=')));
    check(cw.cw_map_check(map, 0), `check of ${row}`);
    maps++;
  } else if (word === 'fingerprint') {
    const got = BigInt.asUintN(64, cw.cw_map_fingerprint(map)).toString(16)
      .padStart(16, '0');
    if (got !== rest[0]) fail(`${row}: fingerprint ${got}, native ${rest[0]}`);
  } else {
    const got = withBytes(word, (at, len) => {
      check(cw.cw_map_owner(map, at, len, out), `${row}: key ${word}`);
      return view().getUint32(out, true);
    });
    if (String(got) !== rest[0])
      fail(`${row}: ${word} on node ${got}, native ${rest[0]}`);
    keys++;
  }
}
if (!maps || !keys) fail('the native program printed nothing to compare');
console.log(`wasm: no imports, ${names.size} exports, ` +
  `${keys} owners in ${maps} maps equal the native ones`);
