// SPDX-License-Identifier: Apache-2.0
// Elements, numbers as people read them, and colours.
import { media } from './time.js';

type Child = Node | string | number | undefined | false;
type Props = Record<string, unknown>;

/** An element; text is always text, never markup. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on'))
      element.addEventListener(name.slice(2), value as EventListener);
    else if (name === 'class') element.className = String(value);
    else if (name === 'value' || name === 'checked')
      (element as unknown as Props)[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((c): c is Node | string | number =>
    c !== undefined && c !== false).map((c) =>
    typeof c === 'number' ? String(c) : c));
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

export function svg(tag: string, props: Props = {},
                    ...children: Node[]): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props))
    element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** SVG text. */
export function label(text: string, props: Props): SVGElement {
  const element = svg('text', props);
  element.textContent = text;
  return element;
}

let names = 0;
export const newId = (what: string) => `${what}-${++names}`;

/** A labelled control. */
export function field(text: string, control: HTMLElement,
                      ...more: Child[]): HTMLElement {
  control.id ||= newId('c');
  return h('div', { class: 'field' },
    h('label', { for: control.id }, text),
    h('span', { class: 'control' }, control, ...more));
}

export function select(options: readonly (readonly [string, string])[],
                       value: string, changed: (value: string) => void) {
  const element = h('select', {
    onchange: () => changed(element.value),
  }, ...options.map(([v, text]) => h('option', { value: v }, text)));
  element.value = value;
  return element;
}

export function button(text: string, act: () => void, props: Props = {}) {
  return h('button', { type: 'button', onclick: act, ...props }, text);
}

const THIN = '\u202f';

/** A part of the whole in per cent: never 0 for what is not. */
export function percent(part: number): string {
  const p = part * 100;
  if (p === 0) return `0${THIN}%`;
  if (p < 0.005) return `<${THIN}0.01${THIN}%`;
  if (p > 99.95 && p < 100) return `>${THIN}99.9${THIN}%`;
  return `${p < 9.995 ? p.toFixed(2) : p.toFixed(p === 100 ? 0 : 1)}` +
    `${THIN}%`;
}

/** Digits in groups of three. */
export function count(n: number | bigint): string {
  return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
}

export const times = (x: number) => `${x.toFixed(2)}${THIN}×`;

export const plural = (n: number, one: string, many = `${one}s`) =>
  `${count(n)} ${n === 1 ? one : many}`;

/** A long name with its middle left out. */
export function shorten(name: string, room = 22): string {
  const letters = Array.from(name);
  if (letters.length <= room) return name;
  const tail = Math.floor((room - 1) / 2);
  return letters.slice(0, room - 1 - tail).join('') + '…' +
    letters.slice(-tail).join('');
}

/** A name inside a sentence, whatever its direction. */
export const name = (text: string, room?: number) =>
  h('bdi', { class: 'name', title: text }, shorten(text, room));

export interface Look {
  dark: boolean;
  ground: string;
  ink: string;
  mute: string;
  rule: string;
  steps: string[];
  hues: string[];
  font: string;
}

const systemDark = media('(prefers-color-scheme: dark)');
const forced = media('(forced-colors: active)');
const listeners = new Set<() => void>();

export function isDark(): boolean {
  const asked = document.documentElement.dataset['theme'];
  return asked ? asked === 'dark' : systemDark?.matches === true;
}

/** What the canvas draws with, read from the style sheet. */
export function look(): Look {
  const style = getComputedStyle(document.documentElement);
  const of = (variable: string) => style.getPropertyValue(variable).trim();
  const dark = isDark();
  return { dark, ground: of('--ground'), ink: of('--ink'), mute: of('--mute'),
    rule: of('--rule'), steps: [of('--step-1'), of('--step-2'),
      of('--step-3')], hues: Array.from({ length: 8 }, (_, i) => of(`--hue-${i}`)),
    font: getComputedStyle(document.body).fontFamily };
}

export const onLook = (listener: () => void) => {
  listeners.add(listener);
};
export const lookChanged = () => listeners.forEach((listener) => listener());
systemDark?.addEventListener('change', lookChanged);
forced?.addEventListener('change', lookChanged);

/** A node's mark beside its name: colour, and letter. */
export function swatch(i: number, text: string): HTMLElement {
  const mark = h('span', { class: 'swatch', 'aria-hidden': 'true' }, text);
  mark.dataset['hue'] = i < 12 ? String(i % 8) : 'none';
  if (i >= 8) mark.classList.add('hatched');
  return mark;
}

export const letter = (i: number) =>
  i < 26 ? String.fromCharCode(65 + i) : String(i + 1);

/** A table that may be wider than its place: it scrolls, by keys too. */
export const scroller = (text: string, table: HTMLElement) =>
  h('div', { class: 'scroll', tabindex: '0', role: 'group',
    'aria-label': text }, table);

/** The frame of a figure. */
export interface Figure {
  root: HTMLElement;
  picture: HTMLElement;
  side: HTMLElement;
  controls: HTMLElement;
  result: HTMLElement;
  /** Say what came of it, once, when it has. */
  say(...text: Child[]): void;
}

export function figure(id: string, title: string, caption: string): Figure {
  const root = document.getElementById(id)!;
  const picture = h('div', { class: 'picture' });
  const controls = h('div', { class: 'controls' });
  const result = h('p', { class: 'result', role: 'status' });
  const side = h('div', { class: 'side' });
  const head = h(root.classList.contains('first') ? 'h2' : 'h3',
    { id: `${id}-title`, class: 'title' }, title);
  root.setAttribute('aria-labelledby', head.id);
  root.append(h('figcaption', {}, head, h('p', { id: `${id}-caption` },
    caption)), h('div', { class: 'body' }, picture,
    h('div', { class: 'desk' }, result, controls, side)));
  return { root, picture, side, controls, result,
    say: (...text) => result.replaceChildren(...text
      .filter((c): c is Node | string | number => c !== undefined &&
        c !== false).map((c) => (c instanceof Node ? c : String(c)))) };
}
