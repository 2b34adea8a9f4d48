// SPDX-License-Identifier: Apache-2.0
// The WebAssembly instance, and bytes and numbers going in and out of it.

/** What can be a key or a name: text (as UTF-8), or bytes. */
export type Bytes = string | Uint8Array;

type Call = (...args: never[]) => number;

/** Exports of the module that take and give 32-bit numbers and pointers. */
export interface Exports {
  memory: WebAssembly.Memory;
  [name: string]: unknown;
}

const utf8 = new TextEncoder();
const text = new TextDecoder();

/** Names of enum cw_status, by -value. */
const CODES = ['OK', 'ENOMEM', 'EINVAL', 'EEXIST', 'ENOENT', 'EEMPTY',
  'ELIMIT', 'ENOTSUP', 'ECORRUPT'];

/** What the library refuses, with its own words as the message. */
export class ClockwiseError extends Error {
  /** "EINVAL", "ENOENT", ...: the name of the library's status. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ClockwiseError';
    this.code = code;
  }
}

/** What is not text must be bytes: the length of a number is none, and all
 * numbers would be the empty key. */
function bytesOf(value: Exclude<Bytes, string>): Uint8Array {
  if (ArrayBuffer.isView(value) && value.BYTES_PER_ELEMENT === 1) return value;
  throw new ClockwiseError('EINVAL', 'expected text or a Uint8Array as key or ' +
    `name, not ${value === null ? 'null' : typeof value}`);
}

export class Memory {
  private bytes: Uint8Array;
  private input: number;        // room for names and keys
  private inputSize: number;
  private readonly error: number;
  private readonly malloc: (size: number) => number;
  readonly free: (at: number) => void;

  constructor(readonly exports: Exports) {
    this.malloc = exports['malloc'] as (size: number) => number;
    this.free = exports['free'] as (at: number) => void;
    this.bytes = new Uint8Array(exports.memory.buffer);
    this.error = this.call('flat_error');
    this.inputSize = 4096;
    this.input = this.allocate(this.inputSize);
  }

  /** Call an export whose arguments and result are 32-bit or BigInt. */
  call(name: string, ...args: (number | bigint)[]): number {
    return (this.exports[name] as Call)(...(args as never[])) >>> 0;
  }

  call64(name: string, ...args: (number | bigint)[]): bigint {
    const result = (this.exports[name] as Call)(...(args as never[]));
    return BigInt.asUintN(64, result as unknown as bigint);
  }

  allocate(size: number): number {
    const at = this.malloc(size) >>> 0;
    if (at === 0) throw new ClockwiseError('ENOMEM', 'no memory');
    return at;
  }

  /** All memory; views die when it grows, so never keep this. */
  u8(): Uint8Array {
    if (this.bytes.buffer !== this.exports.memory.buffer)
      this.bytes = new Uint8Array(this.exports.memory.buffer);
    return this.bytes;
  }

  u32(at: number, n: number): Uint32Array {
    return new Uint32Array(this.exports.memory.buffer, at, n);
  }

  f64(at: number, n: number): Float64Array {
    return new Float64Array(this.exports.memory.buffer, at, n);
  }

  u64(at: number, n: number): BigUint64Array {
    return new BigUint64Array(this.exports.memory.buffer, at, n);
  }

  /** Put bytes where the next call finds them: [address, length]. */
  put(value: Bytes): [number, number] {
    if (typeof value !== 'string') {
      const bytes = bytesOf(value);
      this.reserve(bytes.length);
      this.u8().set(bytes, this.input);
      return [this.input, bytes.length];
    }
    return [this.input, this.putText(value)];
  }

  get inputAt(): number {
    return this.input;
  }

  /** The same for text alone; gives the length. The address is inputAt. */
  putText(value: string): number {
    const n = value.length;
    if (n * 3 > this.inputSize) this.reserve(n * 3);
    const bytes = this.u8();
    const at = this.input;
    for (let i = 0; i < n; i++) {
      const c = value.charCodeAt(i);
      if (c > 127)
        return utf8.encodeInto(value,
          bytes.subarray(at, at + this.inputSize)).written ?? 0;
      bytes[at + i] = c;
    }
    return n;
  }

  private reserve(size: number): void {
    if (size <= this.inputSize) return;
    const at = this.allocate(size * 2);
    this.free(this.input);
    this.input = at;
    this.inputSize = size * 2;
  }

  /** A block of its own, to be given back with free(). */
  keep(value: Bytes, nul = false): [number, number] {
    const bytes = typeof value === 'string' ? utf8.encode(value)
      : bytesOf(value);
    const at = this.allocate(bytes.length + 1);
    this.u8().set(bytes, at);
    if (nul) this.u8()[at + bytes.length] = 0;
    return [at, bytes.length];
  }

  /** Keys one behind the other, and where each ends: [keys, ends]. */
  keepMany(values: readonly Bytes[]): [number, number] {
    let size = 0;
    for (const v of values)
      size += typeof v === 'string' ? v.length * 3 : bytesOf(v).length;
    const ends = this.allocate(values.length * 4 + 4);
    const keys = this.allocate(size + 1);
    const bytes = this.u8();
    const end = this.u32(ends, values.length);
    let at = keys;
    values.forEach((v, i) => {
      if (typeof v === 'string') {
        at += utf8.encodeInto(v, bytes.subarray(at)).written ?? 0;
      } else {
        bytes.set(v, at);
        at += v.length;
      }
      end[i] = at - keys;
    });
    return [keys, ends];
  }

  text(at: number, len?: number): string {
    const bytes = this.u8();
    const end = len === undefined ? bytes.indexOf(0, at) : at + len;
    return text.decode(bytes.subarray(at, end));
  }

  /** The address of the error structure, emptied for the next call. */
  errorAt(): number {
    this.u8()[this.error + 4] = 0;
    return this.error;
  }

  /** Throw what a status means; CW_OK passes. */
  check(status: number): void {
    status |= 0;
    if (status === 0) return;
    const said = this.text(this.error + 4);
    const common = this.text(this.call('cw_status_text', status));
    throw new ClockwiseError(CODES[-status] ?? String(status), said || common);
  }

  /** Throw what the last failed call has left. */
  fail(): never {
    const status = new Int32Array(this.exports.memory.buffer, this.error)[0]!;
    const said = this.text(this.error + 4);
    throw new ClockwiseError(CODES[-status] ?? 'ENOMEM', said || 'no memory');
  }

  /** An 8-byte cell as a node's number; CW_NONE is -1. */
  static index(cell: bigint): number {
    return cell === 0xffffffffffffffffn ? -1 : Number(cell);
  }
}
