// SPDX-License-Identifier: Apache-2.0
interface Window {
  /** What boot.ts has unpacked: this script, and the core. */
  clockwiseParts: { script: string; wasm: Uint8Array<ArrayBuffer> };
}
