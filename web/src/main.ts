// SPDX-License-Identifier: Apache-2.0
import './style.css';
import { lookChanged, percent, times } from './dom.js';
import { CompareFigure } from './fig_compare.js';
import { FleetFigure } from './fig_fleet.js';
import { RemapFigure } from './fig_remap.js';
import { RingFigure } from './fig_ring.js';
import { idealRings, VnodesFigure } from './fig_vnodes.js';
import { WorkedFigure } from './fig_worked.js';
import { clockwise, loadLibrary } from './library.js';
import { fromFragment } from './link.js';
import { serve } from './worker.js';

declare global {
  /** For tests: the figures, and the library itself. */
  interface Window { clockwisePage?: Record<string, unknown> }
}

const THEMES = ['auto', 'light', 'dark'] as const;

function theme(): void {
  const switcher = document.getElementById('theme') as HTMLButtonElement;
  let now = 0;
  const apply = () => {
    const asked = THEMES[now]!;
    if (asked === 'auto') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = asked;
    switcher.textContent = `Theme: ${asked}`;
    lookChanged();
  };
  try {
    now = Math.max(0, THEMES.indexOf(localStorage.getItem(
      'clockwise-theme') as 'auto'));
  } catch { /* storage is closed to us */ }
  switcher.addEventListener('click', () => {
    now = (now + 1) % THEMES.length;
    apply();
    try {
      localStorage.setItem('clockwise-theme', THEMES[now]!);
    } catch { /* as above */ }
  });
  apply();
}

const bind = (name: string, text: string) =>
  document.querySelectorAll(`[data-bind="${name}"]`)
    .forEach((element) => { element.textContent = text; });

/** A figure that is made when it comes near, or in a quiet moment. */
function later(id: string, make: () => void): void {
  let made = false;
  const once = () => {
    if (made) return;
    made = true;
    observer.disconnect();
    make();
  };
  const observer = new IntersectionObserver((entries) => {
    if (entries.some((e) => e.isIntersecting)) once();
  }, { rootMargin: '600px' });
  observer.observe(document.getElementById(id)!);
  queue.push(once);
}

const queue: (() => void)[] = [];

function work(): void {
  const next = queue.shift();
  if (!next) {
    document.documentElement.dataset['ready'] = 'all';
    return;
  }
  next();
  setTimeout(work, 0);
}

async function start(): Promise<void> {
  theme();
  await loadLibrary(window.clockwiseParts.wasm);
  const ring = new RingFigure('ring');
  const page: Record<string, unknown> = { clockwise, ring };
  window.clockwisePage = page;
  document.documentElement.dataset['ready'] = 'ring';
  bind('version', clockwise.version);
  const state = await fromFragment(location.hash).catch(() => ({ bad: true }));
  const note = document.getElementById('note')!;
  if (state && 'ring' in state && !ring.load(state['ring']) ||
      state && 'bad' in state)
    note.textContent = 'The link could not be read; this is the page as it ' +
      'always begins.';
  later('remap', () => { page['remap'] = new RemapFigure('remap'); });
  later('worked', () => { page['worked'] = new WorkedFigure('worked'); });
  later('vnodes', () => {
    page['vnodes'] = new VnodesFigure('vnodes');
    const ideal = idealRings(400);
    bind('within', percent(ideal.within));
    bind('median', times(ideal.median));
  });
  later('compare', () => { page['compare'] = new CompareFigure('compare'); });
  later('fleet', () => {
    const fleet = new FleetFigure('fleet');
    page['fleet'] = fleet;
    if (state && 'before' in state) {
      if (fleet.load(state['before'], state['after']))
        document.getElementById('fleet')!.scrollIntoView();
      else note.textContent = 'The fleet in the link could not be read.';
    }
  });
  setTimeout(work, 50);
  document.getElementById('leave')?.addEventListener('click', () => {
    document.getElementById('ring')!.scrollIntoView();
    ring.start();
  });
  if (!state) setTimeout(() => ring.demonstrate(), 1200);
}

if (typeof document === 'undefined') {
  serve();
} else {
  start().catch((error: unknown) => {
    document.getElementById('note')!.textContent =
      `This page needs WebAssembly: ${String(error)}`;
  });
}
