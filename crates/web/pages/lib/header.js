// @ts-check
// The header of every page with navigation and keyboard help; toasts, and copying to the clipboard.

import { fill, h, svg } from './dom.js';
import { openKeySheet } from './keys.js';

const PAGES = [
  ['/', 'Games'],
  ['/gems', 'Gem Island'],
  ['/lab', 'Lab'],
  ['/library', 'Library'],
  ['/scores', 'Scores'],
];

/** Fills the page's header, or inserts one. @param {string} [current] the address of the current page */
export function header(current = location.pathname) {
  const links = PAGES.map(([address, label]) =>
    h('a', { href: address, 'aria-current': address === current ? 'page' : null }, label),
  );
  const keys = h(
    'button',
    { class: 'quiet', type: 'button', 'aria-label': 'Keyboard shortcuts', title: 'Keyboard shortcuts (?)', onclick: openKeySheet },
    '?',
  );
  const element = document.querySelector('header.site') ?? h('header', { class: 'site' });
  fill(
    element,
    h('a', { class: 'skip', href: '#main' }, 'Skip to content'),
    h('a', { class: 'name', href: '/' }, logo(), 'Tesuji'),
    h('nav', { 'aria-label': 'Pages' }, links),
    h('div', { class: 'end' }, keys),
  );
  if (!element.isConnected) document.body.prepend(element);
  return element;
}

function logo() {
  return svg(
    'svg',
    { viewBox: '0 0 32 32', 'aria-hidden': 'true' },
    svg('rect', { width: 32, height: 32, rx: 7, fill: '#e0ba76' }),
    svg('path', { d: 'M4 16h24M16 4v24', stroke: '#4a3414', 'stroke-width': 1.5 }),
    svg('circle', { cx: 16, cy: 16, r: 9.5, fill: '#17171b' }),
  );
}

/** @type {HTMLElement | null} */
let shown = null;
let hiding = 0;

/** Shows a short message at the bottom of the page. @param {string} message @returns {() => void} removes it */
export function toast(message) {
  shown?.remove();
  const element = h('div', { class: 'toast', role: 'status' }, message);
  shown = element;
  document.body.append(element);
  clearTimeout(hiding);
  hiding = window.setTimeout(() => element.remove(), 3500);
  return () => element.remove();
}

/** Copies a text to the clipboard. @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast('Copied.');
  } catch {
    toast('The browser blocked copying. Select the text and copy it.');
  }
}
