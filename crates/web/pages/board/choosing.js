// @ts-check
// Chooses a legal move by pointer or keyboard: by its cell, by its first and last cell where pieces
// move, or by any cell of a column in a rack. Small cells need two taps. If several moves have the
// same first and last cell, a menu opens.

import { h } from '../lib/dom.js';
import { neighbor } from './geometry.js';

/** @import { Snapshot, LegalMove } from '../lib/api.js' */
/** @import { Layout } from './geometry.js' */
/**
 * @typedef {object} ChooserContext
 * @property {() => Snapshot | null} snapshot
 * @property {() => Layout | null} layout
 * @property {() => boolean} interactive
 * @property {(move: string) => void} onMove
 * @property {(cell: number | null) => void} onHover
 * @property {(selected: number | null) => void} onChange
 * @property {(cell: number) => void} focusCell
 * @property {(move: string) => void} onArm the first of two taps
 * @property {(cell: number, by: {x: number, y: number} | null) => void} onDrag a piece is dragged by these pixels; null when it is dropped
 */

/** The least width of a cell for a single tap, in pixels. */
const FINGER = 36;
/** The least distance of a drag, in pixels. */
const CARRIED = 5;
const ARROWS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
});
const PROMOTIONS = /** @type {Record<string, string>} */ ({ q: 'queen', r: 'rook', b: 'bishop', n: 'knight' });

/**
 * @param {HTMLElement} element
 * @param {ChooserContext} context
 */
