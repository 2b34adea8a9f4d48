// SPDX-License-Identifier: Apache-2.0
// Fleets are read and compared beside the page, so that a large one never
// holds up a frame. The worker runs the page's own script once more.
import { FleetPlan, planFleet, Source } from './fleet_plan.js';
import { loadLibrary } from './library.js';

interface Job {
  before: Source;
  after: Source;
}

/** In the worker: the core first, then jobs one by one. */
export function serve(): void {
  let ready: Promise<void> | undefined;
  addEventListener('message', ({ data }: MessageEvent<Uint8Array<ArrayBuffer> |
    Job>) => {
    if (data instanceof Uint8Array) {
      ready = loadLibrary(data);
      return;
    }
    void ready!.then(() => {
      const plan = planFleet(data.before, data.after);
      postMessage(plan, { transfer: [plan.arcs, plan.points, plan.moved]
        .map((list) => list.buffer as ArrayBuffer) });
    });
  });
}

/** On the page. A new job ends one that is still being worked on. */
export class Planner {
  private worker: Worker | undefined;
  private url: string | undefined;
  private busy: ((plan: undefined) => void) | undefined;

  /** undefined: another job came. */
  plan(before: Source, after: Source): Promise<FleetPlan | undefined> {
    if (this.busy) {
      this.worker?.terminate();
      this.worker = undefined;
      this.busy(undefined);
    }
    const worker = this.worker ??= this.start();
    return new Promise((resolve, reject) => {
      this.busy = resolve;
      const done = () => { this.busy = undefined; };
      worker.onmessage = ({ data }: MessageEvent<FleetPlan>) => {
        done();
        resolve(data);
      };
      worker.onerror = (event) => {
        done();
        this.worker = undefined;
        reject(new Error(event.message || 'the worker has failed'));
      };
      worker.postMessage({ before, after } satisfies Job);
    });
  }

  private start(): Worker {
    const { script, wasm } = window.clockwiseParts;
    this.url ??= URL.createObjectURL(new Blob([script],
      { type: 'text/javascript' }));
    const worker = new Worker(this.url);
    worker.postMessage(wasm);
    return worker;
  }
}
