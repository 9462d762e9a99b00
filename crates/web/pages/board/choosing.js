// @ts-check
// Choosing a legal move by pointer or keys: one cell where a move has one, the first and then the last
// where pieces move, any cell of a column in a rack. On small cells a finger taps twice. Where several
// moves share their ends a small menu asks which.

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
 * @property {(move: string) => void} onArm a finger has tapped once
 * @property {(cell: number, by: {x: number, y: number} | null) => void} onDrag a piece is carried, so many pixels; null when it is let go
 */

/** A finger needs this many pixels. */
const FINGER = 36;
/** A press that moves so many pixels carries a piece. */
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
    /** @type {number | null} the piece that is to move */
    selected: null,
    /** @type {number | null} where the ghost of a stone is */
    hovered: null,
    /** whether a second tap plays it */
    armed: false,
    targets,
    reset,
  };
  let pointer = 'mouse';
  /** @type {{element: HTMLElement, cell: number} | null} where several moves lead to one cell */
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

  /** Moves that this cell alone stands for. @param {number} cell */
  function placements(cell) {
    const isRack = context.snapshot()?.material === 'rack';
    const column = (/** @type {number} */ of) => context.layout()?.place(of).column;
    return legal().filter(
      ({ cells }) => cells.length === 1 && (cells[0] === cell || (isRack && column(cells[0]) === column(cell))),
    );
  }

  /** Where the selected piece can go. @returns {number[]} */
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

  /** A mouse may carry a piece to where it goes. @param {PointerEvent} event */
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

  /** Whether cells are too small for a finger. */
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

/** Arrows lead through the items of a menu. @param {HTMLElement[]} items @param {KeyboardEvent} event */
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

/** Queens first. @param {LegalMove[]} moves */
function byRank(moves) {
  const rank = (/** @type {LegalMove} */ { move }) => 'qrbn'.indexOf(move.slice(-1));
  return [...moves].sort((a, b) => rank(a) - rank(b));
}

/** @param {string} move */
function promotion(move) {
  const piece = /^[a-h]\d[a-h]\d([qrbn])$/.exec(move)?.[1];
  return piece ? ` – ${PROMOTIONS[piece]}` : '';
}

/** The cell under a pointer or with the focus. @param {EventTarget | null} target */
function cellOf(target) {
  const cell = target instanceof Element ? target.closest('[data-cell]') : null;
  return cell ? Number(cell.getAttribute('data-cell')) : null;
}
