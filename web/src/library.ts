// SPDX-License-Identifier: Apache-2.0
// The C core, which boot.ts has unpacked.
import { Clockwise, load } from '../../bindings/js/src/core.js';

export let clockwise: Clockwise;

export async function loadLibrary(wasm: Uint8Array<ArrayBuffer>) {
  clockwise = await load(wasm);
}
