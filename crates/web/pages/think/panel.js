// @ts-check
// The panel of *See it think*: a tab for each available visualization, loaded on demand.
import { clear, fill, h } from '../lib/dom.js';
/** @import { Context, Picture, PictureModule } from './types.js' */

/** The tab and the module of each visualization. @type {Record<string, [string, () => Promise<PictureModule>]>} */
const PICTURES = {
  tree: ['Tree', () => import('./tree.js')],
  deepening: ['Deepening', () => import('./deepening.js')],
  visits: ['Monte Carlo', () => import('./visits.js')],
  solver: ['Solver', () => import('./solver.js')],
  threats: ['Threats', () => import('./threats.js')],
  forest: ['Forest', () => import('./forest.js')],
  critic: ['Critic', () => import('./critic.js')],
};
/** The delay before a new position is requested. */
const SETTLE_MS = 150;

/** @param {HTMLElement} host @param {Context} context */
export function createThinkPanel(host, context) {
  const tabs = h('div', { class: 'think-tabs', role: 'tablist', 'aria-label': 'Visualizations', onkeydown: walk });
  const place = h('div', { class: 'think-picture', id: 'think-picture', role: 'tabpanel' });
  host.classList.add('think');
  fill(host, tabs, place);
  /** @type {string[]} */
  let names = [];
  /** The visualization that is shown or loading, and the last chosen one. */
  let [shown, wanted] = ['', ''];
  let looking = false;
  /** @type {Picture | null} */
  let picture = null;
  let settling = 0;

  /** Shows a visualization; by default the last one. @param {string} [name] */
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
    if (!next) return say('No visualizations for this game.');
    PICTURES[next][1]().then(
      (module) => begin(next, module),
      () => shown === next && say('The visualization could not be loaded.'),
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

  /** Redraws after a change of the position, with a delay. */
  function refresh() {
    clearTimeout(settling);
    settling = window.setTimeout(() => looking && show(), SETTLE_MS);
  }

  /** Closes the visualization and clears the board. */
  function drop() {
    clearTimeout(settling);
    picture?.close();
    picture = null;
    shown = '';
    clear(place);
  }

  return { show, refresh, close: () => ((looking = false), drop()) };
}
