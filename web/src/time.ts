// SPDX-License-Identifier: Apache-2.0
// All motion goes through one clock, which tests replace.

export interface Clock {
  now(): number;
  frame(next: () => void): void;
}

declare global {
  interface Window { clockwiseClock?: Clock }
}

const real: Clock = {
  now: () => performance.now(),
  frame: (next) => { requestAnimationFrame(next); },
};
const clock = () => window.clockwiseClock ?? real;

/** undefined in a worker, which runs this script too and has no screen. */
export const media = (query: string): MediaQueryList | undefined =>
  (typeof document === 'undefined' ? undefined : matchMedia(query));

const calm = media('(prefers-reduced-motion: reduce)');

/** Changes take 900 ms at speed 1. */
export const CHANGE = 900;

export const reduced = () => calm?.matches === true;

/** Runs `draw` from 0 to 1; jump() ends it at once, as a new run does. */
export class Motion {
  private running = 0;
  private end: (() => void) | undefined;

  get busy(): boolean {
    return this.end !== undefined;
  }

  run(duration: number, draw: (t: number) => void): Promise<void> {
    this.jump();
    if (reduced() || duration <= 0) {
      draw(1);
      return Promise.resolve();
    }
    const id = ++this.running;
    const start = clock().now();
    return new Promise((resolve) => {
      this.end = () => {
        this.running++;
        this.end = undefined;
        draw(1);
        resolve();
      };
      const step = () => {
        if (id !== this.running) return;
        const t = Math.min(1, (clock().now() - start) / duration);
        if (t >= 1) {
          this.end?.();
          return;
        }
        draw(t);
        clock().frame(step);
      };
      draw(0);
      clock().frame(step);
    });
  }

  jump(): void {
    this.end?.();
  }

  /** A pause that the next run cuts short. */
  wait(duration: number): Promise<void> {
    return this.run(duration, () => undefined);
  }
}

export const easeOut = (t: number) => 1 - (1 - t) ** 3;
