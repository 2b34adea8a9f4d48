// SPDX-License-Identifier: Apache-2.0
// The nodes as a table: every one a button. It is the control; the ring is
// its picture. One tab stop, arrow keys inside.
import { count, h, letter, percent, shorten, swatch } from './dom.js';

export interface Row {
  name: string;
  out: boolean;
  share: number;
  keys: number;
  /** Change of the count since before; 0 for none. */
  gained: number;
}

interface Line {
  row: HTMLTableRowElement;
  button: HTMLButtonElement;
  deed: HTMLElement;
  share: HTMLElement;
  bar: HTMLElement;
  keys: HTMLElement;
  name: string;
  /** What it shows: rows that stay as they are cost no layout. */
  shown: string;
}

export class FleetTable {
  readonly element: HTMLElement;
  ontoggle: (node: number) => void = () => undefined;
  onpin: (node: number) => void = () => undefined;

  private readonly body = h('tbody', { role: 'rowgroup' });
  private readonly find = h('input', { type: 'search',
    'aria-label': 'Find a node', placeholder: 'Find a node',
    oninput: () => this.filter() });
  private readonly search = h('div', { class: 'find' }, this.find);
  private lines: Line[] = [];
  private current = 0;

  constructor(caption: string) {
    const table = h('table', { class: 'fleet', role: 'table' },
      h('caption', { class: 'hidden' }, caption),
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' },
        ...['Node', 'Share, exact', 'Keys'].map((text, i) => h('th',
          { scope: 'col', role: 'columnheader',
            class: i ? 'number' : undefined }, text)))), this.body);
    this.element = h('div', { class: 'fleet-box' }, this.search,
      h('div', { class: 'scroll' }, table));
    this.body.addEventListener('keydown', (event) => this.key(event));
    this.body.addEventListener('focusin', (event) => {
      const i = this.lines.findIndex((l) => l.button === event.target);
      if (i >= 0) this.setCurrent(i);
      this.onpin(i);
    });
    this.body.addEventListener('focusout', () => this.onpin(-1));
    this.body.addEventListener('pointerleave', () => this.onpin(-1));
  }

  /** Rows in place where the names are the same: focus stays. */
  show(rows: readonly Row[]): void {
    const most = Math.max(...rows.map((r) => r.share), 1e-9);
    while (this.lines.length > rows.length) this.lines.pop()!.row.remove();
    rows.forEach((row, i) => {
      if (this.lines[i]?.name !== row.name) this.replace(i, row.name);
      this.fill(this.lines[i]!, row, most);
    });
    this.search.hidden = rows.length <= 12;
    this.element.classList.toggle('many', rows.length > 12);
    if (this.current >= rows.length) this.setCurrent(0);
    else this.lines[this.current]?.button.setAttribute('tabindex', '0');
    this.filter();
  }

  private replace(i: number, name: string): void {
    const deed = h('span', { class: 'hidden' });
    const button = h('button', { type: 'button', class: 'chip',
      tabindex: '-1', 'data-node': name },
    swatch(i, name.length === 1 ? name : letter(i)),
    h('bdi', { title: name }, shorten(name)), deed);
    const share = h('span');
    const bar = h('span', { class: 'bar', 'aria-hidden': 'true' });
    const keys = h('td', { class: 'number keys', role: 'cell' });
    // roles, since a long table is laid out as boxes: only those in sight
    const row = h('tr', { role: 'row' },
      h('th', { scope: 'row', role: 'rowheader' }, button),
      h('td', { class: 'number', role: 'cell' }, bar, share), keys);
    const line = { row, button, deed, share, bar, keys, name, shown: '' };
    button.addEventListener('click', () =>
      this.ontoggle(this.lines.indexOf(line)));
    row.addEventListener('pointerenter', () =>
      this.onpin(this.lines.indexOf(line)));
    const old = this.lines[i];
    if (old) old.row.replaceWith(row);
    else this.body.append(row);
    this.lines[i] = line;
  }

  private fill(line: Line, row: Row, most: number): void {
    const shown = `${row.out} ${row.share} ${row.share / most} ${row.keys} ${
      row.gained}`;
    if (line.shown === shown) return;
    line.shown = shown;
    line.row.classList.toggle('out', row.out);
    const deed = row.out ? 'restore' : 'remove';
    line.deed.textContent = `: ${deed}`;
    line.button.title = `${row.name}: click to ${deed}`;
    line.share.textContent = row.out ? 'removed' : percent(row.share);
    line.bar.style.width = `${(row.share / most * 56).toFixed(1)}px`;
    line.keys.replaceChildren(count(row.keys));
    line.keys.classList.toggle('changed', row.gained !== 0);
    if (row.gained !== 0)
      line.keys.prepend(h('span', { class: 'gained' },
        `${row.gained > 0 ? '+' : '−'}${count(Math.abs(row.gained))} `));
  }

  private setCurrent(i: number): void {
    this.lines[this.current]?.button.setAttribute('tabindex', '-1');
    this.current = i;
    this.lines[i]?.button.setAttribute('tabindex', '0');
  }

  private key(event: KeyboardEvent): void {
    const seen = this.lines.map((l, i) => (l.row.hidden ? -1 : i))
      .filter((i) => i >= 0);
    const at = seen.indexOf(this.current);
    const steps: Record<string, number> = { ArrowDown: at + 1,
      ArrowUp: at - 1, Home: 0, End: seen.length - 1, PageDown: at + 10,
      PageUp: at - 10 };
    if (event.key === 'Delete') {
      event.preventDefault();
      this.ontoggle(this.current);
      return;
    }
    const to = steps[event.key];
    if (to === undefined || seen.length === 0) return;
    event.preventDefault();
    const next = seen[Math.min(seen.length - 1, Math.max(0, to))]!;
    this.setCurrent(next);
    this.lines[next]!.button.focus();
  }

  private filter(): void {
    const text = this.search.hidden ? '' : this.find.value.toLowerCase();
    for (const line of this.lines)
      line.row.hidden = !line.name.toLowerCase().includes(text);
  }
}
