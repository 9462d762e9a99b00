// @ts-check
// The position as text, and import and export.

import { h } from '../lib/dom.js';
import { copyText } from '../lib/header.js';

/** @import { Session } from './state.js' */

const files = () => import('./files.js');

/** @param {Session} session @param {HTMLElement} host */
export function createExchange(session, host) {
  const code = h('input', {
    id: 'position-code',
    class: 'code grow',
    readonly: true,
    'aria-label': 'Position as text',
    onfocus: () => code.select(),
  });
  const copy = h('button', { type: 'button', onclick: () => copyText(code.value) }, 'Copy');
  const exports = h(
    'button',
    { id: 'export', type: 'button', onclick: () => files().then(({ openExport }) => openExport(session.state)) },
    'Export…',
  );
  const imports = h(
    'button',
    { id: 'import', type: 'button', onclick: () => files().then(({ openImport }) => openImport(session)) },
    'Import…',
  );
  host.append(
    h(
      'section',
      { class: 'stack', 'aria-label': 'Position and files' },
      h('div', { class: 'row nowrap' }, code, copy),
      h('div', { class: 'row' }, exports, imports),
    ),
  );
  session.subscribe(({ snapshot }) => (code.value = snapshot.position));
}
