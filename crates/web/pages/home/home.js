// @ts-check
// The home page: a small live board for every game, and the activity of the lab.

import { get } from '../lib/api.js';
import { byId, fill, h, svg } from '../lib/dom.js';
import { header } from '../lib/header.js';
import { addKeys } from '../lib/keys.js';
import { createGallery } from './gallery.js';
import { showLabActivity } from './lab_activity.js';
import { GALLERY } from './gallery_games.js';

/** @import { GameListed } from '../lib/api.js' */

/** Hidden games: a reference for tests, and a general game whose presets are shown. */
const HIDDEN = ['connect4-array', 'tictactoe-nd'];
/** The order of the gallery; other games come last. */
const ORDER = [
  'gomoku',
  'connect4',
  'othello',
  'chess',
  'tictactoe',
  'checkers',
  'renju',
  'connect6',
  'qubic',
  'tictactoe3d',
  'caro',
  'tictactoe4d',
];

header('/');
const host = byId('gallery');
const gallery = createGallery(byId('motion'));
start();
showLabActivity(byId('lab'));
addKeys([{ keys: [' '], shown: 'Space', does: 'pause or resume the small boards', run: gallery.toggle }]);

async function start() {
  fill(
    host,
    ORDER.map(() => h('li', { class: 'tile-card waiting', 'aria-hidden': 'true' })),
  );
  try {
    const { games } = await get('/api/games');
    fill(host);
    sorted(games).forEach((game, i) => {
      host.append(card(game));
      if (i === 3) host.append(gemCard());
    });
  } catch (problem) {
    fill(host, h('li', { class: 'problem' }, /** @type {Error} */ (problem).message, ' ', h('a', { href: '/' }, 'Try again')));
  }
}

/** @param {GameListed[]} games */
function sorted(games) {
  const rank = (/** @type {GameListed} */ { name }) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return games.filter(({ name }) => !HIDDEN.includes(name)).sort((a, b) => rank(a) - rank(b));
}

/** @param {GameListed} game */
function card(game) {
  const picture = h('div', { class: 'picture' });
  const best = h('span', { class: 'best muted small' }, '\u00a0');
  const element = h(
    'li',
    { class: 'tile-card' },
    h(
      'a',
      { href: `/play/${playedAs(game)}`, 'data-game': game.name },
      picture,
      h('span', { class: 'name' }, game.title),
      h('span', { class: 'line muted' }, sentence(game)),
      best,
    ),
  );
  gallery.add(playedAs(game), GALLERY[game.name]?.opening ?? '', picture, element);
  get('/api/game', { game: playedAs(game) })
    .then((info) => (best.textContent = `Strongest opponent: ${bestTitle(info)}`))
    .catch(() => {});
  return element;
}

/** @param {GameListed} game */
function playedAs({ name }) {
  return GALLERY[name]?.play ?? name;
}

/** A description of a game: from the gallery, or else its summary without the title. @param {GameListed} game */
function sentence({ name, title, summary }) {
  if (GALLERY[name]) return GALLERY[name].line;
  const rest = summary.toLowerCase().startsWith(`${title.toLowerCase()}: `) ? summary.slice(title.length + 2) : summary;
  return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}.`;
}

/** @param {import('../lib/api.js').GameInfo} info */
function bestTitle({ best, opponents }) {
  return opponents.find(({ player }) => player === best)?.title ?? best;
}

/** The card of Gem Island, which has its own page and a static picture. */
function gemCard() {
  const gems = [
    ['#c8452f', 'M0-13 12 0 0 13-12 0Z'],
    ['#2d6fb8', 'M0-13A13 13 0 1 1 0 13 13 13 0 1 1 0-13'],
    ['#2a8a5c', 'M-11-11H11V11H-11Z'],
    ['#d8a021', 'M0-14 13 9H-13Z'],
    ['#7a4fb0', 'M-6-12H6L13 0 6 12H-6L-13 0Z'],
  ];
  const shapes = [...Array(36).keys()].map((i) => {
    const [fill, d] = gems[(i * 7 + Math.floor(i / 6) * 3 + (i % 4)) % gems.length];
    return svg('path', { d, fill, transform: `translate(${20 + 40 * (i % 6)} ${20 + 40 * Math.floor(i / 6)})` });
  });
  const picture = h('div', { class: 'picture gems' }, svg('svg', { viewBox: '0 0 240 240', 'aria-hidden': 'true' }, shapes));
  return h(
    'li',
    { class: 'tile-card' },
    h(
      'a',
      { href: '/gems', 'data-game': 'gems' },
      picture,
      h('span', { class: 'name' }, 'Gem Island'),
      h('span', { class: 'line muted' }, 'Swap gems, break the ice, find the medals.'),
      h('span', { class: 'best muted small' }, 'Single player, with hints'),
    ),
  );
}