export function chooser(element, context) {
  const state = {
    /** @type {number | null} the selected piece */
    selected: null,
    /** @type {number | null} the cell of the ghost stone */
    hovered: null,
    /** whether a second tap plays it */
    armed: false,
    targets,
    reset,
  };
  let pointer = 'mouse';
  /** @type {{element: HTMLElement, cell: number} | null} the menu of moves to one cell */
  let menu = null;
  /** @type {{cell: number, x: number, y: number, moved: boolean} | null} */
  let carried = null;

  element.addEventListener('pointerdown', (event) => {
    pointer = event.pointerType;
    lift(event);
  });
  element.addEventListener('click', (event) => {
    const cell = cellOf(event.target);
    if (cell !== null) choose(cell, pointer === 'touch' && isSmall());
  });
  element.addEventListener('pointermove', (event) => {
    if (carried) carry(event);
    else if (event.pointerType !== 'touch') hover(cellOf(event.target));
  });
  element.addEventListener('pointerleave', (event) => {
    if (event.pointerType !== 'touch') hover(null);
  });
  window.addEventListener('pointerup', drop);
  element.addEventListener('keydown', onKey);

  function reset() {
    Object.assign(state, { selected: null, armed: false, hovered: null });
    closeMenu();
  }

  /** @returns {LegalMove[]} */
  function legal() {
    return context.interactive() ? (context.snapshot()?.moves ?? []) : [];
  }

  /** The moves that this cell alone determines. @param {number} cell */
  function placements(cell) {
    const isRack = context.snapshot()?.material === 'rack';
    const column = (/** @type {number} */ of) => context.layout()?.place(of).column;
    return legal().filter(
      ({ cells }) => cells.length === 1 && (cells[0] === cell || (isRack && column(cells[0]) === column(cell))),
    );
  }

  /** The destinations of the selected piece. @returns {number[]} */
  function targets() {
    if (state.selected === null) return [];
    const ends = legal().filter(({ cells }) => cells.length > 1 && cells[0] === state.selected);
    return [...new Set(ends.map(({ cells }) => cells[cells.length - 1]))];
  }

  /** @param {number} cell @param {boolean} twice */
  function choose(cell, twice) {
    closeMenu();
    const placed = placements(cell);
    if (placed.length > 0) return place(placed, twice);
    const moved = legal().filter(
      ({ cells }) => cells.length > 1 && cells[0] === state.selected && cells[cells.length - 1] === cell,
    );
    if (moved.length > 0) return play(moved, cell);
    state.selected = canLeave(cell) && state.selected !== cell ? cell : null;
    Object.assign(state, { hovered: null, armed: false });
    context.onChange(state.selected);
  }

  /** @param {LegalMove[]} found @param {boolean} twice */
  function place(found, twice) {
    const cell = found[0].cells[0];
    if (!twice || (state.armed && state.hovered === cell)) return play(found, cell);
    Object.assign(state, { hovered: cell, armed: true });
    context.onChange(null);
    context.onArm(found[0].move);
  }

  /** @param {LegalMove[]} found @param {number} cell */
  function play(found, cell) {
    if (found.length === 1) return context.onMove(found[0].move);
    openMenu(found, cell);
  }

  /** Starts a drag with the mouse. @param {PointerEvent} event */
  function lift({ pointerType, button, target, clientX: x, clientY: y }) {
    const cell = cellOf(target);
    if (cell !== null && pointerType === 'mouse' && button === 0 && canLeave(cell)) carried = { cell, x, y, moved: false };
  }

  /** @param {PointerEvent} event */
  function carry({ clientX, clientY }) {
    if (!carried) return;
    const by = { x: clientX - carried.x, y: clientY - carried.y };
    if (!carried.moved && Math.hypot(by.x, by.y) < CARRIED) return;
    if (!carried.moved) {
      carried.moved = true;
      state.selected = carried.cell;
      context.onChange(carried.cell);
    }
    context.onDrag(carried.cell, by);
  }

  /** @param {PointerEvent} event */
  function drop({ clientX, clientY }) {
    const from = carried;
    carried = null;
    if (!from?.moved) return;
    context.onDrag(from.cell, null);
    const cell = cellOf(document.elementFromPoint(clientX, clientY));
    if (cell !== null && cell !== from.cell) choose(cell, false);
  }

  /** @param {number} cell */
  function canLeave(cell) {
    return legal().some(({ cells }) => cells.length > 1 && cells[0] === cell);
  }

  /** @param {number | null} cell */
  function hover(cell) {
    context.onHover(cell);
    const aim = cell === null ? null : (placements(cell)[0]?.cells[0] ?? null);
    if (aim === state.hovered || state.armed) return;
    state.hovered = aim;
    context.onChange(state.selected);
  }

  /** Whether cells are too small for a single tap. */
  function isSmall() {
    const cell = element.querySelector('[data-cell]');
    const isRack = context.snapshot()?.material === 'rack';
    return !isRack && cell !== null && cell.getBoundingClientRect().width < FINGER;
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Escape') return escape();
    const cell = cellOf(event.target);
    const at = context.layout();
    const direction = ARROWS[event.key];
    if (cell === null || !at) return;
    if (direction) {
      context.focusCell(neighbor(at, cell, direction[0], direction[1]));
    } else if (context.interactive() && (event.key === 'Enter' || event.key === ' ')) choose(cell, false);
    else return;
    event.preventDefault();
  }

  function escape() {
    if (state.selected === null && !state.armed && !menu) return;
    const asked = menu?.cell;
    reset();
    context.onChange(null);
    if (asked !== undefined) context.focusCell(asked);
  }

  /** @param {LegalMove[]} found @param {number} cell */
  function openMenu(found, cell) {
    const buttons = byRank(found).map(({ move }) =>
      h('button', { type: 'button', role: 'menuitem', tabindex: '-1', onclick: () => pick(move) }, move, promotion(move)),
    );
    const list = h('div', { class: 'move-menu', role: 'menu', 'aria-label': 'Which move?' }, buttons);
    list.addEventListener('keydown', (event) => stepThrough(buttons, event));
    const box = element.querySelector(`[data-cell="${cell}"]`)?.getBoundingClientRect();
    const host = element.getBoundingClientRect();
    if (box) {
      list.style.setProperty('left', `${Math.min(box.left - host.left, host.width - 150)}px`);
      list.style.setProperty('top', `${Math.min(box.bottom - host.top, host.height - 40 * found.length)}px`);
    }
    element.append(list);
    menu = { element: list, cell };
    buttons[0].focus();
  }

  /** @param {string} move */
  function pick(move) {
    closeMenu();
    context.onMove(move);
  }

  function closeMenu() {
    menu?.element.remove();
    menu = null;
  }

  return state;
}

/** Moves the focus in a menu with arrow keys. @param {HTMLElement[]} items @param {KeyboardEvent} event */
function stepThrough(items, event) {
  const here = items.findIndex((item) => item === document.activeElement);
  const last = items.length - 1;
  const steps = new Map([
    ['ArrowDown', here < last ? here + 1 : 0],
    ['ArrowUp', here > 0 ? here - 1 : last],
    ['Home', 0],
    ['End', last],
  ]);
  const there = steps.get(event.key);
  if (there === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  items[there].focus();
}

/** Sorts promotions, queens first. @param {LegalMove[]} moves */
function byRank(moves) {
  const rank = (/** @type {LegalMove} */ { move }) => 'qrbn'.indexOf(move.slice(-1));
  return [...moves].sort((a, b) => rank(a) - rank(b));
}

/** @param {string} move */
function promotion(move) {
  const piece = /^[a-h]\d[a-h]\d([qrbn])$/.exec(move)?.[1];
  return piece ? ` – ${PROMOTIONS[piece]}` : '';
}

/** The cell of an event target. @param {EventTarget | null} target */
function cellOf(target) {
  const cell = target instanceof Element ? target.closest('[data-cell]') : null;
  return cell ? Number(cell.getAttribute('data-cell')) : null;
}
