// SPDX-License-Identifier: Apache-2.0
// MD5 (RFC 1321), for the points of a HashRing; its keys are hashed in C.

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const SINES = Uint32Array.from({ length: 64 },
  (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32));

/** The 16 bytes as four little-endian words. */
export function md5(message: Uint8Array): Uint32Array {
  const blocks = (message.length + 8 >> 6) + 1;
  const padded = new DataView(new ArrayBuffer(blocks * 64));
  new Uint8Array(padded.buffer).set(message);
  padded.setUint8(message.length, 0x80);
  padded.setUint32(blocks * 64 - 8, message.length << 3, true);
  padded.setUint32(blocks * 64 - 4, message.length >>> 29, true);
  const state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe,
    0x10325476);
  for (let at = 0; at < blocks * 64; at += 64) mix(state, padded, at);
  return state;
}

function mix(state: Uint32Array, message: DataView, at: number): void {
  let a = state[0]!, b = state[1]!, c = state[2]!, d = state[3]!;

  for (let i = 0; i < 64; i++) {
    const round = i >> 4;
    const f = round === 0 ? (b & c) | (~b & d)
      : round === 1 ? (d & b) | (~d & c)
        : round === 2 ? b ^ c ^ d : c ^ (b | ~d);
    const word = [i, 5 * i + 1, 3 * i + 5, 7 * i][round]! & 15;
    const sum = (a + f + SINES[i]! + message.getUint32(at + word * 4, true))
      | 0;
    const shift = SHIFTS[round * 4 + (i & 3)]!;
    a = d;
    d = c;
    c = b;
    b = (b + (sum << shift | sum >>> 32 - shift)) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
}
