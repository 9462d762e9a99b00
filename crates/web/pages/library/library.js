// @ts-check
// The library: recorded games with filters, and a board to replay one. The address contains the
// state, so that reload, back and links work.

import { get } from '../lib/api.js';
import { byId, clear, fill, h } from '../lib/dom.js';
import { header, toast } from '../lib/header.js';
import { addKeys } from '../lib/keys.js';
import { createReplay } from './replay.js';
import { ago, endingText, eventName, playerName, resultText } from './format.js';

/** @typedef {import('../lib/api.js').Outcome} Outcome */
/**
 * @typedef {object} GameRow A game of the list.
 * @property {string} key
 * @property {string} game
 * @property {[string, string]} players
 * @property {Outcome} outcome
 * @property {string} ending
 * @property {number | null} plies
 * @property {string} moves
 * @property {number} played_at
 * @property {string} event
 */
/** @typedef {{place: string | null, count: number, games: Record<string, number>, events: Record<string, number>}} Info */

const FILTERS = ['game', 'player', 'result', 'event', 'opening'];
/** The delay of a search after typing, in milliseconds. */
const PAUSE = 300;

header('/library');
const place = byId('replay');
/** @type {ReturnType<typeof createReplay> | null} */
let replay = null;
/** @type {Map<string, string>} */
let titles = new Map();
/** @type {string | null} */
let next = null;
let latest = 0;
let waiting = 0;

begin();

async function begin() {
  fill(place, h('p', { class: 'empty' }, 'Choose a game to replay it.'));
  addKeys([
    { keys: ['ArrowLeft'], shown: '←', does: 'one move back', run: () => replay?.step(-1) },
    { keys: ['ArrowRight'], shown: '→', does: 'one move forward', run: () => replay?.step(1) },
    { keys: ['p'], shown: 'p', does: 'play or pause', run: () => replay?.toggle() },
  ]);
  byId('more').addEventListener('click', () => load(true));
  window.addEventListener('popstate', () => location.reload());
  try {
    /** @type {[Info, import('../lib/api.js').GameList]} */
    const [info, list] = await Promise.all([get('/api/library/info'), get('/api/games')]);
    titles = new Map(list.games.map((game) => [game.name, game.title]));
    drawFilters(info);
    drawPlace(info);
    await load(false);
    const key = new URLSearchParams(location.search).get('key');
    if (key) await openByKey(key);
  } catch (problem) {
    fill(byId('found'), h('span', { class: 'problem' }, /** @type {Error} */ (problem).message));
  }
}

/** @param {Info} info */
function drawPlace({ place: name, count, games }) {
  const kinds = Object.keys(games).length;
  byId('place').textContent = name === null
    ? 'This server has no store for games.'
    : `${count.toLocaleString('en')} records of ${kinds} ${kinds === 1 ? 'game' : 'games'} in ${name}`;
}

/** @param {Info} info */
function drawFilters({ games, events }) {
  const asked = new URLSearchParams(location.search);
  const options = (/** @type {[string, string][]} */ pairs) =>
    pairs.map(([value, text]) => h('option', { value }, text));
  const known = (/** @type {Record<string, number>} */ counts, /** @type {(name: string) => string} */ title) =>
    Object.entries(counts).map(([name, n]) => /** @type {[string, string]} */ ([name, `${title(name) || '(none)'} · ${n}`]));
  const result = /** @type {[string, string][]} */ ([['', 'any'], ['first', 'first side won'], ['second', 'second side won'], ['draw', 'draw']]);
  const form = byId('filters');
  fill(form,
    field('Game', h('select', { name: 'game' }, options([['', 'all games'], ...known(games, titleOf)]))),
    field('Player', h('input', { name: 'player', type: 'search', placeholder: 'human, pvs, mcts …', autocomplete: 'off' })),
    field('Result', h('select', { name: 'result' }, options(result))),
    field('Event', h('select', { name: 'event' }, options([['', 'all events'], ...known(events, eventName)]))),
    field('Opening', h('input', { name: 'opening', type: 'search', placeholder: 'first moves', autocomplete: 'off', class: 'code' })),
    h('button', { type: 'reset' }, 'Clear'));
  for (const name of FILTERS) {
    const value = asked.get(name);
    const control = fieldOf(name);
    if (value && control instanceof HTMLSelectElement && ![...control.options].some((one) => one.value === value)) control.append(h('option', { value }, value));
    if (value) control.value = value;
  }
  form.addEventListener('input', () => soon());
  form.addEventListener('reset', () => soon());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    soon();
  });
}

/** @param {string} label @param {HTMLElement} control */
function field(label, control) {
  return h('label', null, label, control);
}

