// SPDX-License-Identifier: Apache-2.0
// Figure 6: your own fleet, and what a change of it moves.
import { button, count, field, figure, Figure, h, letter, percent,
  plural, select, times } from './dom.js';
import type { FleetPlan, Side, Source } from './fleet_plan.js';
import { fleetReport } from './fleet_report.js';
import { copyLink } from './link.js';
import { emptyScene, RingScene, RingView } from './ring.js';
import { CHANGE } from './time.js';
import { Planner } from './worker.js';

const BEFORE = `fleet: sessions
placement:
  algorithm: ring
nodes:
  - name: cache-01
  - name: cache-02
  - name: cache-03
    weight: 2.0
  - name: cache-04
`;
const AFTER = BEFORE + '  - name: cache-05\n';
const MOST = 1000000;       // letters of a file

type Which = 'before' | 'after';

/** One of the two files: its text, and what became of it. */
class Pane {
  readonly element: HTMLElement;
  readonly area: HTMLTextAreaElement;
  private readonly errors = h('pre', { class: 'errors' });
  private readonly known = h('span', { class: 'known' });
  private readonly pools = h('div', { class: 'pools' });
  /** The pool that was asked for: its number or, for a new file, its name. */
  pool: number | string = 0;

  constructor(readonly which: Which, changed: () => void,
              fail: (text: string) => void) {
    const title = which === 'before' ? 'Before' : 'After';
    this.area = h('textarea', { rows: '11', spellcheck: 'false',
      autocomplete: 'off', maxlength: String(MOST), id: `fleet-${which}`,
      'aria-describedby': `fleet-${which}-errors` });
    this.errors.id = `fleet-${which}-errors`;
    const open = h('input', { type: 'file', class: 'hidden',
      'aria-label': `Open the file ${which} the change` });
    open.addEventListener('change', () => {
      if (open.files?.[0]) void this.take(open.files[0]).then(changed, fail);
      open.value = '';
    });
    this.area.addEventListener('input', changed);
    this.pools.addEventListener('change', changed);
    this.element = h('div', { class: 'pane' }, h('div', { class: 'pane-head' },
      h('label', { for: this.area.id }, title), this.known,
      h('label', { class: 'open' }, 'Open a file', open)),
    this.area, this.pools, this.errors);
  }

  get source(): Source {
    return { text: this.area.value, pool: this.pool };
  }

  /** Rejects with words for the reader. */
  async take(file: File): Promise<void> {
    if (file.size > MOST)
      throw `${file.name} is larger than ${count(MOST)} bytes.`;
    this.put(await file.text());
  }

  put(text: string): void {
    this.area.value = text.slice(0, MOST);
    const chosen = this.pools.querySelector('select');
    if (chosen) this.pool = chosen.selectedOptions[0]!.text;
  }

  show(side: Side | undefined, error: string): void {
    this.errors.textContent = error;
    if (error) this.area.setAttribute('aria-invalid', 'true');
    else this.area.removeAttribute('aria-invalid');
    this.known.replaceChildren(...(side ? [h('strong', {}, side.format),
      `, ${plural(side.nodes, 'node')}`] : []));
    this.pool = side?.pool ?? 0;
    const names = side?.pools ?? [];
    const old = this.pools.querySelector('select');
    if (names.length < 2) this.pools.replaceChildren();
    else if (!old || [...old.options].map((o) => o.text).join('\n') !==
      names.join('\n'))
      this.pools.replaceChildren(field(`Pool, ${names.length} in the file`,
        select(names.map((text, i) => [String(i), text || `pool ${i + 1}`]),
          String(this.pool), (value) => { this.pool = Number(value); })));
    else old.value = String(this.pool);
  }
}

export class FleetFigure {
  /** Settled when what was given last is shown. */
  shown: Promise<void> = Promise.resolve();

  private readonly figure: Figure;
  private readonly view: RingView;
  private readonly planner = new Planner();
  private readonly panes: Record<Which, Pane>;
  private readonly out = h('div', { class: 'report' });
  private pending = 0;
  private state = '';
  private moved: Float64Array = new Float64Array(0);    // all of it

  constructor(id: string) {
    const f = this.figure = figure(id, 'Your fleet: what does a change move?',
      'Paste, open or drop a fleet file, and the same file after the change: ' +
      'our own, or the configuration of nginx, HAProxy, twemproxy, Envoy, ' +
      'mcrouter, Redis Cluster and others, as it is. Nothing of it leaves ' +
      'this page: its policy allows no request.');
    f.root.classList.add('wide');
    this.view = new RingView(`${id}-caption`, 'The ring of your fleet');
    const pane = (which: Which) => new Pane(which, () => this.soon(),
      (text) => f.say(text));
    this.panes = { before: pane('before'), after: pane('after') };
    this.panes.before.put(BEFORE);
    this.panes.after.put(AFTER);
    f.controls.append(h('div', { class: 'panes' },
      this.panes.before.element, this.panes.after.element),
    h('div', { class: 'row' },
      button('Copy before to after', () => {
        this.panes.after.put(this.panes.before.area.value);
        void this.read();
      }), button('Clear', () => {
        this.panes.before.put('');
        this.panes.after.put('');
        void this.read();
      }), button('Copy link with my fleet', () => void copyLink({
        before: this.panes.before.area.value,
        after: this.panes.after.area.value,
      }).then((text) => this.figure.say(text)))));
    f.picture.append(this.view.element);
    f.side.append(this.out);
    this.drop(f.root);
    void this.read();
  }

