// @ts-check
// The panel of *See it think*: a tab for each picture that the game has, and one picture at a time, loaded when wanted.
import { clear, fill, h } from '../lib/dom.js';
/** @import { Context, Picture, PictureModule } from './types.js' */

/** Tab and module of each picture. @type {Record<string, [string, () => Promise<PictureModule>]>} */
const PICTURES = {
  tree: ['Tree', () => import('./tree.js')],
  deepening: ['Deepening', () => import('./deepening.js')],
  visits: ['Monte Carlo', () => import('./visits.js')],
  solver: ['Solver', () => import('./solver.js')],
  threats: ['Threats', () => import('./threats.js')],
  forest: ['Forest', () => import('./forest.js')],
  critic: ['Critic', () => import('./critic.js')],
};
/** Positions that pass faster than this are not asked about. */
const SETTLE_MS = 150;

/** @param {HTMLElement} host @param {Context} context */
export function createThinkPanel(host, context) {
  const tabs = h('div', { class: 'think-tabs', role: 'tablist', 'aria-label': 'pictures of thinking', onkeydown: walk });
  const place = h('div', { class: 'think-picture', id: 'think-picture', role: 'tabpanel' });
  host.classList.add('think');
  fill(host, tabs, place);
  /** @type {string[]} */
  let names = [];
  /** The picture that is shown or on its way, and the one that the reader chose last. */
  let [shown, wanted] = ['', ''];
  let looking = false;
  /** @type {Picture | null} */
  let picture = null;
  let settling = 0;

  /** Shows a picture, or the one that was shown last. @param {string} [name] */
  function show(name = wanted) {
    looking = true;
    wanted = name;
    names = Object.keys(PICTURES).filter((each) => context.state().info.pictures.includes(each));
    const next = names.includes(name) ? name : (names[0] ?? '');
    const focused = tabs.contains(document.activeElement);
    const same = picture && next === shown;
    if (!same) drop();
    shown = next;
    fill(tabs, names.map(tab));
    if (focused) tabs.querySelectorAll('button')[names.indexOf(next)]?.focus();
    if (same) return picture?.refresh();
    if (!next) return say('There are no pictures of thinking for this game.');
    PICTURES[next][1]().then(
      (module) => begin(next, module),
      () => shown === next && say('This picture could not be loaded. Is the server still there?'),
    );
  }

  /** @param {string} name */
  function tab(name) {
    const state = { 'aria-selected': String(name === shown), tabindex: name === shown ? 0 : -1, 'data-picture': name, onclick: () => show(name) };
    return h('button', { type: 'button', role: 'tab', 'aria-controls': place.id, ...state }, PICTURES[name][0]);
  }

  /** @param {KeyboardEvent} event */
  function walk(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    show(names.at((names.indexOf(shown) + step) % names.length));
  }

  /** @param {string} name @param {PictureModule} module */
  function begin(name, { title, draw }) {
    if (shown !== name || picture) return;
    place.dataset.shown = name;
    place.setAttribute('aria-label', title);
    picture = draw(place, context);
    picture.refresh();
  }

  /** @param {string} words */
  function say(words) {
    shown = '';
    fill(place, h('p', { class: 'empty', role: 'status' }, words));
  }

  /** The position, or the game, has changed: draws again once it has settled. */
  function refresh() {
    clearTimeout(settling);
    settling = window.setTimeout(() => looking && show(), SETTLE_MS);
  }

  /** Ends the picture that is shown and takes it off the board. */
  function drop() {
    clearTimeout(settling);
    picture?.close();
    picture = null;
    shown = '';
    clear(place);
  }

  return { show, refresh, close: () => ((looking = false), drop()) };
}
