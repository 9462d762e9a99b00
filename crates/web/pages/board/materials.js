// @ts-check
// Draws empty boards with their coordinates: paper, kaya wood, rack, felt, squares.

import { svg } from '../lib/dom.js';
import { UNIT, hasOuterLabels, squareNumber } from './geometry.js';

/** @import { Diagram, Material } from '../lib/api.js' */
/** @import { Layout, Point } from './geometry.js' */

/** Adds the gradients that all boards of a page share. */
export function shareGradients() {
  if (document.getElementById('tesuji-gradients')) return;
  const stop = (/** @type {number} */ offset, /** @type {string} */ color) => svg('stop', { offset, 'stop-color': color });
  const ball = (/** @type {string} */ id, /** @type {[number, string][]} */ stops) =>
    svg(
      'radialGradient',
      { id, cx: 0.36, cy: 0.32, r: 0.75 },
      stops.map(([at, color]) => stop(at, color)),
    );
  const wood = svg(
    'linearGradient',
    { id: 'tesuji-wood', x1: 0, y1: 0, x2: 1, y2: 1 },
    stop(0, '#e9c98a'),
    stop(0.5, '#e0ba76'),
    stop(1, '#d5ab64'),
  );
  const dark = ball('tesuji-dark', [
    [0, '#6d6d72'],
    [0.35, '#333338'],
    [1, '#0e0e11'],
  ]);
  const light = ball('tesuji-light', [
    [0, '#ffffff'],
    [0.6, '#f4f1ea'],
    [1, '#cfc9bd'],
  ]);
  const defs = svg('defs', null, wood, dark, light);
  const holder = svg('svg', { id: 'tesuji-gradients', width: 0, height: 0, class: 'nowhere', 'aria-hidden': 'true' }, defs);
  document.body.append(holder);
}

/**
 * Draws what is under the pieces, and what is over them (the face of a rack).
 * @param {Diagram} board
 * @param {Material} material
 * @param {Layout} at
 * @param {boolean} coordinates
 * @returns {{under: SVGGElement, over: SVGGElement}}
 */
export function surface(board, material, at, coordinates) {
  const under = svg('g', { 'aria-hidden': 'true' });
  const over = svg('g', { 'aria-hidden': 'true', class: 'over' });
  at.boards.forEach((corner, layer) => {
    const draw = { paper, kaya, rack, felt, squares }[material];
    draw(under, over, corner, at, board);
    if (board.layers[layer]) under.append(layerTitle(board.layers[layer], corner, at));
    if (coordinates && hasOuterLabels(board)) labels(material === 'rack' ? over : under, board, corner, at, layer);
  });
  return { under, over };
}

/** @typedef {(under: SVGGElement, over: SVGGElement, corner: Point, at: Layout, board: Diagram) => void} Painter */

/** @type {Painter} */
function paper(under, _over, { x, y }, at) {
  let d = '';
  for (let column = 1; column < at.columns; column++) d += `M${x + column * UNIT} ${y + 2}v${at.rows * UNIT - 4}`;
  for (let row = 1; row < at.rows; row++) d += `M${x + 2} ${y + row * UNIT}h${at.columns * UNIT - 4}`;
  under.append(svg('path', { class: 'pencil', d }));
}

/** @type {Painter} */
function kaya(under, _over, corner, at) {
  under.append(slab(corner, at, { class: 'wood', fill: 'url(#tesuji-wood)', rx: 4 }), grain(corner, at));
  under.append(svg('path', { class: 'lines', d: crossings(corner, at) }));
  for (const { x, y } of stars(corner, at)) under.append(svg('circle', { class: 'star', cx: x, cy: y, r: 3.2 }));
}

/** @type {Painter} */
function rack(under, over, { x, y }, at) {
  const [width, height] = [at.columns * UNIT, at.rows * UNIT];
  const f = at.frame;
  under.append(svg('rect', { class: 'rack-back', x: x - 2, y: y - 2, width: width + 4, height: height + 4 }));
  let d = `M${x - f + 8} ${y - f}h${width + 2 * f - 16}q8 0 8 8v${height + 2 * f - 16}q0 8-8 8h${16 - width - 2 * f}q-8 0-8-8v${16 - height - 2 * f}q0-8 8-8Z`;
  for (let column = 0; column < at.columns; column++) {
    for (let row = 0; row < at.rows; row++) {
      d += `M${x + column * UNIT + 3.5} ${y + (row + 0.5) * UNIT}a16.5 16.5 0 1 0 33 0a16.5 16.5 0 1 0-33 0Z`;
    }
  }
  const feet = [x - f + 10, x + width + f - 50].map((left) =>
    svg('rect', { class: 'rack-foot', x: left, y: y + height + f - 6, width: 40, height: 15, rx: 4 }),
  );
  under.append(...feet);
  over.append(svg('path', { class: 'rack-face', 'fill-rule': 'evenodd', d }));
  let rims = '';
  for (let column = 0; column < at.columns; column++) {
    for (let row = 0; row < at.rows; row++) rims += `M${x + column * UNIT + 3.5} ${y + (row + 0.5) * UNIT}a16.5 16.5 0 0 1 33 0`;
  }
  over.append(svg('path', { class: 'rack-rims', d: rims }));
}

