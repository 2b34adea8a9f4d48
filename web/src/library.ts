// SPDX-License-Identifier: Apache-2.0
// The C core, unpacked from the page itself.
import gzipBase64 from 'virtual:wasm';
import { Clockwise, load } from '../../bindings/js/src/core.js';

export let clockwise: Clockwise;

export async function loadLibrary(): Promise<void> {
  const text = atob(gzipBase64);
  const packed = Uint8Array.from(text, (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream()
    .pipeThrough(new DecompressionStream('gzip'));
  clockwise = await load(await new Response(stream).arrayBuffer());
}
