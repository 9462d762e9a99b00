// @ts-check
// The page of a tournament or match: live ratings with error bars and the cross table.

import { get } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { ago } from '../library/format.js';
import { ratingChart } from './curves.js';
import { poll, stateMark } from './types.js';

/** @typedef {import('./types.js').EventCard} EventCard */
/** @typedef {import('./types.js').RatingRow} RatingRow */
/** @typedef {import('./types.js').CrossRow} CrossRow */
/** @typedef {import('./types.js').WinDrawLoss} WinDrawLoss */
/** @typedef {EventCard & {config: string | null, cut: boolean, cross: {rows: CrossRow[]} | null, ratings: {rows: RatingRow[], first_move_elo: number, draw_rate: number} | null}} Event */

/** @param {HTMLElement} main @param {string} id */
export function showTournament(main, id) {
  let drawn = '';
  poll(async () => {
    /** @type {Event} */
    let event;
    try {
      event = await get(`/api/lab/tournaments/${encodeURIComponent(id)}`);
    } catch (problem) {
      if (!drawn) fill(main, back(), h('p', { class: 'problem' }, /** @type {Error} */ (problem).message));
      return false;
    }
    const said = JSON.stringify(event);
    if (said !== drawn) {
      drawn = said;
      const open = main.querySelector('details')?.open ?? false;
      fill(main, ...whole(event, open));
    }
    return event.state === 'running';
  });
}

function back() {
  return h('p', { class: 'small' }, h('a', { href: '/lab' }, '‹ Lab'));
}

/** @param {Event} event @param {boolean} open whether its settings are open */
function whole(event, open) {
  const { name } = event;
  document.title = `${name} – Tesuji`;
  const { ratings, cross } = event;
  const count = `${event.games.toLocaleString('en')} games${event.cut ? ' counted so far' : ''}`;
  return [
    back(),
    h('header', { class: 'lead' }, h('div', { class: 'card-head' }, h('h1', null, name), stateMark(event.state)),
      h('p', { class: 'muted' }, `${event.game} · ${event.players} players · ${count} · ${ago(event.updated_at)}`)),
    h('p', { class: 'row' }, h('a', { class: 'button', href: `/library?${new URLSearchParams({ event: event.id })}` }, 'Games in the library')),
    ratings && ratings.rows.length ? h('section', { class: 'stack' }, h('h2', null, 'Ratings'),
      h('div', { class: 'card' }, ratingChart(ratings.rows)), ratingTable(ratings.rows),
      h('p', { class: 'small muted' }, `Bars are 95 % intervals; an open end is unbounded. The first move is worth ${Math.round(ratings.first_move_elo)} Elo.`)) : h('p', { class: 'empty card' }, 'No games yet.'),
    cross && cross.rows.length ? h('section', { class: 'stack' }, h('h2', null, 'Cross table'), crossTable(cross.rows)) : null,
    event.config ? h('details', { class: 'card', open }, h('summary', null, 'Settings'), h('pre', { class: 'output' }, event.config)) : null,
  ].filter((part) => part !== null);
}

/** @param {RatingRow[]} rows */
function ratingTable(rows) {
  const number = (/** @type {number | null} */ value, /** @type {string} */ none = '–') => (value === null ? none : String(Math.round(value)).replace('-', '−'));
  return h('div', { class: 'scroll-x' }, h('table', { id: 'ratings' },
    h('thead', null, h('tr', null, ['', 'Player', 'Elo', 'low', 'high', 'Games', 'Score', 'LOS vs. next'].map((title, i) => h('th', { scope: 'col', class: i > 1 ? 'number' : null }, title)))),
    h('tbody', null, rows.map((row, i) => h('tr', { 'data-player': row.name },
      h('td', null, i + 1), h('th', { scope: 'row', class: 'player' }, row.name),
      [number(row.elo), number(row.low, '?'), number(row.high, '?'), row.games, row.score === null ? '–' : `${(100 * row.score).toFixed(0)} %`, row.superiority === null ? '' : `${(100 * row.superiority).toFixed(0)} %`]
        .map((text) => h('td', { class: 'number' }, text)))))));
}

/** @param {CrossRow[]} rows */
function crossTable(rows) {
  const heads = rows.map(({ name }, i) => h('th', { scope: 'col', class: 'number', title: name, 'aria-label': name }, i + 1));
  const body = rows.map((row, i) => h('tr', null, h('td', null, i + 1), h('th', { scope: 'row', class: 'player' }, row.name),
    row.against.map((counts) => crossCell(counts)), h('td', { class: 'number' }, cellText(row.total))));
  return h('div', { class: 'scroll-x' }, h('table', { id: 'cross', class: 'cross' },
    h('thead', null, h('tr', null, h('td', null), h('th', { scope: 'col' }, 'Wins–draws–losses against'), heads, h('th', { scope: 'col', class: 'number' }, 'all'))), h('tbody', null, body)));
}

/** @param {WinDrawLoss | null} counts */
function crossCell(counts) {
  if (!counts) return h('td', { class: 'number muted' }, '·');
  const games = counts.wins + counts.draws + counts.losses;
  const share = (counts.wins + counts.draws / 2) / (games || 1);
  const cell = h('td', { class: `number ${share >= 0.5 ? 'good' : 'bad'}` }, cellText(counts));
  cell.style.setProperty('--tint', `${Math.round(70 * Math.abs(share - 0.5))}%`);
  return cell;
}

/** @param {WinDrawLoss} counts */
function cellText({ wins, draws, losses }) {
  return `${wins}–${draws}–${losses}`;
}
