// SPDX-License-Identifier: Apache-2.0
// The only script that the file shows: seal.mjs puts the page's script and
// the WebAssembly module into it, as LZMA in base64, a quarter smaller than
// what browsers can unpack by themselves. The policy knows the hash of the
// unpacked script too, so nothing else can be run in its place.
declare const PACKED: string;           // without its header of 13 bytes
declare const SIZES: readonly [wasm: number, script: number];

/** LZMA with lc = 3, lp = 0, pb = 0, as seal.mjs asks xz for it. */
export function unpack(packed: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(size);
  // probabilities: where each group of them begins
  const MATCH = 0, REP = 12, REP0 = 24, REP1 = 36, REP2 = 48, LONG = 60,
    SLOT = 72, NEAR = SLOT + 256, ALIGN = NEAR + 128, LEN = ALIGN + 16,
    REP_LEN = LEN + 275, LITERAL = REP_LEN + 275;
  const chance = new Uint16Array(LITERAL + 0x300 * 8).fill(1024);
  let at = 5, range = 0xffffffff, code = 0;
  for (let i = 1; i < 5; i++) code = (code << 8 | packed[i]!) >>> 0;

  const more = () => {
    if (range >= 0x1000000) return;
    range = range << 8 >>> 0;
    code = (code << 8 | packed[at++]!) >>> 0;
  };
  const bit = (i: number): number => {
    const p = chance[i]!;
    const bound = (range >>> 11) * p;
    const one = code >= bound ? 1 : 0;
    if (one) {
      range -= bound;
      code -= bound;
      chance[i] = p - (p >> 5);
    } else {
      range = bound;
      chance[i] = p + ((2048 - p) >> 5);
    }
    more();
    return one;
  };
  const tree = (base: number, bits: number): number => {
    let m = 1;
    for (let i = 0; i < bits; i++) m = m << 1 | bit(base + m);
    return m - (1 << bits);
  };
  const reverse = (base: number, bits: number): number => {
    let m = 1, value = 0;
    for (let i = 0; i < bits; i++) {
      const b = bit(base + m);
      m = m << 1 | b;
      value |= b << i;
    }
    return value;
  };
  const direct = (bits: number): number => {
    let value = 0;
    for (; bits > 0; bits--) {
      range >>>= 1;
      const one = code >= range ? 1 : 0;
      if (one) code -= range;
      value = value << 1 | one;
      more();
    }
    return value;
  };
  // choices 0 and 1, then trees of 3, 3 and 8 bits
  const length = (base: number): number => (!bit(base) ? tree(base + 2, 3)
    : !bit(base + 1) ? 8 + tree(base + 10, 3) : 16 + tree(base + 18, 8));
  const distance = (len: number): number => {
    const slot = tree(SLOT + Math.min(len, 3) * 64, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const high = (2 | slot & 1) << bits;
    return slot < 14 ? high + reverse(NEAR + high - slot, bits)
      : high + (direct(bits - 4) << 4) + reverse(ALIGN, 4);
  };

  let state = 0, pos = 0;
  const last = [0, 0, 0, 0];            // distances, less 1
  while (pos < size) {
    if (!bit(MATCH + state)) {
      const base = LITERAL + 0x300 * ((out[pos - 1] ?? 0) >> 5);
      let symbol = 1, like = state < 7 ? -1 : out[pos - last[0]! - 1]!;
      while (symbol < 0x100) {
        const guess = like < 0 ? -1 : like >> 7 & 1;
        const b = bit(base + symbol + (guess < 0 ? 0 : (1 + guess) << 8));
        symbol = symbol << 1 | b;
        like = guess === b ? like << 1 & 0xff : -1;
      }
      out[pos++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let len = 0;
    if (!bit(REP + state)) {
      len = 2 + length(LEN);
      state = state < 7 ? 7 : 10;
      last.pop();
      last.unshift(distance(len - 2));
    } else {
      let which = 0;
      if (bit(REP0 + state))
        which = !bit(REP1 + state) ? 1 : 2 + bit(REP2 + state);
      else if (!bit(LONG + state)) len = 1;
      last.unshift(last.splice(which, 1)[0]!);
      const short = len === 1;
      if (!short) len = 2 + length(REP_LEN);
      state = state < 7 ? short ? 9 : 8 : 11;
    }
    for (const from = last[0]! + 1; len > 0 && pos < size; len--, pos++)
      out[pos] = out[pos - from]!;
  }
  return out;
}

if (typeof document !== 'undefined') {
  const parts = unpack(Uint8Array.from(atob(PACKED), (c) => c.charCodeAt(0)),
    SIZES[0] + SIZES[1]);
  const text = new TextDecoder().decode(parts.subarray(SIZES[0]));
  window.clockwiseParts = { script: text, wasm: parts.slice(0, SIZES[0]) };
  const script = document.createElement('script');
  script.type = 'module';
  script.textContent = text;
  document.head.append(script);
}
