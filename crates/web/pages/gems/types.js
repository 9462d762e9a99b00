// @ts-check
// Types of the API of Gem Island, and helpers for them.

/** @typedef {"cross" | "star" | "diamond"} Bonus */
/** @typedef {{row: number, column: number}} Cell */
/** @typedef {{first: Cell, second: Cell}} Swap A bonus appears on the first cell if possible. */
/** @typedef {{kind: number, bonus: Bonus | null}} Gem */
/** @typedef {Gem & {ice: number, medal: number | null}} CellView `medal`: the part of a medal, if it is visible. */
/**
 * @typedef {object} View The visible state of a game.
 * @property {number} level
 * @property {number} rows
 * @property {number} columns
 * @property {number} moves
 * @property {number} moves_left
 * @property {number} moves_made
 * @property {number} medals
 * @property {number} medals_left
 * @property {number} score
 * @property {number} bonus
 * @property {"running" | "won" | "lost" | "stuck"} status
 * @property {boolean} helped
 * @property {CellView[]} cells
 * @property {Swap[]} swaps
 */
/**
 * @typedef {object} Frame One pass of a turn.
 * @property {number} number
 * @property {{cell: Cell, gem: Gem}[]} removals
 * @property {{cell: Cell, layers: number}[]} ice
 * @property {Cell[]} medals
 * @property {{cell: Cell, gem: Gem}[]} created
 * @property {{from: Cell, to: Cell}[]} falls
 * @property {{cell: Cell, gem: Gem}[]} refills
 * @property {{cell: Cell, part: number}[]} parts
 * @property {number} score
 */
/** @typedef {{swap: Swap, frames: Frame[], gained: number, reshuffled: Gem[][] | null}} Turn */
/** @typedef {{seed?: string, rank?: number | null, entered?: boolean, yours?: boolean}} Ending */
/** @typedef {{id: string, yours: boolean, view: View} & Ending} GameState `yours`: whether this session may play it. */
/** @typedef {Turn & {status: View['status'], view: View, recorded: boolean | null} & Ending} TurnResult */
/**
 * @typedef {object} Belief
 * @property {(number | null)[]} cells
 * @property {number} hidden
 * @property {boolean} exact
 * @property {number} arrangements
 * @property {number} worlds
 * @property {{swap: Swap, gain: number, ice: number, medals: number, score: number}[]} swaps
 */
/** @typedef {{rank: number, nickname: string, score: number, moves: number, won: boolean, helped: boolean, at: number}} ScoreRow */

/** The name of a cell: columns from a, rows from the bottom. @param {Cell} cell @param {number} rows */
export function cellName({ row, column }, rows) {
  return `${String.fromCharCode(97 + column)}${rows - row}`;
}

/** @param {Cell} a @param {Cell} b */
export function isSame(a, b) {
  return a.row === b.row && a.column === b.column;
}

/** @param {Cell} a @param {Cell} b */
export function areNeighbors(a, b) {
  return Math.abs(a.row - b.row) + Math.abs(a.column - b.column) === 1;
}

/** Whether two swaps exchange the same cells. @param {Swap} a @param {Swap} b */
export function isSameSwap(a, b) {
  return (isSame(a.first, b.first) && isSame(a.second, b.second)) || (isSame(a.first, b.second) && isSame(a.second, b.first));
}

/** 12345 as 12,345. @param {number} value */
export function grouped(value) {
  return Math.round(value).toLocaleString('en');
}

/** "1 medal", "3 medals". @param {number} count @param {string} one */
export function counted(count, one) {
  return `${grouped(count)} ${one}${count === 1 ? '' : 's'}`;
}
