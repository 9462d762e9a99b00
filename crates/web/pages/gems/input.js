// @ts-check
// Chooses a swap: drag a gem, click two neighbors, or use the arrow keys with Enter or Space.

import { areNeighbors, isSame } from './types.js';

/** @typedef {import('./scene.js').Scene} Scene */
/** @typedef {import('./types.js').Cell} Cell */

/** The least length of a drag, as a part of a cell. */
const FAR_ENOUGH = 0.4;
/** @type {Record<string, [number, number]>} rows and columns of a step */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * @param {Scene} scene
 * @param {{mayPlay(): boolean, onSwap(first: Cell, second: Cell): void}} actions
 */
export function createInput(scene, { mayPlay, onSwap }) {
  /** @type {Cell | null} */
  let picked = null;
  /** @type {{cell: Cell, x: number, y: number, wasPicked: boolean} | null} */
  let drag = null;
  let focus = { row: 0, column: 0 };

  /** @param {Cell | null} cell */
  function pick(cell) {
    if (picked) mark(picked, false);
    picked = cell;
    if (picked) mark(picked, true);
  }

  /** @param {Cell} cell @param {boolean} on */
  function mark(cell, on) {
    scene.target(cell)?.classList.toggle('picked', on);
    scene.target(cell)?.setAttribute('aria-selected', String(on));
  }

  /** @param {Cell} cell */
  function goTo(cell) {
    scene.target(focus)?.setAttribute('tabindex', '-1');
    focus = cell;
    const target = scene.target(cell);
    target?.setAttribute('tabindex', '0');
    target?.focus({ preventScroll: true });
  }

  /** @param {Cell} first @param {Cell} second */
  function swap(first, second) {
    pick(null);
    if (mayPlay() && isOnBoard(second)) onSwap(first, second);
  }

  /** @param {Cell} cell */
  function isOnBoard({ row, column }) {
    const { rows, columns } = scene.size();
    return row >= 0 && column >= 0 && row < rows && column < columns;
  }

  /** @param {Event} event @returns {Cell | null} */
  function cellOf(event) {
    const target = event.target instanceof Element ? event.target.closest('[data-cell]') : null;
    const numbers = target?.getAttribute('data-cell')?.split(',').map(Number);
    return numbers ? { column: numbers[0], row: numbers[1] } : null;
  }

  scene.board.addEventListener('pointerdown', (event) => {
    const cell = cellOf(event);
    if (!cell || event.button !== 0 || !mayPlay()) return;
    event.preventDefault();
    goTo(cell);
    if (picked && areNeighbors(picked, cell)) return swap(picked, cell);
    drag = { cell, x: event.clientX, y: event.clientY, wasPicked: picked !== null && isSame(picked, cell) };
    pick(cell);
    // Otherwise touch events stay at their first cell.
    scene.board.setPointerCapture(event.pointerId);
  });

  scene.board.addEventListener('pointermove', (event) => {
    if (!drag) return;
    const side = scene.board.getBoundingClientRect().width / scene.size().columns;
    const [across, down] = [(event.clientX - drag.x) / side, (event.clientY - drag.y) / side];
    if (Math.max(Math.abs(across), Math.abs(down)) < FAR_ENOUGH) return;
    const { cell } = drag;
    drag = null;
    const sideways = Math.abs(across) > Math.abs(down);
    swap(cell, { row: cell.row + (sideways ? 0 : Math.sign(down)), column: cell.column + (sideways ? Math.sign(across) : 0) });
  });

  scene.board.addEventListener('pointerup', () => {
    if (drag?.wasPicked) pick(null);
    drag = null;
  });
  scene.board.addEventListener('pointercancel', () => { drag = null; });

  scene.board.addEventListener('focusin', (event) => {
    const cell = cellOf(event);
    if (cell && !isSame(cell, focus)) goTo(cell);
  });

  scene.board.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const cell = cellOf(event);
    if (!cell) return;
    if (STEPS[event.key]) {
      const [down, across] = STEPS[event.key];
      const next = { row: cell.row + down, column: cell.column + across };
      event.preventDefault();
      if (picked && isSame(picked, cell)) swap(cell, next);
      if (isOnBoard(next)) goTo(next);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      if (picked && areNeighbors(picked, cell)) swap(picked, cell);
      else pick(picked && isSame(picked, cell) ? null : cell);
    } else if (event.key === 'Escape' && picked) {
      event.preventDefault();
      pick(null);
    }
  });

  return { unpick: () => pick(null) };
}
