// SPDX-License-Identifier: Apache-2.0
// Figure 6: your own fleet, and what a change of it moves.
import type { Diff, KeyMap } from '../../bindings/js/src/core.js';
import { FleetFile, readFleet } from './conf.js';
import { button, count, figure, Figure, h, letter, name, percent, plural,
  scroller, times } from './dom.js';
import { copyLink } from './link.js';
import { emptyScene, RingScene, RingView } from './ring.js';
import { CHANGE } from './time.js';

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

interface Read {
  file: FleetFile;
  map: KeyMap;
}

export class FleetFigure {
  private readonly figure: Figure;
  private readonly view: RingView;
  private readonly before: HTMLTextAreaElement;
  private readonly after: HTMLTextAreaElement;
  private readonly errors: Record<'before' | 'after', HTMLElement>;
  private readonly out = h('div', { class: 'report' });
  private pending = 0;
  private shown = '';

  constructor(id: string) {
    const f = this.figure = figure(id, 'Your fleet: what does a change move?',
      'Paste or drop a fleet file, and the same file after the change. ' +
      'Nothing you paste leaves this page: its policy allows no request.');
    f.root.classList.add('wide');
    this.view = new RingView(`${id}-caption`, 'The ring of your fleet');
    const area = (text: string) => h('textarea', { rows: '11', value: text,
      spellcheck: 'false', autocomplete: 'off', maxlength: '1000000' });
    this.before = area(BEFORE);
    this.after = area(AFTER);
    this.errors = { before: h('pre', { class: 'errors' }),
      after: h('pre', { class: 'errors' }) };
    for (const text of [this.before, this.after]) {
      text.addEventListener('input', () => this.soon());
      this.drop(text);
    }
    f.controls.append(h('div', { class: 'panes' },
      this.pane('Before', this.before, this.errors.before),
      this.pane('After', this.after, this.errors.after)),
    h('div', { class: 'row' },
      button('Copy before to after', () => {
        this.after.value = this.before.value;
        this.read();
      }), button('Clear', () => {
        this.before.value = this.after.value = '';
        this.read();
      }), button('Copy link with my fleet', () => void copyLink({
        before: this.before.value, after: this.after.value,
      }).then((text) => this.figure.say(text)))));
    f.picture.append(this.view.element);
    f.side.append(this.out);
    this.read();
  }

  load(before: unknown, after: unknown): boolean {
    if (typeof before !== 'string' || typeof after !== 'string') return false;
    this.before.value = before.slice(0, 1000000);
    this.after.value = after.slice(0, 1000000);
    this.read();
    return true;
  }

  private pane(text: string, area: HTMLTextAreaElement, errors: HTMLElement) {
    area.id = `fleet-${text.toLowerCase()}`;
    errors.id = `${area.id}-errors`;
    area.setAttribute('aria-describedby', errors.id);
    return h('div', { class: 'pane' }, h('label', { for: area.id }, text),
      area, errors);
  }

