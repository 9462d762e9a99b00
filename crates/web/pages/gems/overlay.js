// @ts-check
// Draws over the gems: the swap of a hint, and the beliefs about hidden medals.

import { clear, fill, h, svg } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { middle } from './scene.js';
import { CELL } from './shapes.js';
import { cellName, grouped } from './types.js';

/** @typedef {import('./scene.js').Scene} Scene */
/** @typedef {import('./types.js').Swap} Swap */
/** @typedef {import('./types.js').Belief} Belief */

/** The number of listed swaps. */
const LISTED = 6;

/** @param {Scene} scene */
export function createHint(scene) {
  const layer = svg('g', { class: 'hint' });
  scene.overlay.append(layer);
  return {
    /** Draws a swap; null clears. @param {Swap | null} swap @param {string} [kind] */
    show(swap, kind = 'hint-swap') {
      clear(layer);
      if (swap) layer.append(svg('g', { class: kind, 'data-swap': swapCode(swap) }, ...frames(swap), arrow(swap)));
    },
  };
}

/** @param {Swap} swap */
function frames({ first, second }) {
  return [first, second].map(({ row, column }) => svg('rect', { x: CELL * column + 5, y: CELL * row + 5, width: CELL - 10, height: CELL - 10, rx: 16 }));
}

/** An arrow with two heads from one cell to the other. @param {Swap} swap */
function arrow({ first, second }) {
  const [[ax, ay], [bx, by]] = [middle(first), middle(second)];
  const [x, y] = [(ax + bx) / 2, (ay + by) / 2];
  const turn = first.row === second.row ? 0 : 90;
  return svg('path', { d: 'M-46 0-26-17V-7H26V-17L46 0 26 17V7H-26V17Z', transform: `translate(${x} ${y}) rotate(${turn})` });
}

/** The swap as in logs. @param {Swap} swap */
export function swapCode({ first, second }) {
  return [first.row, first.column, second.row, second.column].join('-');
}

/**
 * Draws the probability of a medal under each cell of ice, and the expected gain of each swap.
 * @param {Scene} scene
 * @param {HTMLElement} panel
 */
export function createBelief(scene, panel) {
  const layer = svg('g', { class: 'belief' });
  scene.overlay.prepend(layer);
  const pointed = createHint(scene);
  let request = 0;

  /** @param {string} id */
  async function show(id) {
    const mine = ++request;
    const address = `/api/gems/${id}/belief`;
    const belief = /** @type {Belief} */ (await get(address));
    if (mine !== request) return;
    scene.board.classList.add('thoughtful');
    draw(belief);
    list(belief, address);
  }

  function hide() {
    request++;
    scene.board.classList.remove('thoughtful');
    pointed.show(null);
    clear(layer);
    clear(panel);
    panel.hidden = true;
  }

  /** @param {Belief} belief */
  function draw({ cells, swaps }) {
    const { columns } = scene.size();
    const most = Math.max(...cells.map((chance) => chance ?? 0), 0.01);
    const chances = cells.flatMap((chance, n) => {
      if (chance === null) return [];
      const [row, column] = [Math.floor(n / columns), n % columns];
      const [x, y] = middle({ row, column });
      return [svg('g', { 'data-belief': `${column},${row}`, 'data-value': chance },
        svg('rect', { x: x - 47, y: y - 47, width: 94, height: 94, rx: 12, opacity: (0.08 + 0.72 * (chance / most)).toFixed(3) }),
        svg('text', { x, y: y + 9 }, percent(chance)))];
    });
    const best = Math.max(swaps[0]?.gain ?? 0, 0.01);
    const gains = swaps.map(({ swap, gain }, n) => {
      const [a, b] = [middle(swap.first), middle(swap.second)];
      const at = `translate(${(a[0] + b[0]) / 2} ${(a[1] + b[1]) / 2})`;
      return svg('g', { class: n === 0 ? 'gain-mark best' : 'gain-mark', transform: at, 'data-swap': swapCode(swap), 'data-value': gain, opacity: (0.45 + 0.55 * (gain / best)).toFixed(2) },
        svg('rect', { x: -26, y: -14, width: 52, height: 28, rx: 14 }), svg('text', { y: 7 }, gain.toFixed(1)));
    });
    fill(layer, chances, gains);
  }

  /** @param {Belief} belief @param {string} address */
  function list(belief, address) {
    const { rows } = scene.size();
    const line = (/** @type {Belief['swaps'][0]} */ { swap, gain, ice, score }) => h('tr', {
      onpointerenter: () => pointed.show(swap, 'pointed-swap'), onpointerleave: () => pointed.show(null),
    }, h('td', null, `${cellName(swap.first, rows)} ↔ ${cellName(swap.second, rows)}`),
    h('td', { class: 'number' }, gain.toFixed(2)), h('td', { class: 'number' }, ice.toFixed(1)), h('td', { class: 'number' }, grouped(score)));
    const sure = belief.exact ? `all ${grouped(belief.arrangements)} possible arrangements` : `${grouped(belief.arrangements)} sampled arrangements`;
    panel.hidden = false;
    fill(panel,
      h('h2', null, 'Beliefs'),
      h('p', { class: 'small muted' }, belief.hidden === 0
        ? 'A part of every remaining medal is visible, so nothing is unknown. '
        : `On the ice: the probability of a medal (%), from ${sure}. `,
        `Between gems: the mean number of medal parts that a swap uncovers, over ${belief.worlds} sampled worlds.`),
      h('table', { class: 'small' },
        h('thead', null, h('tr', null, h('th', null, 'Swap'), h('th', { class: 'number' }, 'Parts'), h('th', { class: 'number' }, 'Ice'), h('th', { class: 'number' }, 'Points'))),
        h('tbody', null, belief.swaps.slice(0, LISTED).map(line))),
      h('p', { class: 'small' }, h('a', { href: address, target: '_blank' }, 'data')));
  }

  return { show, hide };
}

/** @param {number} chance */
function percent(chance) {
  return chance >= 0.995 ? '100' : chance > 0 && chance < 0.005 ? '<1' : String(Math.round(100 * chance));
}
