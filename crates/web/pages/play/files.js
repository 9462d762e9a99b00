// @ts-check
// The dialogs for import and export. Loaded on demand.

import { fill, h } from '../lib/dom.js';
import { post } from '../lib/api.js';
import { copyText, toast } from '../lib/header.js';
import { openDialog } from '../lib/keys.js';
import { outcomeText } from '../lib/format.js';
import { PERSON, newSeed } from './state.js';

/** @import { Session, SessionState } from './state.js' */
/** @import { ImportedGame } from '../lib/api.js' */

/** The formats, with their games if limited. @type {[string, string, string[]?][]} */
const FORMATS = [
  ['moves', 'Moves as text'],
  ['sgf', 'SGF'],
  ['psq', 'PSQ (Piskvork)', ['gomoku', 'mnk']],
  ['pgn', 'PGN', ['chess']],
  ['svg', 'Picture (SVG)'],
];
const IMPORT_MOST = 1024 * 1024;

/** @param {number} n @param {string} one @param {string} many */
const counted = (n, one, many) => `${n} ${n === 1 ? one : many}`;

/** @param {SessionState} state */
export function openExport(state) {
  const fitting = FORMATS.filter(([, , games]) => !games || games.includes(state.info.name));
  const format = h(
    'select',
    { 'aria-label': 'Format', onchange: () => make() },
    fitting.map(([value, label]) => h('option', { value }, label)),
  );
  const text = h('textarea', { rows: 9, readonly: true, 'aria-label': 'Game as text' });
  const said = h('p', { class: 'muted small', role: 'status' });
  const save = h('a', { class: 'button primary' }, 'Save');
  const copy = h('button', { type: 'button', onclick: () => copyText(text.value) }, 'Copy');
  openDialog('Export', h('div', { class: 'stack' }, format, text, said, h('div', { class: 'row' }, save, copy)));

  async function make() {
    said.textContent = '';
    text.value = '';
    try {
      const { players, game, line, snapshot } = state;
      // Files contain the whole game, pictures the current position.
      const moves = format.value === 'svg' ? snapshot.position : line.position;
      const file = await post('/api/export', {
        game,
        moves,
        format: format.value,
        first: players.first,
        second: players.second,
      });
      text.value = file.text;
      save.setAttribute('href', URL.createObjectURL(new Blob([file.text], { type: file.type })));
      save.setAttribute('download', file.name);
    } catch (problem) {
      save.removeAttribute('href');
      said.textContent = /** @type {Error} */ (problem).message;
    }
  }
  make();
}

/** @param {Session} session */
export function openImport(session) {
  const text = h('textarea', {
    rows: 8,
    'aria-label': 'Game as text',
    placeholder: 'Paste SGF, PSQ, PGN or a list of moves',
    spellcheck: 'false',
  });
  const file = h('input', { type: 'file', 'aria-label': 'File', onchange: read });
  const said = h('p', { class: 'small', role: 'status' });
  const found = h('ul', { class: 'found' });
  const load = h('button', { class: 'primary', type: 'button', onclick: send }, 'Import');
  const dialog = openDialog('Import', h('div', { class: 'stack' }, text, file, h('div', { class: 'row' }, load), said, found));
  text.focus();

  async function read() {
    const chosen = file.files?.[0];
    if (!chosen) return;
    if (chosen.size > IMPORT_MOST) return void (said.textContent = 'The file is larger than 1 MiB.');
    text.value = await chosen.text();
  }

  async function send() {
    fill(found);
    said.textContent = '';
    try {
      const { games, left_out: leftOut, why, variations, more } = await post('/api/import', {
        text: text.value,
        game: session.state.game,
      });
      const other = variations ? `Only main lines are read; ${counted(variations, 'variation was', 'variations were')} ignored.` : '';
      if (games.length === 1 && !leftOut) return open(games[0], other);
      const words = [games.length ? `${games.length} games.` : 'No game found.'];
      if (more) words.push('The text contains more games than can be read.');
      if (leftOut) words.push(`${leftOut} unreadable${why ? `: ${why}` : ''}.`);
      if (other) words.push(other);
      said.textContent = words.join(' ');
      fill(found, games.map(listItem));
    } catch (problem) {
      said.textContent = /** @type {Error} */ (problem).message;
    }
  }

  /** @param {ImportedGame} game @param {number} i */
  function listItem(game, i) {
    const result = game.outcome ? outcomeText(game.outcome, ['First', 'Second']) : 'unfinished';
    return h(
      'li',
      null,
      h(
        'button',
        { type: 'button', onclick: () => open(game) },
        `${i + 1}. ${game.first || '?'} – ${game.second || '?'}: ${result}`,
      ),
    );
  }

  /** Opens an imported game for two people, so that no computer moves. @param {ImportedGame} game @param {string} [more] */
  function open(game, more = '') {
    dialog.close();
    session.go({
      game: game.game,
      moves: game.moves,
      line: null,
      players: { first: PERSON, second: PERSON },
      paused: true,
      seed: newSeed(),
    });
    toast(`Game imported. Step through it with the arrow keys. ${more}`.trim());
  }
}