  load(before: unknown, after: unknown): boolean {
    if (typeof before !== 'string' || typeof after !== 'string') return false;
    this.panes.before.put(before);
    this.panes.after.put(after);
    void this.read();
    return true;
  }

  /** Two files dropped at once are before and after; one goes to the pane
   * under it, or to the first. */
  private drop(root: HTMLElement): void {
    root.addEventListener('dragover', (event) => event.preventDefault());
    root.addEventListener('drop', (event) => {
      const files = [...event.dataTransfer?.files ?? []];
      if (files.length === 0) return;
      event.preventDefault();
      const { before, after } = this.panes;
      const under = after.element.contains(event.target as Node) ? after
        : before;
      const to = files.length > 1 ? [before, after] : [under];
      Promise.all(to.map((pane, i) => pane.take(files[i]!)))
        .then(() => this.read(), (text: unknown) =>
          this.figure.say(String(text)));
    });
  }

  private soon(): void {
    clearTimeout(this.pending);
    this.pending = window.setTimeout(() => void this.read(), 250);
  }

  private read(): Promise<void> {
    clearTimeout(this.pending);
    const slow = setTimeout(() => this.figure.say('Reading …'), 300);
    const { before, after } = this.panes;
    this.shown = this.planner.plan(before.source, after.source)
      .then((plan) => { if (plan) this.show(plan); }, (error: unknown) =>
        this.figure.say(error instanceof Error ? error.message
          : String(error)))
      .finally(() => clearTimeout(slow));
    return this.shown;
  }

  // ---- the answer ----------------------------------------------------------

  private show(plan: FleetPlan): void {
    this.panes.before.show(plan.before, plan.errors.before);
    this.panes.after.show(plan.after, plan.errors.after);
    const one = plan.after ?? plan.before;
    if (!one) {
      this.out.replaceChildren();
      this.view.show(emptyScene());
      this.view.centre.replaceChildren(h('span', {}, 'No fleet to show.'));
      this.figure.say(plan.errors.before || plan.errors.after
        ? 'What is there cannot be read; the reason is below it.'
        : 'Paste a fleet file: one node a line will do.');
      return;
    }
    this.draw(plan, one);
    this.sum(plan, one);
    this.out.replaceChildren(...fleetReport(plan, (from, to) =>
      this.only(from, to)));
  }

  private sum(plan: FleetPlan, one: Side): void {
    const { before, after, change } = plan;
    if (!change || !before || !after) {
      this.figure.say(plural(one.nodes, 'node'), ', placement ', one.row,
        `: busiest ${times(plan.maxAvg)}, idlest ${times(plan.minAvg)} its ` +
        'fair share. Fingerprint ', h('code', {}, one.fingerprint), '.');
      return;
    }
    const how = { exact: 'exactly ', sampled: 'about ', expected: 'about ',
      independent: 'an expected ' }[change.basis];
    this.figure.say(`From ${plural(before.nodes, 'node')} to ${
      plural(after.nodes, 'node')}: ${how}`,
    h('strong', { 'data-bind': 'moved' }, percent(change.moved)),
    ' of all keys move; the least possible is ',
    h('span', { 'data-bind': 'ideal' }, percent(change.ideal)),
    change.excess > 0 ? `, and ${percent(change.excess)} move without ` +
      'need.' : '; none moves without need.');
  }

  private draw(plan: FleetPlan, one: Side): void {
    this.moved = plan.moved;
    const scene: RingScene = { ...emptyScene(), nodes: plan.lines.length,
      letters: plan.lines.map((_, i) => letter(i)), arcs: plan.arcs,
      points: plan.points, moved: plan.moved,
      // the first that came stands out
      pinned: plan.change ? plan.lines.findIndex((line) =>
        line.before === undefined) : -1 };
    this.view.centre.replaceChildren(h('span', {},
      h('strong', {}, plural(one.nodes, 'node')), h('br'), one.row),
    one.points > 0 && h('small', {}, plural(one.points, 'point')) || '');
    const state = `${plan.before?.fingerprint} ${plan.after?.fingerprint}`;
    if (this.state === state || this.state === '') this.view.show(scene);
    else void this.view.change(scene, CHANGE);
    this.state = state;
  }

  /** On the ring only what one node gives another; undefined: all again. */
  private only(from: number | undefined, to?: number): void {
    if (this.view.motion.busy) return;
    const { moved } = this;
    const kept: number[] = [];
    if (from !== undefined)
      for (let i = 0; i < moved.length; i += 4)
        if (moved[i + 2] === from && moved[i + 3] === to)
          kept.push(...moved.subarray(i, i + 4));
    this.view.scene.moved = from === undefined ? moved
      : Float64Array.from(kept);
    this.view.draw();
  }
}

