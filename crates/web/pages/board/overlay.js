// @ts-check
// Draws over a position: the last move, the winning row, move numbers, forbidden points, scores,
// arrows and previewed lines. Nothing here takes pointer events.

import { svg } from '../lib/dom.js';
import { UNIT } from './geometry.js';
import { pieceShape } from './pieces.js';

/** @import { Snapshot, Step } from '../lib/api.js' */
/** @import { Layout, Point } from './geometry.js' */
/**
 * @typedef {object} Mark
 * @property {number} cell
 * @property {string} [text]
 * @property {string} [title]
 * @property {"best" | "good" | "bad" | "win" | "loss" | "draw" | "info" | "heat"} kind
 * @property {number} [weight] 0 to 1: the size of the disc, or the strength of the heat
 * @property {number} [tone] 0 to 1: color from loss to win
 * @property {boolean} [corner] small, in the corner, so that the piece stays visible
 */
/** @typedef {{from: number, to: number, kind?: string, text?: string}} Arrow Kind `line` connects previewed stones. */

/** The moves of the last turn, which may place several stones. @param {Snapshot} snapshot */
export function lastTurn({ played }) {
  const last = played.at(-1);
  if (!last) return [];
  const before = played.at(-2);
  return before && before.side === last.side && before.cells.length === 1 ? [before, last] : [last];
}

/** Highlighted cells under the pieces. @param {Snapshot} snapshot @param {Layout} at @param {number | null} selected */
export function underlay(snapshot, at, selected) {
  const shades = snapshot.check?.map((cell) => tile(at, cell, 'check')) ?? [];
  if (snapshot.material === 'squares' || snapshot.material === 'paper') {
    const ends = lastTurn(snapshot).flatMap(({ cells }) => (cells.length > 1 ? [cells[0], cells[cells.length - 1]] : cells));
    shades.push(...ends.map((cell) => tile(at, cell, 'last', snapshot.material === 'paper' ? 3 : 0)));
  }
  if (selected !== null) shades.push(tile(at, selected, 'selected'));
  return shades;
}

/**
 * Marks of the position itself, over the pieces.
 * @param {Snapshot} snapshot
 * @param {Layout} at
 * @param {boolean} numbers
 */
export function signs(snapshot, at, numbers) {
  /** @type {SVGElement[]} */
  const found = snapshot.forbidden.map((cell) => cross(at.center(cell)));
  const round = snapshot.material !== 'squares' && snapshot.material !== 'paper';
  const ringed = round && !numbers && snapshot.winning.length === 0;
  if (ringed) {
    for (const step of lastTurn(snapshot)) found.push(...step.cells.slice(-1).map((cell) => lastDot(at.center(cell), step.side)));
  }
  found.push(...winningRow(snapshot, at));
  if (numbers) found.push(...moveNumbers(snapshot, at));
  return found;
}

/** @param {Snapshot} snapshot @param {Layout} at */
function moveNumbers(snapshot, at) {
  /** @type {Map<number, {n: number, side: string}>} */
  const latest = new Map();
  snapshot.played.forEach(({ cells, side }, i) => {
    if (cells.length === 1) latest.set(cells[0], { n: i + 1, side });
  });
  return [...latest].map(([cell, { n, side }]) => {
    const isLast = n === snapshot.played.length;
    return label(at.center(cell), String(n), `number on-${ownerOf(snapshot, cell) ?? side}${isLast ? ' latest' : ''}`);
  });
}

/** @param {Snapshot} snapshot @param {number} cell */
function ownerOf(snapshot, cell) {
  const content = snapshot.board.cells[cell];
  return typeof content === 'object' ? content.piece.side : null;
}

/** Rings around the winning pieces, and a line if they are in a row. @param {Snapshot} snapshot @param {Layout} at */
function winningRow({ winning }, at) {
  if (winning.length === 0) return [];
  const places = winning.map((cell) => ({ cell, ...at.place(cell) }));
  places.sort((a, b) => a.layer - b.layer || a.column - b.column || a.row - b.row);
  const [first, last] = [places[0], places[places.length - 1]];
  const straight = places.every(
    ({ layer, column, row }) =>
      layer === first.layer &&
      (column - first.column) * (last.row - first.row) === (row - first.row) * (last.column - first.column),
  );
  const isLined = straight && winning.length > 1;
  /** @type {SVGElement[]} */
  const found = winning.map((cell) => ring(at.center(cell), isLined ? 'won lined' : 'won', 15));
  if (isLined) {
    const [a, b] = [at.center(first.cell), at.center(last.cell)];
    found.push(svg('path', { class: 'won-line', d: `M${a.x} ${a.y}L${b.x} ${b.y}` }));
  }
  return found;
}

/** The destinations of a selected piece. @param {number[]} cells @param {Layout} at @param {Snapshot} snapshot */
export function targets(cells, at, snapshot) {
  return cells.map((cell) => {
    const taken = typeof snapshot.board.cells[cell] === 'object';
    return taken
      ? ring(at.center(cell), 'target', 17)
      : svg('circle', { class: 'target dot', r: 6, ...centered(at.center(cell)) });
  });
}

