// @ts-check
// The pieces as SVG around the origin, and their names. The sides differ by shape or rim as well as
// by color.

import { svg } from '../lib/dom.js';

/** @import { Side, Material } from '../lib/api.js' */
/** @typedef {"chess" | "checkers" | null} PieceSet The piece set on a board of squares. */

/** Outlines of chess pieces above a common foot, drawn for this program. */
const CHESSMEN = /** @type {Record<string, string>} */ ({
  P: 'M-3.6-2C-4 4-8 6-8 10H8C8 6 4 4 3.6-2A5.6 5.6 0 1 0-3.6-2Z',
  R: 'M-9-13h4v3h3v-3h4v3h3v-3h4v7l-3 3v9l3 4H-9l3-4V-3l-3-3Z',
  N: 'M-4-15-1.5-11.5C7-11.5 10.5-3 9 10H-7C-7 4.5-.5 2.5 0-2.5-3-.5-5.5.5-7.5 3-9.5 3.5-11.5 1-10.5-1.5-8.5-5-7.5-9-5.5-11.5Z',
  B: 'M0-16.5a2.3 2.3 0 0 1 1.6 4C6.5-8.5 8.5-3 4.8 2.2L6.5 10H-6.5L-4.8 2.2C-8.5-3-6.5-8.5-1.6-12.5A2.3 2.3 0 0 1 0-16.5Z',
  Q: 'M-7 10-11.5-9-5.5-1.5-4.2-13.5 0-3 4.2-13.5 5.5-1.5 11.5-9 7 10Z',
  K: 'M-1.3-17h2.6v2.4h2.6v2.4H1.3v3.7C4-12 12.5-10 11.5-3.5 10.8 1 7 4 7 10H-7C-7 4-10.8 1-11.5-3.5-12.5-10-4-12-1.3-8.5v-3.7H-3.9v-2.4h2.6Z',
});
const DETAILS = /** @type {Record<string, string>} */ ({
  N: 'M-4.5-6.5h.01',
  B: 'M2-9-1.5-3.5M-5 2.2H5',
  Q: 'M-8.5 5.5H8.5',
  K: 'M-7.5 5.5H7.5M0-8.5V4',
  R: 'M-6-3H6M-6 6H6',
  P: '',
});
const FOOT = 'M-9 10H9q2 0 2 2v3H-11v-3q0-2 2-2Z';
const NAMES = /** @type {Record<string, string>} */ ({ P: 'pawn', R: 'rook', N: 'knight', B: 'bishop', Q: 'queen', K: 'king' });

/**
 * Draws a piece around the origin, for cells of 40 units.
 * @param {Side} side
 * @param {string} symbol
 * @param {Material} material
 * @param {PieceSet} set
 * @returns {SVGGElement}
 */
export function pieceShape(side, symbol, material, set) {
  const group = svg('g', { class: `piece ${side}` });
  if (material === 'paper') group.append(inkMark(side));
  else if (material === 'rack') group.append(...rackDisc(side));
  else if (set === 'chess') group.append(...chessman(symbol));
  else if (set === 'checkers') group.append(...man(side, symbol));
  else group.append(...stone(side, material));
  return group;
}

/** @param {Side} side */
function inkMark(side) {
  if (side === 'first') return svg('path', { class: 'ink', d: 'M-11-11 11 11M11-11-11 11' });
  return svg('circle', { class: 'ink', r: 12 });
}

/** @param {Side} side @param {Material} material */
function stone(side, material) {
  const r = material === 'felt' ? 16 : 18.4;
  const fill = `url(#tesuji-${side === 'first' ? 'dark' : 'light'})`;
  return [svg('circle', { class: 'shade', cx: 0.8, cy: 1.8, r }), svg('circle', { class: 'rim', r, fill })];
}

/** @param {Side} side */
function rackDisc(side) {
  const sign =
    side === 'second' ? svg('circle', { class: 'relief', r: 9.5 }) : svg('path', { class: 'relief', d: 'M-7-7 7 7M7-7-7 7' });
  return [svg('circle', { class: 'disc', r: 18 }), svg('circle', { class: 'relief', r: 15 }), sign];
}

/** @param {string} symbol */
function chessman(symbol) {
  const kind = symbol.toUpperCase();
  const body = svg('path', { class: 'body', d: (CHESSMEN[kind] ?? CHESSMEN.P) + FOOT });
  const detail = svg('path', { class: 'detail', d: DETAILS[kind] ?? '' });
  return [body, detail];
}

/** @param {Side} side @param {string} symbol */
function man(side, symbol) {
  const fill = `url(#tesuji-${side === 'first' ? 'dark' : 'light'})`;
  const parts = [
    svg('circle', { class: 'shade', cx: 0.8, cy: 2.2, r: 15.5 }),
    svg('circle', { class: 'rim', r: 15.5, fill }),
    svg('circle', { class: 'groove', r: 11 }),
  ];
  const isKing = symbol === symbol.toUpperCase();
  if (isKing) parts.push(svg('circle', { class: 'groove', r: 8 }), svg('circle', { class: 'rim', r: 15.5, cy: -4, fill }));
  const crown = svg('path', { class: 'crown', d: 'M-7 1-8-9-3.5-4.5 0-11 3.5-4.5 8-9 7 1Z' });
  return isKing ? [...parts, crown] : parts;
}

/** The piece set of a board. @param {import('../lib/api.js').Diagram} board @param {Material} material @returns {PieceSet} */
export function setOf(board, material) {
  if (material !== 'squares') return null;
  return board.cells.includes('unused') ? 'checkers' : 'chess';
}

/**
 * The name of a piece: "black", "X", "white knight", "black king".
 * @param {Side} side
 * @param {string} symbol
 * @param {PieceSet} set
 * @param {[string, string]} sides
 */
export function pieceName(side, symbol, set, sides) {
  const owner = sides[side === 'first' ? 0 : 1];
  if (set === 'chess') return `${owner.toLowerCase()} ${NAMES[symbol.toUpperCase()] ?? symbol}`;
  if (set === 'checkers') return `${owner.toLowerCase()} ${symbol === symbol.toUpperCase() ? 'king' : 'man'}`;
  return owner.length > 1 ? owner.toLowerCase() : owner;
}

/** Default names of the sides. @param {Material} material @param {PieceSet} set @returns {[string, string]} */
export function usualSides(material, set) {
  if (material === 'paper') return ['X', 'O'];
  if (material === 'rack') return ['Red', 'Yellow'];
  if (set === 'checkers') return ['Dark', 'Light'];
  return set === 'chess' ? ['White', 'Black'] : ['Black', 'White'];
}
