// SPDX-License-Identifier: Apache-2.0
// What a change of a fleet moves, as tables: who gives to whom, and the share
// of each node before and after. Both can be taken away as CSV.
import { button, count, h, name, percent, plural, scroller, svg, times }
  from './dom.js';
import type { FleetPlan, Flow, NodeLine } from './fleet_plan.js';

const MATRIX = 20;          // nodes; above: a list
const FLOWS = 24;           // of the list
const LINES = 400;          // of the shares

/** Show on the ring what one gives another; without arguments: all. */
export type Pick = (from?: number, to?: number) => void;

export function fleetReport(plan: FleetPlan, pick: Pick): HTMLElement[] {
  const parts: HTMLElement[] = [];
  for (const kind of ['warnings', 'notes'] as const)
    if (plan[kind].length > 0)
      parts.push(h('ul', { class: kind }, ...plan[kind].slice(0, 30)
        .map((text) => h('li', {}, text))));
  if (plan.change && plan.change.flows.length > 0)
    parts.push(plan.lines.length <= MATRIX ? matrix(plan, pick)
      : flows(plan, pick));
  parts.push(shares(plan));
  return parts;
}

const who = (plan: FleetPlan, i: number) =>
  (i < 0 ? 'nobody' : plan.lines[i]!.name);

// ---- movement --------------------------------------------------------------

function part(plan: FleetPlan): Map<string, Flow> {
  return new Map(plan.change!.flows.map((f) => [`${f.from} ${f.to}`, f]));
}

/** Rows give, columns take; what stays is on the diagonal. */
function matrix(plan: FleetPlan, pick: Pick): HTMLElement {
  const { lines } = plan;
  const all = Array.from(lines.keys());
  const rows = all.filter((i) => lines[i]!.before !== undefined);
  const columns = all.filter((i) => lines[i]!.after !== undefined);
  const parts = part(plan);
  const most = Math.max(...plan.change!.flows.map((f) => f.part));
  const cell = (from: number, to: number) => {
    if (from === to)
      return h('td', { class: 'stays number' }, percent(
        lines[from]!.before! - gives(plan, from)));
    const flow = parts.get(`${from} ${to}`);
    const td = h('td', { class: 'number', tabindex: flow ? '-1' : undefined,
      'data-from': from, 'data-to': to }, flow ? percent(flow.part) : '·');
    if (flow) {
      td.classList.add('gives');
      td.style.setProperty('--part', String(Math.sqrt(flow.part / most)));
    }
    return td;
  };
  const head = (i: number, scope: string) =>
    h('th', { scope }, name(lines[i]!.name, 21));
  const table = h('table', { class: 'plain matrix' },
    h('caption', {}, 'Who gives to whom: rows give, columns take, in parts ' +
      'of all keys. Arrow keys go from one to the next.'),
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'from ↓ to →'),
      ...columns.map((i) => head(i, 'col')),
      h('th', { scope: 'col', class: 'number' }, 'before'))),
    h('tbody', {}, ...rows.map((from) => h('tr', {}, head(from, 'row'),
      ...columns.map((to) => cell(from, to)),
      h('td', { class: 'number sum' }, percent(lines[from]!.before!))))),
    h('tfoot', {}, h('tr', {}, h('th', { scope: 'row' }, 'after'),
      ...columns.map((i) => h('td', { class: 'number sum' },
        percent(lines[i]!.after!))), h('td', {}))));
  return block(walkable(table, pick), plan);
}

const gives = (plan: FleetPlan, from: number) => plan.change!.flows
  .reduce((sum, f) => sum + (f.from === from ? f.part : 0), 0);

/** One tab stop; arrows go over the cells that give something. */
function walkable(table: HTMLElement, pick: Pick): HTMLElement {
  const cells = [...table.querySelectorAll<HTMLElement>('.gives')];
  const choose = (target: EventTarget | null) => {
    const cell = (target as HTMLElement | null)?.closest<HTMLElement>('.gives');
    if (cell) pick(Number(cell.dataset['from']), Number(cell.dataset['to']));
    else pick();
  };
  const focus = (cell: HTMLElement | undefined) => {
    if (!cell) return;
    for (const c of cells) c.tabIndex = c === cell ? 0 : -1;
    cell.focus();
  };
  if (cells[0]) cells[0].tabIndex = 0;
  table.addEventListener('pointerover', (event) => choose(event.target));
  table.addEventListener('pointerleave', () => pick());
  table.addEventListener('focusin', (event) => choose(event.target));
  table.addEventListener('focusout', () => pick());
  table.addEventListener('keydown', (event) => {
    const at = cells.indexOf(event.target as HTMLElement);
    if (at < 0) return;
    const column = (cell: HTMLElement) => (cell as HTMLTableCellElement)
      .cellIndex;
    const here = column(cells[at]!);
    const same = (list: HTMLElement[]) => list.find((c) =>
      column(c) === here);
    const next = { ArrowRight: () => cells[at + 1],
      ArrowLeft: () => cells[at - 1],
      ArrowDown: () => same(cells.slice(at + 1)),
      ArrowUp: () => same(cells.slice(0, at).reverse()),
      Home: () => cells[0], End: () => cells.at(-1) }[event.key];
    if (!next) return;
    event.preventDefault();
    focus(next());
  });
  return table;
}

