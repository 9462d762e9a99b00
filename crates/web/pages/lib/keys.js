// @ts-check
// Keyboard shortcuts and the dialog that lists them. They are ignored in text fields, while a
// dialog is open, and if another handler used the key.

import { h } from './dom.js';

/**
 * @typedef {object} Key
 * @property {string[]} keys values of `KeyboardEvent.key`, such as "Alt+ArrowLeft" with Alt
 * @property {string} shown in the dialog
 * @property {string} does
 * @property {() => void} [run] missing for keys with their own handlers
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

/** Whether Space activates the target. @param {EventTarget | null} target */
function isPressable(target) {
  return target instanceof Element && target.closest('button, a, summary, input') !== null;
}

/** Opens the dialog with all shortcuts. */
export function openKeySheet() {
  const rows = known.flatMap(({ shown, does }) => [
    h(
      'div',
      null,
      shown.split(' ').map((key) => h('kbd', null, key)),
    ),
    h('div', null, does),
  ]);
  openDialog('Keyboard shortcuts', h('div', { class: 'keys' }, rows, h('div', null, h('kbd', null, '?')), h('div', null, 'show this list')));
}

/**
 * Opens a dialog with a title and a close button. Closing removes it.
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
