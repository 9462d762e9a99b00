// @ts-check
// Keys of a page and the sheet that lists them. Keys are ignored while something is being typed, while a
// dialog is open, and where a part of the page has already used them.

import { h } from './dom.js';

/**
 * @typedef {object} Key
 * @property {string[]} keys as `KeyboardEvent.key` says them; "Alt+ArrowLeft" with Alt
 * @property {string} shown on the sheet
 * @property {string} does
 * @property {() => void} [run] left out for keys that a part of the page handles itself
 */

/** @type {Key[]} */
let known = [];
let listening = false;

/** Adds keys to the page. @param {Key[]} keys */
export function addKeys(keys) {
  known = [...known, ...keys];
  if (listening) return;
  listening = true;
  document.addEventListener('keydown', onKey);
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
  if (document.querySelector('dialog[open]')) return;
  if (event.key === '?') return openKeySheet();
  const pressed = event.altKey ? `Alt+${event.key}` : event.key;
  const found = known.find((key) => key.run && key.keys.includes(pressed));
  if (!found || (pressed === ' ' && isPressable(event.target))) return;
  event.preventDefault();
  found.run?.();
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return (
    target instanceof Element &&
    target.closest('input:not([type="checkbox"], [type="radio"]), select, textarea, [contenteditable]') !== null
  );
}

/** Whether Space means "press this". @param {EventTarget | null} target */
function isPressable(target) {
  return target instanceof Element && target.closest('button, a, summary, input') !== null;
}

/** Shows every key of the page. */
export function openKeySheet() {
  const rows = known.flatMap(({ shown, does }) => [
    h(
      'div',
      null,
      shown.split(' ').map((key) => h('kbd', null, key)),
    ),
    h('div', null, does),
  ]);
  openDialog('Keys', h('div', { class: 'keys' }, rows, h('div', null, h('kbd', null, '?')), h('div', null, 'this sheet')));
}

/**
 * A dialog with a title and a way out. It is gone when closed.
 * @param {string} title
 * @param {...(Node | string)} content
 */
export function openDialog(title, ...content) {
  const close = h('button', { class: 'quiet', type: 'button', 'aria-label': 'Close', onclick: () => dialog.close() }, '✕');
  const dialog = h(
    'dialog',
    { 'aria-label': title, onclose: () => dialog.remove() },
    h('div', { class: 'title' }, h('h2', null, title), close),
    ...content,
  );
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