/** The largest movements, for fleets that no matrix has room for. */
function flows(plan: FleetPlan, pick: Pick): HTMLElement {
  const list = [...plan.change!.flows].sort((a, b) => b.part - a.part);
  const rest = list.slice(FLOWS);
  const most = list[0]!.part;
  const bar = (f: Flow) => {
    const span = h('span', { class: 'bar', 'aria-hidden': 'true' });
    span.style.width = `${f.part / most * 56}px`;
    return span;
  };
  const table = h('table', { class: 'plain flows' },
    h('caption', {}, `Who gives to whom: the largest of ${
      plural(list.length, 'movement')}`),
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'From'),
      h('th', { scope: 'col' }, 'To'),
      h('th', { scope: 'col', class: 'number' }, 'Of all keys'))),
    h('tbody', {}, ...list.slice(0, FLOWS).map((f) => h('tr', {},
      h('th', { scope: 'row' }, name(who(plan, f.from), 24)),
      h('td', {}, name(who(plan, f.to), 24)),
      h('td', { class: 'number gives', tabindex: '-1', 'data-from': f.from,
        'data-to': f.to }, bar(f), percent(f.part)))),
    rest.length > 0 && h('tr', {}, h('td', { colspan: '2' },
      `and ${plural(rest.length, 'smaller one')}`),
    h('td', { class: 'number' },
      percent(rest.reduce((sum, f) => sum + f.part, 0))))));
  return block(walkable(table, pick), plan);
}

function block(table: HTMLElement, plan: FleetPlan): HTMLElement {
  return h('div', { class: 'movement' }, scroller('Who gives to whom', table),
    csv('Movement as CSV', 'movement.csv', () => [['from', 'to', 'part'],
      ...plan.change!.flows.map((f) => [who(plan, f.from), who(plan, f.to),
        f.part])]));
}

// ---- shares ----------------------------------------------------------------

const WIDTH = 180;

/** ○ before, ● after, and a line where the fair share is. */
function dumbbell(line: NodeLine, least: number, most: number): SVGElement {
  const x = (p: number) => (8 + (p - least) / (most - least || 1) *
    (WIDTH - 16)).toFixed(1);
  const { before, after, fair } = line;
  const parts = [svg('line', { class: 'fair', x1: x(fair), x2: x(fair),
    y1: 2, y2: 22 })];
  if (before !== undefined && after !== undefined)
    parts.push(svg('line', { class: 'way', x1: x(before), x2: x(after),
      y1: 12, y2: 12 }));
  if (before !== undefined)
    parts.push(svg('circle', { class: 'was', cx: x(before), cy: 12, r: 5 }));
  if (after !== undefined)
    parts.push(svg('circle', { class: 'is', cx: x(after), cy: 12, r: 5 }));
  return svg('svg', { class: 'dumbbell', viewBox: `0 0 ${WIDTH} 24`,
    width: WIDTH, height: 24, 'aria-hidden': 'true' }, ...parts);
}

function shares(plan: FleetPlan): HTMLElement {
  const { lines, change } = plan;
  const all = lines.flatMap((n) => [n.before ?? n.fair, n.after ?? n.fair,
    n.fair]);
  const least = all.reduce((a, b) => Math.min(a, b), 1);
  const most = all.reduce((a, b) => Math.max(a, b), 0);
  const show = (p: number | undefined) =>
    (p === undefined ? '–' : percent(p));
  const titles = change ? ['Before', 'After', 'Fair'] : ['Share', 'Fair'];
  return h('div', {}, scroller('Shares', h('table', { class: 'plain shares' },
    h('caption', {}, `Shares, ${plan.exact ? 'exact' : 'as the weights say'}: ` +
      `busiest ${times(plan.maxAvg)}, idlest ${times(plan.minAvg)} the fair ` +
      `share.${change ? ' ○ before, ● after, a line at the fair share.' : ''}` +
      (lines.length > LINES ? ` The first ${count(LINES)} nodes.` : '')),
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Node'),
      ...titles.map((text) => h('th', { scope: 'col', class: 'number' },
        text)), h('th', { scope: 'col', class: 'plot' },
        h('span', { class: 'hidden' }, 'Picture')))),
    h('tbody', {}, ...lines.slice(0, LINES).map((n) => h('tr', {},
      h('th', { scope: 'row' }, name(n.name, 28)),
      change && h('td', { class: 'number' }, show(n.before)),
      h('td', { class: 'number' }, show(n.after)),
      h('td', { class: 'number' }, percent(n.fair)),
      h('td', { class: 'plot' }, dumbbell(n, least, most))))))),
  csv('Shares as CSV', 'shares.csv', () => [['node', 'before', 'after',
    'fair'], ...lines.map((n) => [n.name, n.before ?? '', n.after ?? '',
    n.fair])]));
}

function csv(text: string, file: string,
             make: () => (string | number)[][]): HTMLElement {
  const word = (value: string | number) => (/[",\r\n]/.test(String(value))
    ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  return button(text, () => {
    const bytes = new Blob([make().map((row) => row.map(word).join() + '\n')
      .join('')], { type: 'text/csv' });
    const link = h('a', { href: URL.createObjectURL(bytes), download: file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }, { class: 'csv' });
}
