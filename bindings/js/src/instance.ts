// SPDX-License-Identifier: Apache-2.0
// The library over the WebAssembly module that the package carries.
import { Clockwise, instantiate } from './core.js';
import { wasm } from './wasm.js';

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** The library, ready to use. */
export const clockwise: Clockwise =
  instantiate(new WebAssembly.Module(bytesOf(wasm)));
