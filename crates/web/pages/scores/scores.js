// @ts-check
// High scores of Gem Island, and the results of the computer against people in all other games.

import { get } from '../lib/api.js';
import { byId, fill, h } from '../lib/dom.js';
import { header } from '../lib/header.js';

/** @typedef {{rank: number, nickname: string, score: number, moves: number, won: boolean, helped: boolean, at: number}} ScoreRow */
/** @typedef {{game: string, title?: string, player: string, wins: number, ties: number, losses: number}} ResultRow */

const LEVELS = [1, 2, 3];
const who = /** @type {HTMLSelectElement} */ (byId('who'));
const asked = new URLSearchParams(location.search);
let level = LEVELS.includes(Number(asked.get('level'))) ? Number(asked.get('level')) : 1;
let request = 0;

header('/scores');
if ([...who.options].some(({ value }) => value === asked.get('who'))) who.value = String(asked.get('who'));
who.addEventListener('change', showScores);
for (const n of LEVELS) {
  byId(`level-${n}`).addEventListener('click', () => choose(n));
  byId(`level-${n}`).addEventListener('keydown', onKey);
}
showScores();
showStatistics();

/** @param {number} next */
function choose(next) {
  level = next;
  showScores();
}

/** Moves between tabs with arrow keys. @param {KeyboardEvent} event */
function onKey(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const next = LEVELS[LEVELS.indexOf(level) + (step ?? 0)];
  if (!step || !next) return;
  event.preventDefault();
  choose(next);
  byId(`level-${next}`).focus();
}

async function showScores() {
  const mine = ++request;
  for (const n of LEVELS) {
    byId(`level-${n}`).setAttribute('aria-selected', String(n === level));
    byId(`level-${n}`).setAttribute('tabindex', n === level ? '0' : '-1');
  }
  byId('scores').setAttribute('aria-labelledby', `level-${level}`);
  history.replaceState(null, '', `/scores?level=${level}${who.value === 'all' ? '' : `&who=${who.value}`}`);
  try {
    const { rows } = await get('/api/scores', { level, who: who.value });
    if (mine === request) fill(byId('scores'), rows.length ? scoreTable(rows) : noScores());
  } catch (problem) {
    if (mine === request) fill(byId('scores'), errorText(problem));
  }
}

/** @param {ScoreRow[]} rows */
function scoreTable(rows) {
  const line = (/** @type {ScoreRow} */ { rank, nickname, score, moves, won, helped, at }) => h('tr', null,
    h('td', { class: 'number' }, h('span', { class: rank <= 3 ? `place place-${rank}` : 'place' }, rank)),
    h('td', { class: 'nickname' }, nickname, helped && h('span', { class: 'badge', title: 'The computer gave a hint or played' }, 'with help')),
    h('td', { class: 'number strong' }, score.toLocaleString('en')),
    h('td', { class: 'number' }, moves),
    h('td', null, won ? 'won' : h('span', { class: 'muted' }, 'lost')),
    h('td', { class: 'muted date' }, day(at)));
  const head = (/** @type {string} */ label, /** @type {string} */ kind = '') => h('th', { class: kind || null, scope: 'col' }, label);
  return h('table', { class: 'high-scores' },
    h('thead', null, h('tr', null, head('Rank', 'number'), head('Nickname'), head('Score', 'number'), head('Moves', 'number'), head('Result'), head('Date', 'date'))),
    h('tbody', null, rows.map(line)));
}

function noScores() {
  return h('p', { class: 'empty' }, 'No scores yet. ', h('a', { href: `/gems?level=${level}` }, `Play level ${level}`), '.');
}

/** @param {number} seconds since 1970 */
function day(seconds) {
  return seconds ? new Date(1000 * seconds).toLocaleDateString('en', { year: 'numeric', month: 'short', day: 'numeric' }) : '';
}

async function showStatistics() {
  try {
    const [{ rows }, { games }] = await Promise.all([get('/api/statistics'), get('/api/games').catch(() => ({ games: [] }))]);
    const titles = new Map(games.map((/** @type {{name: string, title: string}} */ { name, title }) => [name, title]));
    fill(byId('statistics'), rows.length ? statistics(rows, titles) : h('p', { class: 'empty' }, 'No games against the computer are recorded yet. ', h('a', { href: '/' }, 'Play one'), '.'));
  } catch (problem) {
    fill(byId('statistics'), errorText(problem));
  }
}

/** @param {ResultRow[]} rows @param {Map<string, string>} titles of the games */
function statistics(rows, titles) {
  const sum = (/** @type {(row: ResultRow) => number} */ of) => rows.reduce((total, row) => total + of(row), 0);
  const [wins, ties, losses] = [sum((row) => row.wins), sum((row) => row.ties), sum((row) => row.losses)];
  const games = wins + ties + losses;
  const line = (/** @type {ResultRow} */ row) => h('tr', null,
    h('td', null, h('a', { href: `/play/${encodeURI(row.game)}` }, row.title ?? titles.get(row.game) ?? row.game), h('div', { class: 'muted small code' }, row.player)),
    h('td', { class: 'number' }, row.wins), h('td', { class: 'number' }, row.ties), h('td', { class: 'number' }, row.losses),
    h('td', { class: 'share-cell' }, shares(row)));
  return h('div', { class: 'stack' },
    h('p', { class: 'muted' }, `The computer won ${wins} of ${games} ${games === 1 ? 'game' : 'games'}, drew ${ties} and lost ${losses}.`),
    h('div', { class: 'scroll-x' }, h('table', { class: 'against-people' },
      h('thead', null, h('tr', null, ...['Game and player', 'Wins', 'Draws', 'Losses', 'Share'].map((label, n) => h('th', { scope: 'col', class: n === 4 ? 'share-cell' : n > 0 ? 'number' : null }, label)))),
      h('tbody', null, rows.map(line)))));
}

/** Wins, draws and losses as one bar. @param {ResultRow} row */
function shares({ wins, ties, losses }) {
  const total = wins + ties + losses;
  const part = (/** @type {number} */ count, /** @type {string} */ kind) => {
    const element = h('span', { class: kind });
    element.style.setProperty('flex-grow', String(count));
    return element;
  };
  const label = `${wins} won, ${ties} drawn, ${losses} lost of ${total}`;
  return h('div', { class: 'shares', role: 'img', 'aria-label': label, title: label }, wins > 0 && part(wins, 'won'), ties > 0 && part(ties, 'tied'), losses > 0 && part(losses, 'lost'));
}

/** @param {unknown} problem */
function errorText(problem) {
  return h('p', { class: 'problem' }, /** @type {Error} */ (problem).message);
}