/** A ghost of the next stone. @param {Snapshot} snapshot @param {Layout} at @param {number} cell @param {boolean} armed */
export function ghost(snapshot, at, cell, armed) {
  const { x, y } = at.center(cell);
  const shape = pieceShape(snapshot.to_move, '', snapshot.material, null);
  const group = svg('g', { class: armed ? 'ghost armed' : 'ghost', transform: `translate(${x} ${y})` }, shape);
  if (armed) group.append(svg('circle', { class: 'arming', r: 21 }));
  return group;
}

/** @param {Mark[]} marks @param {Layout} at */
export function markShapes(marks, at) {
  return marks.map((mark) => {
    const { x, y } = at.center(mark.cell);
    const group = svg('g', {
      class: `mark ${mark.kind}${mark.tone === undefined ? '' : ' toned'}`,
      transform: mark.corner ? `translate(${x + 9} ${y - 10}) scale(.6)` : `translate(${x} ${y})`,
    });
    if (mark.tone !== undefined) group.style.setProperty('--tone', `${Math.round(mark.tone * 100)}%`);
    const weight = Math.min(Math.max(mark.weight ?? 1, 0), 1);
    if (mark.kind === 'heat')
      group.append(svg('rect', { x: -UNIT / 2, y: -UNIT / 2, width: UNIT, height: UNIT, opacity: (0.85 * weight).toFixed(3) }));
    else group.append(svg('circle', { r: (17 * Math.sqrt(weight)).toFixed(2) }));
    if (mark.text) group.append(fitted(mark.text, mark.kind === 'heat' ? 1 : Math.sqrt(weight)));
    if (mark.title) group.append(svg('title', null, mark.title));
    return group;
  });
}

/** @param {Arrow[]} arrows @param {Layout} at */
export function arrowShapes(arrows, at) {
  return arrows
    .filter(({ from, to }) => from !== to)
    .map(({ from, to, kind, text }) => arrow(at.center(from), at.center(to), kind ?? 'info', text));
}

/**
 * Previews a line of moves as numbered ghosts, or as numbered arrows where pieces move.
 * @param {Step[]} steps
 * @param {Snapshot} snapshot
 * @param {Layout} at
 */
export function previewShapes(steps, snapshot, at) {
  /** @type {SVGElement[]} */
  const found = [];
  steps.forEach(({ side, cells }, i) => {
    if (cells.length === 0) return;
    const to = cells[cells.length - 1];
    if (cells.length > 1) {
      found.push(arrow(at.center(cells[0]), at.center(to), i === 0 ? 'best' : `later ${side}`, String(i + 1)));
      return;
    }
    const { x, y } = at.center(to);
    const shape = pieceShape(side, '', snapshot.material, null);
    found.push(
      svg('g', { class: 'ghost line', transform: `translate(${x} ${y})` }, shape),
      label({ x, y }, String(i + 1), `number on-${side} ${snapshot.material}`),
    );
  });
  return found;
}

/** @param {Point} from @param {Point} to @param {string} kind @param {string} [text] */
function arrow(from, to, kind, text) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const [gap, wide, clear] = kind === 'line' ? [11, 4.5, 11] : [4, 8, 8];
  const neck = { x: to.x - ux * (gap + 11), y: to.y - uy * (gap + 11) };
  const tip = { x: to.x - ux * gap, y: to.y - uy * gap };
  const start = { x: from.x + ux * clear, y: from.y + uy * clear };
  const shaft = svg('path', { class: 'shaft', d: `M${start.x} ${start.y}L${neck.x} ${neck.y}` });
  const head = svg('path', {
    class: 'head',
    d: `M${tip.x} ${tip.y}L${neck.x - uy * wide} ${neck.y + ux * wide}L${neck.x + uy * wide} ${neck.y - ux * wide}Z`,
  });
  const group = svg('g', { class: `arrow ${kind}` }, shaft, head);
  if (text) {
    const at = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
    group.append(svg('circle', { class: 'tag', cx: at.x, cy: at.y, r: 8 }), label(at, text, 'tag-text'));
  }
  return group;
}

/** Text sized to fit a disc. @param {string} value @param {number} scale */
function fitted(value, scale) {
  const size = value.length <= 2 ? 15 : value.length === 3 ? 12.5 : value.length === 4 ? 10.5 : 8.5;
  return svg('text', { 'font-size': (size * scale).toFixed(1) }, value);
}

/** @param {Point} point @param {string} value @param {string} kind */
function label(point, value, kind) {
  return svg('text', { class: kind, x: point.x, y: point.y, 'font-size': value.length < 3 ? 15 : 12 }, value);
}

/** @param {Point} point */
function centered({ x, y }) {
  return { cx: x, cy: y };
}

/** @param {Point} point @param {string} kind @param {number} r */
function ring(point, kind, r) {
  return svg('circle', { class: kind, r, ...centered(point) });
}

/** @param {Point} point @param {string} side */
function lastDot(point, side) {
  return svg('circle', { class: `last-dot on-${side}`, r: 5, ...centered(point) });
}

/** @param {Point} point */
function cross({ x, y }) {
  return svg('path', { class: 'forbidden', d: `M${x - 6} ${y - 6}l12 12m0-12l-12 12` });
}

/** A rectangle over a cell. @param {Layout} at @param {number} cell @param {string} kind @param {number} [inset] */
function tile(at, cell, kind, inset = 0) {
  const { x, y } = at.center(cell);
  const half = UNIT / 2 - inset;
  return svg('rect', { class: `tile ${kind}`, x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: inset });
}
