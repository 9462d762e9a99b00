// @ts-check
// The layout of the picture: converts cell indices to coordinates and back, for one or several
// boards, seen from either side.

/** @import { Diagram, Material } from '../lib/api.js' */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{layer: number, row: number, column: number}} Place On the screen: row 0 is at the top. */

/** The side of a cell in units of the picture. */
export const UNIT = 40;

/**
 * @typedef {object} Layout
 * @property {number} width of the whole picture
 * @property {number} height
 * @property {number} columns of one board
 * @property {number} rows
 * @property {Point[]} boards the top left corner of each board's first cell
 * @property {number} across boards side by side
 * @property {number} frame the width of the frame around the cells
 * @property {(cell: number) => Point} center
 * @property {(cell: number) => Place} place
 * @property {(place: Place) => number | null} cellAt
 */

/** The width of the edge around the cells. */
const FRAMES = { paper: 8, kaya: 6, rack: 9, felt: 8, squares: 4 };
/** The space for labels next to the cells. */
const LABELS = { paper: 18, kaya: 15, rack: 8, felt: 15, squares: 14 };
const GAP = 26;

/**
 * @param {Diagram} board
 * @param {Material} material
 * @param {{flipped: boolean, coordinates: boolean, across: number | null}} view `across`: boards side by side; null for the diagram's own number
 * @returns {Layout}
 */
export function layout(board, material, view) {
  const columns = board.columns.length;
  const rows = board.rows.length;
  const layers = board.layers.length;
  const across = Math.min(Math.max(view.across ?? board.layers_across, 1), layers);
  const frame = FRAMES[material] + (view.coordinates && hasOuterLabels(board) ? LABELS[material] : 0);
  const title = layers > 1 ? 16 : 0;
  const boardWidth = columns * UNIT + 2 * frame;
  const boardHeight = rows * UNIT + 2 * frame + title;
  const gap = layers > 1 ? GAP / 2 : 0;
  const corner = (/** @type {number} */ layer) => ({
    x: (layer % across) * (boardWidth + gap) + frame,
    y: Math.floor(layer / across) * (boardHeight + gap) + frame + title,
  });
  const boards = board.layers.map((_, layer) => corner(layer));
  const turned = (/** @type {Place} */ at) => (view.flipped ? turn(at, columns, rows, material) : at);
  const place = (/** @type {number} */ cell) => {
    const layer = Math.floor(cell / (rows * columns));
    const row = Math.floor(cell / columns) % rows;
    return turned({ layer, row, column: cell % columns });
  };
  return {
    width: across * (boardWidth + gap) - gap,
    height: Math.ceil(layers / across) * (boardHeight + gap) - gap + (material === 'rack' ? 10 : 0),
    columns,
    rows,
    boards,
    across,
    frame,
    place,
    center(cell) {
      const at = place(cell);
      const { x, y } = boards[at.layer];
      return { x: x + (at.column + 0.5) * UNIT, y: y + (at.row + 0.5) * UNIT };
    },
    cellAt(seen) {
      const inside = seen.row >= 0 && seen.row < rows && seen.column >= 0 && seen.column < columns;
      if (!inside || !boards[seen.layer]) return null;
      const at = turned(seen);
      return (at.layer * rows + at.row) * columns + at.column;
    },
  };
}

/** Rotates by half a turn; a rack stays upright and shows its back. */
function turn(
  /** @type {Place} */ at,
  /** @type {number} */ columns,
  /** @type {number} */ rows,
  /** @type {Material} */ material,
) {
  const row = material === 'rack' ? at.row : rows - 1 - at.row;
  return { layer: at.layer, row, column: columns - 1 - at.column };
}

/** Whether labels are outside of the board. Where only some squares are used, they have numbers inside. @param {Diagram} board */
export function hasOuterLabels(board) {
  return !board.cells.includes('unused');
}

/** The name of a cell, such as h8, "column 3, row 1" or a square number. @param {Diagram} board @param {number} cell */
export function cellName(board, cell) {
  if (!hasOuterLabels(board)) return board.cells[cell] === 'unused' ? 'light square' : String(squareNumber(board, cell));
  const columns = board.columns.length;
  const rows = board.rows.length;
  const [column, row] = [board.columns[cell % columns], board.rows[Math.floor(cell / columns) % rows]];
  const name = /\d/.test(column) ? `column ${column}, row ${row}` : column + row;
  const layer = board.layers[Math.floor(cell / (columns * rows))];
  return layer ? `board ${layer}, ${name}` : name;
}

/** Numbers the used squares from 1 at the top left. @param {Diagram} board @param {number} cell */
export function squareNumber(board, cell) {
  return board.cells.slice(0, cell + 1).filter((content) => content !== 'unused').length;
}

/**
 * The next cell in a direction on the screen; beyond the edge of a board it is on the adjacent board.
 * @param {Layout} at
 * @param {number} cell
 * @param {number} right
 * @param {number} down
 */
export function neighbor(at, cell, right, down) {
  const { across } = at;
  const { layer, row, column } = at.place(cell);
  const near = at.cellAt({ layer, row: row + down, column: column + right });
  if (near !== null) return near;
  const beyond = layer + right + down * across;
  const sameLine = down !== 0 || Math.floor(beyond / across) === Math.floor(layer / across);
  if (!sameLine || !at.boards[beyond]) return cell;
  const entered = {
    layer: beyond,
    row: down === 0 ? row : down > 0 ? 0 : at.rows - 1,
    column: right === 0 ? column : right > 0 ? 0 : at.columns - 1,
  };
  return at.cellAt(entered) ?? cell;
}