/** @type {Painter} */
function felt(under, _over, corner, at) {
  under.append(slab(corner, at, { class: 'felt-frame', rx: 6 }));
  const { x, y } = corner;
  under.append(svg('rect', { class: 'felt', x, y, width: at.columns * UNIT, height: at.rows * UNIT }));
  let d = '';
  for (let column = 0; column <= at.columns; column++) d += `M${x + column * UNIT} ${y}v${at.rows * UNIT}`;
  for (let row = 0; row <= at.rows; row++) d += `M${x} ${y + row * UNIT}h${at.columns * UNIT}`;
  under.append(svg('path', { class: 'felt-lines', d }));
  if (at.columns < 8) return;
  for (const [column, row] of [
    [2, 2],
    [2, at.rows - 2],
    [at.columns - 2, 2],
    [at.columns - 2, at.rows - 2],
  ]) {
    under.append(svg('circle', { class: 'felt-dot', cx: x + column * UNIT, cy: y + row * UNIT, r: 3 }));
  }
}

/** @type {Painter} */
function squares(under, _over, corner, at, board) {
  const { x, y } = corner;
  under.append(slab(corner, at, { class: 'squares-frame', rx: 4 }));
  under.append(svg('rect', { class: 'square-light', x, y, width: at.columns * UNIT, height: at.rows * UNIT }));
  let d = '';
  for (let row = 0; row < at.rows; row++) {
    for (let column = (row + 1) % 2; column < at.columns; column += 2)
      d += `M${x + column * UNIT} ${y + row * UNIT}h${UNIT}v${UNIT}h${-UNIT}Z`;
  }
  under.append(svg('path', { class: 'square-dark', d }));
  if (hasOuterLabels(board)) return;
  board.cells.forEach((content, cell) => {
    if (content === 'unused') return;
    const center = at.center(cell);
    under.append(svg('text', { class: 'square-number', x: center.x - 17.5, y: center.y - 11 }, squareNumber(board, cell)));
  });
}

/** The rectangle of material under a board. @param {Point} corner @param {Layout} at @param {Record<string, any>} attributes */
function slab({ x, y }, at, attributes) {
  const f = at.frame;
  return svg('rect', { x: x - f, y: y - f, width: at.columns * UNIT + 2 * f, height: at.rows * UNIT + 2 * f, ...attributes });
}

/** The grain of the wood. @param {Point} corner @param {Layout} at */
function grain({ x, y }, at) {
  const f = at.frame;
  const [width, height] = [at.columns * UNIT + 2 * f, at.rows * UNIT + 2 * f];
  let d = '';
  for (let n = 1; n < 14; n++) {
    const left = x - f + (n * width) / 14 + ((n * 37) % 11) - 5;
    const bend = ((n * 53) % 17) - 8;
    d += `M${left} ${y - f}c${bend} ${height / 3} ${-bend} ${(2 * height) / 3} ${bend / 2} ${height}`;
  }
  return svg('path', { class: 'grain', d });
}

/** @param {Point} corner @param {Layout} at */
function crossings({ x, y }, at) {
  const half = UNIT / 2;
  let d = '';
  for (let column = 0; column < at.columns; column++) d += `M${x + column * UNIT + half} ${y + half}v${(at.rows - 1) * UNIT}`;
  for (let row = 0; row < at.rows; row++) d += `M${x + half} ${y + row * UNIT + half}h${(at.columns - 1) * UNIT}`;
  return d;
}

/** The star points of square boards of odd size. @param {Point} corner @param {Layout} at */
function stars({ x, y }, at) {
  if (at.columns !== at.rows || at.columns % 2 === 0 || at.columns < 9) return [];
  const middle = (at.columns - 1) / 2;
  const edge = at.columns > 11 ? 3 : 2;
  const corners = [edge, at.columns - 1 - edge];
  const places = corners.flatMap((column) => corners.map((row) => [column, row]));
  places.push([middle, middle]);
  if (at.columns === 19) places.push([3, 9], [9, 3], [15, 9], [9, 15]);
  return places.map(([column, row]) => ({ x: x + (column + 0.5) * UNIT, y: y + (row + 0.5) * UNIT }));
}

/** @param {SVGGElement} group @param {Diagram} board @param {Point} corner @param {Layout} at @param {number} layer */
function labels(group, board, { x, y }, at, layer) {
  const size = at.columns > 12 ? 14 : 11;
  const away = at.frame / 2;
  const first = at.cellAt({ layer, row: 0, column: 0 }) ?? 0;
  const flippedColumns = first % at.columns !== 0;
  const flippedRows = Math.floor(first / at.columns) % at.rows !== 0;
  const columns = flippedColumns ? [...board.columns].reverse() : board.columns;
  const rows = flippedRows ? [...board.rows].reverse() : board.rows;
  columns.forEach((label, column) =>
    group.append(
      svg('text', { class: 'label', x: x + (column + 0.5) * UNIT, y: y + at.rows * UNIT + away, 'font-size': size }, label),
    ),
  );
  if (group.classList.contains('over')) return;
  rows.forEach((label, row) =>
    group.append(svg('text', { class: 'label', x: x - away, y: y + (row + 0.5) * UNIT, 'font-size': size }, label)),
  );
}

/** @param {string} label @param {Point} corner @param {Layout} at */
function layerTitle(label, { x, y }, at) {
  return svg('text', { class: 'layer-title', x: x + (at.columns * UNIT) / 2, y: y - at.frame - 6 }, label);
}