/** @param {string} name @returns {HTMLInputElement | HTMLSelectElement} */
function fieldOf(name) {
  return /** @type {any} */ (/** @type {HTMLFormElement} */ (byId('filters')).elements.namedItem(name));
}

function soon() {
  window.clearTimeout(waiting);
  waiting = window.setTimeout(() => {
    remember({ key: null });
    load(false);
  }, PAUSE);
}

/** @returns {Record<string, string>} */
function filters() {
  const pairs = FILTERS.map((name) => [name, fieldOf(name).value.trim()]);
  return Object.fromEntries(pairs.filter(([, value]) => value));
}

/** Writes the state into the address. @param {{key: string | null}} shown */
function remember({ key }) {
  const query = new URLSearchParams({ ...filters(), ...(key ? { key } : {}) }).toString();
  history.replaceState(null, '', query ? `/library?${query}` : '/library');
}

/** @param {boolean} more whether to append to the list */
async function load(more) {
  const request = ++latest;
  const query = { ...filters(), before: more ? next : null };
  const list = byId('games');
  byId('more').toggleAttribute('disabled', true);
  try {
    /** @type {{games: GameRow[], next: string | null, looked_at: number}} */
    const page = await get('/api/library', query);
    if (request !== latest) return;
    if (!more) clear(list);
    list.append(...page.games.map(entry));
    if (!list.childElementCount && !page.next) list.append(nothing());
    next = page.next;
    byId('more').hidden = next === null;
    const shown = list.querySelectorAll('[data-key]').length;
    byId('found').textContent = words(shown, page);
  } catch (problem) {
    toast(/** @type {Error} */ (problem).message);
  }
  byId('more').toggleAttribute('disabled', false);
}

/** @param {number} shown @param {{next: string | null, looked_at: number}} page */
function words(shown, page) {
  if (shown === 0 && page.next) return `No match among the latest ${page.looked_at.toLocaleString('en')} games; load more.`;
  if (shown === 0) return 'No matching games';
  return `${shown} ${shown === 1 ? 'game' : 'games'}, newest first${page.next ? '; more available' : ''}`;
}

/** The text of an empty list. */
function nothing() {
  return h('li', { class: 'empty card' }, 'Games of people, matches and tournaments are recorded here. ',
    h('a', { href: '/' }, 'Play one'), ' or ', h('a', { href: '/lab' }, 'start a match in the lab'), '.');
}

/** @param {GameRow} line */
function entry(line) {
  const names = line.players.map(playerName);
  const winner = line.outcome === 'draw' ? null : line.outcome.win === 'first' ? 0 : 1;
  const who = names.map((name, side) => h('span', { class: side === winner ? 'winner' : null }, name));
  const result = [resultText(line.outcome, /** @type {[string, string]} */ (names)), endingText(line.ending), eventName(line.event)].filter(Boolean).join(' · ');
  const press = h('button', { type: 'button', 'data-key': line.key, onclick: () => open(line) },
    h('span', { class: 'title' }, titleOf(line.game)),
    h('span', { class: 'who' }, who[0], ' – ', who[1]),
    h('span', { class: 'when' }, ago(line.played_at)),
    h('span', { class: 'result' }, result),
    h('span', { class: 'plies' }, line.plies === null ? '' : `${line.plies} moves`));
  return h('li', null, press);
}

/** The title of a game with its options. @param {string} game */
function titleOf(game) {
  const [name, options] = [game.split(':')[0], game.split(':')[1]];
  const title = titles.get(game) ?? titles.get(name);
  if (!title) return game;
  return titles.has(game) || !options ? title : `${title} ${options}`;
}

/** @param {GameRow} line */
async function open(line) {
  for (const button of document.querySelectorAll('#games [data-key]')) {
    button.setAttribute('aria-current', String(button.getAttribute('data-key') === line.key));
  }
  if (!replay) {
    clear(place);
    replay = createReplay(place);
  }
  const names = /** @type {[string, string]} */ (line.players.map(playerName));
  const about = [titleOf(line.game), resultText(line.outcome, names), endingText(line.ending), ago(line.played_at)].filter(Boolean).join(' · ');
  place.dataset.key = line.key;
  remember({ key: line.key });
  if (window.matchMedia('(max-width: 60rem)').matches) place.scrollIntoView({ block: 'start' });
  try {
    await replay.show({ game: line.game, moves: line.moves, title: `${names[0]} – ${names[1]}`, about });
  } catch (problem) {
    toast(/** @type {Error} */ (problem).message);
  }
}

/** @param {string} key */
async function openByKey(key) {
  const { record, moves } = await get('/api/library/game', { key });
  await open({ ...record, moves, plies: null, ending: record.ending.kind, players: record.players.map((/** @type {{name: string}} */ one) => one.name), event: record.event ?? '' });
}
