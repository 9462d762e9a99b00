// @ts-check
// Draws the board: ground, medals, ice, gems, and cells for input on top. It knows no rules;
// `turns.js` animates turns with it.

import { fill, svg } from '../lib/dom.js';
import { CELL, definitions, gemName, gemOf } from './shapes.js';
import { cellName } from './types.js';

/** @typedef {import('./types.js').Cell} Cell */
/** @typedef {import('./types.js').Gem} Gem */
/** @typedef {import('./types.js').View} View */
/** @typedef {ReturnType<typeof createScene>} Scene */

/** Whether the user allows animations. */
export function motionAllowed() {
  return !matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/**
 * Animates an element. The promise also resolves if the browser pauses animations in the background.
 * @param {Element} element
 * @param {Keyframe[]} frames
 * @param {KeyframeAnimationOptions & {duration: number}} options
 * @returns {Promise<void>}
 */
export function animate(element, frames, options) {
  if (options.duration <= 0 || !motionAllowed()) return Promise.resolve();
  const animation = element.animate(frames, options);
  const over = animation.finished.then(() => {}, () => {});
  return Promise.race([over, rest(options.duration + Number(options.delay ?? 0) + 250)]);
}

/** @param {number} time in milliseconds @returns {Promise<void>} */
export function rest(time) {
  return new Promise((done) => setTimeout(done, time));
}

/** @param {HTMLElement} host */
export function createScene(host) {
  const layers = {
    ground: svg('g', { class: 'ground' }),
    medals: svg('g', { class: 'medals' }),
    ice: svg('g', { class: 'ice' }),
    shards: svg('g', { class: 'shards' }),
    gems: svg('g', { class: 'gem-layer' }),
    overlay: svg('g', { class: 'overlay', 'aria-hidden': 'true' }),
    floats: svg('g', { class: 'floats', 'aria-hidden': 'true' }),
    cells: svg('g', { class: 'cells' }),
  };
  const board = svg('svg', { class: 'gem-board', viewBox: '-6 -6 912 912', role: 'grid', 'aria-label': 'Gem Island' }, definitions(), Object.values(layers));
  host.append(board);

  let size = { rows: 0, columns: 0 };
  /** @type {(SVGGElement | null)[]} */
  let sprites = [];
  /** @type {Gem[]} */
  let gems = [];
  /** @type {(SVGElement | null)[]} */
  let blocks = [];
  /** @type {SVGGElement[]} */
  let targets = [];
  /** @type {Map<number, SVGElement>} by upper left cell */
  let medals = new Map();

  /** @param {Cell} cell */
  const index = (cell) => cell.row * size.columns + cell.column;

  /** Draws the ground and the cells for the size of a board. @param {View} view */
  function layOut(view) {
    size = { rows: view.rows, columns: view.columns };
    board.setAttribute('viewBox', `-6 -6 ${CELL * size.columns + 12} ${CELL * size.rows + 12}`);
    const places = Array.from({ length: size.rows }, (_, row) => Array.from({ length: size.columns }, (_, column) => ({ row, column })));
    fill(layers.ground, svg('rect', { x: -6, y: -6, width: CELL * size.columns + 12, height: CELL * size.rows + 12, rx: 20, class: 'shore' }),
      places.flat().map(({ row, column }) => svg('rect', { x: CELL * column + 1, y: CELL * row + 1, width: CELL - 2, height: CELL - 2, rx: 13, class: (row + column) % 2 ? 'sand odd' : 'sand' })));
    targets = places.flat().map(({ row, column }) => svg('g', { role: 'gridcell', tabindex: -1, class: 'target', 'data-cell': `${column},${row}` },
      svg('rect', { x: CELL * column + 4, y: CELL * row + 4, width: CELL - 8, height: CELL - 8, rx: 12 })));
    fill(layers.cells, places.map((row) => svg('g', { role: 'row' }, row.map((cell) => targets[index(cell)]))));
    targets[0].setAttribute('tabindex', '0');
  }

  /** Draws a view. @param {View} view */
  function show(view) {
    if (size.rows !== view.rows || size.columns !== view.columns) layOut(view);
    // Shards and scores remove themselves after their animation.
    for (const layer of [layers.medals, layers.ice, layers.gems]) layer.replaceChildren();
    sprites = view.cells.map(() => null);
    gems = view.cells.map(({ kind, bonus }) => ({ kind, bonus }));
    blocks = view.cells.map(() => null);
    medals = new Map();
    for (let row = 0; row < size.rows; row++) {
      for (let column = 0; column < size.columns; column++) {
        const cell = { row, column };
        const seen = view.cells[index(cell)];
        if (seen.medal !== null) showMedal(cell, seen.medal);
        if (seen.ice > 0) layIce(cell);
        place(cell, seen);
      }
    }
    describe();
  }

  /** Draws a gem on a cell in place of the old one. @param {Cell} cell @param {Gem} gem */
  function place(cell, gem) {
    sprites[index(cell)]?.remove();
    const sprite = svg('g', { class: 'sprite' }, gemOf(gem));
    layers.gems.append(sprite);
    settle(cell, sprite, gem);
    return sprite;
  }

  /** @param {Cell} cell @param {SVGGElement} sprite @param {Gem} gem */
  function settle(cell, sprite, gem) {
    sprite.setAttribute('transform', `translate(${middle(cell).join(' ')})`);
    sprites[index(cell)] = sprite;
    gems[index(cell)] = { kind: gem.kind, bonus: gem.bonus };
  }

  /** Detaches the gem of a cell; the caller removes its drawing. @param {Cell} cell */
  function lift(cell) {
    const sprite = sprites[index(cell)];
    sprites[index(cell)] = null;
    return { sprite, gem: gems[index(cell)] };
  }

  /** @param {Cell} cell */
  function layIce(cell) {
    const block = svg('use', { href: '#ice', x: CELL * cell.column, y: CELL * cell.row });
    layers.ice.append(block);
    blocks[index(cell)] = block;
  }

  /** Animates breaking ice. @param {Cell} cell @param {number} duration */
  function breakIce(cell, duration) {
    blocks[index(cell)]?.remove();
    blocks[index(cell)] = null;
    if (duration <= 0 || !motionAllowed()) return;
    const [x, y] = middle(cell);
    for (const [d, across, down] of SHARDS) {
      const shard = svg('path', { d, class: 'shard' });
      layers.shards.append(shard);
      const from = `translate(${x}px, ${y}px)`;
      const to = `translate(${x + 26 * across}px, ${y + 26 * down + 14}px) rotate(${24 * across}deg) scale(.55)`;
      animate(shard, [{ transform: from, opacity: 1 }, { transform: from, opacity: 1, offset: 0.25 }, { transform: to, opacity: 0 }], { duration, easing: 'ease-in', fill: 'both' })
        .then(() => shard.remove());
    }
  }

  /** Draws the medal of a part, once. @param {Cell} cell @param {number} part */
  function showMedal(cell, part) {
    const corner = { row: cell.row - (part >> 1), column: cell.column - (part & 1) };
    if (medals.has(index(corner))) return;
    const drawn = svg('use', { href: '#medal', x: CELL * corner.column, y: CELL * corner.row, 'data-medal': `${corner.column},${corner.row}` });
    layers.medals.append(drawn);
    medals.set(index(corner), drawn);
  }

  /** Animates a freed medal. @param {Cell} corner @param {number} duration */
  function freeMedal(corner, duration) {
    showMedal(corner, 0);
    const drawn = medals.get(index(corner));
    medals.delete(index(corner));
    if (!drawn) return;
    const [x, y] = [CELL * corner.column, CELL * corner.row];
    layers.floats.append(drawn);
    drawn.removeAttribute('x');
    drawn.removeAttribute('y');
    const at = (/** @type {number} */ up, /** @type {number} */ scale) => ({ transform: `translate(${x + 100 - 100 * scale}px, ${y + 100 - 100 * scale - up}px) scale(${scale})` });
    animate(drawn, [{ ...at(0, 1), opacity: 1 }, { ...at(30, 1.25), opacity: 1, offset: 0.4 }, { ...at(190, 0.6), opacity: 0 }], { duration, easing: 'ease-in-out', fill: 'both' })
      .then(() => drawn.remove());
  }

  /** Animates text that rises from cells. @param {Cell[]} cells @param {string} words @param {number} duration */
  function float(cells, words, duration) {
    if (!cells.length || duration <= 0 || !motionAllowed()) return;
    const [across, down] = [0, 1].map((n) => cells.reduce((sum, cell) => sum + middle(cell)[n], 0) / cells.length);
    const x = Math.min(Math.max(across, 110), CELL * size.columns - 110);
    const label = svg('text', { x, y: Math.max(down, 70), class: 'gain' }, words);
    layers.floats.append(label);
    animate(label, [{ transform: 'translateY(12px)', opacity: 0 }, { transform: 'none', opacity: 1, offset: 0.2 }, { transform: 'translateY(-34px)', opacity: 1, offset: 0.7 }, { transform: 'translateY(-50px)', opacity: 0 }], { duration, fill: 'both' })
      .then(() => label.remove());
  }

  /** Updates the accessible names of the cells. */
  function describe() {
    for (let n = 0; n < targets.length; n++) {
      const cell = { row: Math.floor(n / size.columns), column: n % size.columns };
      const under = blocks[n] ? ', on ice' : '';
      targets[n].setAttribute('aria-label', `${cellName(cell, size.rows)}, ${gemName(gems[n])}${under}${isOnMedal(cell) ? ', on a medal' : ''}`);
    }
  }

  /** @param {Cell} cell */
  function isOnMedal({ row, column }) {
    return [[0, 0], [0, 1], [1, 0], [1, 1]].some(([down, across]) => column >= across && row >= down && medals.has(index({ row: row - down, column: column - across })));
  }

  return {
    board,
    overlay: layers.overlay,
    size: () => size,
    show,
    place,
    settle,
    lift,
    breakIce,
    showMedal,
    freeMedal,
    float,
    describe,
    /** The input target of a cell. @param {Cell} cell */
    target: (cell) => targets[index(cell)],
    /** The drawing of the gem on a cell. @param {Cell} cell */
    sprite: (cell) => sprites[index(cell)],
  };
}

/** The middle of a cell. @param {Cell} cell @returns {[number, number]} */
export function middle({ row, column }) {
  return [CELL * (column + 0.5), CELL * (row + 0.5)];
}

/** The shards of a broken block of ice and their directions. @type {[string, number, number][]} */
const SHARDS = [
  ['M-48-48H6L-8-6-48 10Z', -1, -0.6],
  ['M6-48H48V-8L-8-6Z', 1, -0.8],
  ['M48-8V48H14L-8-6Z', 1, 0.8],
  ['M14 48H-48V10L-8-6Z', -0.8, 1],
];