  private drop(area: HTMLTextAreaElement): void {
    area.addEventListener('dragover', (event) => event.preventDefault());
    area.addEventListener('drop', (event) => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      if (file.size > 1000000) {
        this.figure.say(`${file.name} is larger than 1 MB.`);
        return;
      }
      void file.text().then((text) => {
        area.value = text;
        this.read();
      });
    });
  }

  private soon(): void {
    clearTimeout(this.pending);
    this.pending = window.setTimeout(() => this.read(), 250);
  }

  private parse(which: 'before' | 'after'): Read | undefined {
    const area = this[which], errors = this.errors[which];
    const text = area.value;
    errors.textContent = '';
    area.removeAttribute('aria-invalid');
    if (text.trim() === '') return undefined;
    try {
      const file = readFleet(text);
      return { file, map: file.fleet.map(file.placement) };
    } catch (error) {
      errors.textContent = error instanceof Error ? error.message
        : String(error);
      area.setAttribute('aria-invalid', 'true');
      return undefined;
    }
  }

  private read(): void {
    const before = this.parse('before'), after = this.parse('after');
    const one = after ?? before;
    this.out.replaceChildren();
    if (!one) {
      this.view.show(emptyScene());
      this.view.centre.replaceChildren(h('span', {}, 'No fleet to show.'));
      this.figure.say('Paste a fleet file: one node a line will do.');
      return;
    }
    const diff = before && after ? before.map.diff(after.map) : undefined;
    this.draw(before, after, diff);
    if (diff && before && after) this.report(before, after, diff);
    else {
      this.figure.say(plural(one.map.size, 'node'), ', placement ',
        one.map.row.name, '. Fingerprint ', h('code', {},
          one.map.fingerprint), '.');
    }
    this.out.append(this.shares(one, diff));
    this.warnings(before, after, diff);
  }

  // ---- the ring ----------------------------------------------------------

  private draw(before: Read | undefined, after: Read | undefined,
               diff: Diff | undefined): void {
    const one = (after ?? before)!;
    const names = diff ? diff.nodes.map((n) => n.name)
      : one.map.nodes().map((n) => n.name);
    const at = new Map(names.map((n, i) => [n, i]));
    const number = (map: KeyMap) => map.nodes().map((n) => at.get(n.name)!);
    const scene = this.sceneOf(one.map, number(one.map), names);
    if (before && after) scene.moved = this.moved(before, after, number);
    // the first that came or went stands out
    scene.pinned = diff?.nodes.findIndex((n) => n.oldIndex < 0) ?? -1;
    this.view.centre.replaceChildren(h('span', {},
      h('strong', {}, plural(one.map.size, 'node')), h('br'),
      one.map.row.name), one.map.pointCount > 0 &&
      h('small', {}, plural(one.map.pointCount, 'point')) || '');
    const state = `${before?.map.fingerprint} ${after?.map.fingerprint}`;
    if (this.shown === state || this.shown === '') this.view.show(scene);
    else void this.view.change(scene, CHANGE);
    this.shown = state;
  }

  private sceneOf(map: KeyMap, number: number[], names: string[]): RingScene {
    const scene = { ...emptyScene(), nodes: names.length,
      letters: names.map((_, i) => letter(i)) };
    if (!map.row.traits.arcs) return scene;
    scene.arcs = map.arcTurns();
    for (let i = 0; i < scene.arcs.length; i += 4)
      scene.arcs[i + 2] = number[scene.arcs[i + 2]!] ?? -1;
    try {
      scene.points = map.pointTurns();
    } catch { /* no points in the open */ }
    for (let i = 1; i < scene.points.length; i += 2)
      scene.points[i] = number[scene.points[i]!]!;
    return scene;
  }

  private moved(before: Read, after: Read,
                number: (map: KeyMap) => number[]): Float64Array {
    let moved: Float64Array;
    try {
      moved = before.map.diffTurns(after.map);
    } catch {
      return new Float64Array(0);
    }
    const was = number(before.map), is = number(after.map);
    for (let i = 0; i < moved.length; i += 4) {
      moved[i + 2] = was[moved[i + 2]!] ?? -1;
      moved[i + 3] = is[moved[i + 3]!] ?? -1;
    }
    return moved;
  }

  // ---- the words and tables ----------------------------------------------

  private report(before: Read, after: Read, diff: Diff): void {
    const how = { exact: 'exactly ', sampled: 'about ', expected: 'about ',
      independent: 'an expected ' }[diff.basis];
    this.figure.say(`From ${plural(before.map.size, 'node')} to ${
      plural(after.map.size, 'node')}: ${how}`,
    h('strong', { 'data-bind': 'moved' }, percent(diff.moved)),
    ' of all keys move; the least possible is ',
    h('span', { 'data-bind': 'ideal' }, percent(diff.ideal)),
    diff.excessChurn > 0 ? `, and ${percent(diff.excessChurn)} move without ` +
      'need.' : '; none moves without need.');
    if (diff.flows.length > 0)
      this.out.append(this.flows(before, after, diff));
  }

  private flows(before: Read, after: Read, diff: Diff): HTMLElement {
    const MOST = 24;
    const who = (i: number) => (i < 0 ? 'nobody' : diff.nodes[i]!.name);
    let arcs = 0;
    try {
      arcs = before.map.diffArcs(after.map).length;
    } catch { /* not told by arcs */ }
    const rest = diff.flows.slice(MOST);
    return scroller('Who gives to whom', h('table', { class: 'plain flows' },
      h('caption', {}, 'Who gives to whom', arcs ? `, in ${
        plural(arcs, 'arc')}` : ''),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'From'),
        h('th', { scope: 'col' }, 'To'),
        h('th', { scope: 'col', class: 'number' }, 'Of all keys'))),
      h('tbody', {}, ...diff.flows.slice(0, MOST).map((f) => h('tr', {},
        h('th', { scope: 'row' }, name(who(f.from), 24)),
        h('td', {}, name(who(f.to), 24)),
        h('td', { class: 'number' }, percent(f.part)))),
      rest.length > 0 && h('tr', {}, h('td', { colspan: '2' },
        `and ${plural(rest.length, 'smaller flow')}`),
      h('td', { class: 'number' },
        percent(rest.reduce((sum, f) => sum + f.part, 0)))))));
  }

  private shares(one: Read, diff: Diff | undefined): HTMLElement {
    const shares = one.map.shares();
    const MOST = 400;
    const rows = diff ? diff.nodes.map((n) => ({ name: n.name,
      old: n.oldIndex < 0 ? undefined : n.oldShare,
      part: n.newIndex < 0 ? undefined : n.newShare, fair: n.newFair }))
      : shares.nodes.map((s, i) => ({ name: one.map.node(i).name,
        old: undefined, part: s.part, fair: s.fair }));
    const show = (part: number | undefined) =>
      (part === undefined ? '–' : percent(part));
    return scroller('Shares', h('table', { class: 'plain shares' },
      h('caption', {}, `Shares, ${shares.basis === 'exact' ? 'exact'
        : 'as the weights say'}: busiest ${times(shares.balance.maxAvg)}, ` +
        `idlest ${times(shares.balance.minAvg)} the fair share` +
        (rows.length > MOST ? `; the first ${count(MOST)} nodes` : '')),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Node'),
        ...(diff ? ['Before', 'After', 'Fair'] : ['Share', 'Fair'])
          .map((text) => h('th', { scope: 'col', class: 'number' }, text)))),
      h('tbody', {}, ...rows.slice(0, MOST).map((r) => h('tr', {},
        h('th', { scope: 'row' }, name(r.name, 28)),
        diff && h('td', { class: 'number' }, show(r.old)),
        h('td', { class: 'number' }, show(r.part)),
        h('td', { class: 'number' }, percent(r.fair)))))));
  }

  private warnings(before: Read | undefined, after: Read | undefined,
                   diff: Diff | undefined): void {
    const list: string[] = [];
    for (const [which, read] of [['before', before], ['after', after]] as const)
      for (const note of read?.file.notes ?? []) list.push(`${which}: ${note}`);
    for (const [which, read] of [['before', before], ['after', after]] as const)
      if (read && read.file.pools > 1)
        list.push(`${which}: ${read.file.pools} pools; the first is shown`);
    if (diff && before && after) list.push(...this.traps(before, after, diff));
    if (list.length === 0) return;
    this.out.prepend(h('ul', { class: 'warnings' },
      ...list.slice(0, 30).map((text) => h('li', {}, text))));
  }

  private traps(before: Read, after: Read, diff: Diff): string[] {
    const list: string[] = [];
    const gone = diff.nodes.filter((n) => n.newIndex < 0);
    const fresh = diff.nodes.filter((n) => n.oldIndex < 0);
    const address = (read: Read, n: string) =>
      read.map.node(read.map.find(n)).address;
    for (const g of gone) {
      const same = fresh.find((n) => address(after, n.name) !== '' &&
        address(after, n.name) === address(before, g.name));
      if (same)
        list.push(`${g.name} and ${same.name} have the same address: a new ` +
          'name moves the whole share although the machine is the same; ' +
          'give it the old name as its label');
    }
    if (diff.basis === 'independent')
      list.push('The two hash keys with different functions: where a key is ' +
        'now says nothing of where it goes.');
    const order = (read: Read) => read.file.fleet.nodes()
      .map((n) => n.name).filter((n) => before.map.find(n) >= 0 &&
        after.map.find(n) >= 0).join('\n');
    if (!after.map.row.traits.orderFree && order(before) !== order(after))
      list.push(`The order of the list changed, and ${after.map.row.name} ` +
        'goes by it.');
    if (diff.excessChurn > 1e-6)
      list.push(`${percent(diff.excessChurn)} of all keys move between nodes ` +
        'that the change did not ask for it.');
    return list;
  }
}
