// SPDX-License-Identifier: Apache-2.0
declare module 'virtual:wasm' {
  const gzipBase64: string;
  export default gzipBase64;
}
