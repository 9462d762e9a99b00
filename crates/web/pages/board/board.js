// @ts-check
// The board: draws a snapshot of the server and reports the chosen legal move. It knows no rules.
// `choosing.js` handles the input, `overlay.js` draws marks over the pieces.

import { h, svg } from '../lib/dom.js';
import { chooser } from './choosing.js';
import { UNIT, cellName, layout } from './geometry.js';
import { shareGradients, surface } from './materials.js';
import { arrowShapes, ghost, lastTurn, markShapes, previewShapes, signs, targets, underlay } from './overlay.js';
import { pieceName, pieceShape, setOf, usualSides } from './pieces.js';

/** @import { Snapshot, Cell, Side, Step } from '../lib/api.js' */
/** @import { Layout } from './geometry.js' */
/** @import { Mark, Arrow } from './overlay.js' */
/**
 * @typedef {object} View How a position is shown.
 * @property {Side} [bottom] the side at the bottom, in games where sides have a bottom; by default the first
 * @property {boolean} [flipped] whether the board is rotated against that
 * @property {boolean} [numbers] whether stones show move numbers
 * @property {boolean} [interactive] whether moves can be chosen
 * @property {boolean} [coordinates]
 * @property {[string, string]} [sides] their names
 * @property {number | null} [across] boards side by side; null for the diagram's own number
 */
/**
 * @typedef {object} BoardOptions
 * @property {(move: string) => void} [onMove]
 * @property {(cell: number | null) => void} [onHover]
 * @property {(cell: number | null) => void} [onSelect] a piece was selected or deselected
 * @property {(move: string) => void} [onArm] a small cell was tapped; a second tap plays the move
 * @property {boolean} [decorative] a picture without focus and accessible names
 */
/**
 * @typedef {object} Board
 * @property {HTMLElement} element
 * @property {(snapshot: Snapshot, view?: View) => void} show
 * @property {(marks: Mark[]) => void} annotate
 * @property {(arrows: Arrow[]) => void} arrows
 * @property {(steps: Step[] | null) => void} preview
 * @property {() => void} focus
 */

/** The layers of the picture, from the bottom. */
const PARTS = /** @type {const} */ ([
  'under',
  'tiles',
  'heat',
  'cells',
  'face',
  'signs',
  'marks',
  'arrows',
  'hints',
  'carried',
  'cursor',
]);

/**
 * @param {HTMLElement} host
 * @param {BoardOptions} [options]
 * @returns {Board}
 */
export function createBoard(host, options = {}) {
  shareGradients();
  const picture = svg('svg', {
    class: 'board-picture',
    role: options.decorative ? null : 'grid',
    'aria-label': 'Board',
    'aria-hidden': options.decorative ? 'true' : null,
  });
  const element = h('div', { class: 'board' }, picture);
  host.append(element);
  const parts = /** @type {Record<typeof PARTS[number], SVGGElement>} */ ({});
  for (const name of PARTS) picture.append((parts[name] = svg('g', { class: `part-${name}` })));

  /** @type {Snapshot | null} */
  let snapshot = null;
  /** @type {Required<View>} */
  let view = {
    bottom: 'first',
    flipped: false,
    numbers: false,
    interactive: true,
    coordinates: true,
    sides: ['First', 'Second'],
    across: null,
  };
  /** @type {Layout | null} */
  let at = null;
  let shape = '';
  /** @type {SVGGElement[]} */
  let cells = [];
  let focused = 0;
  /** The number of falling pieces; a second one may start before the first has landed. */
  let falling = 0;
  /** Whether the last piece was dragged to its cell, so that it does not slide there. */
  let wasCarried = false;
  /** @type {{marks: Mark[], arrows: Arrow[], preview: Step[] | null}} */
  let drawn = { marks: [], arrows: [], preview: null };

  const choice = chooser(element, {
    snapshot: () => snapshot,
    layout: () => at,
    interactive: () => view.interactive && !options.decorative,
    onMove: (move) => options.onMove?.(move),
    onHover: (cell) => options.onHover?.(cell),
    onChange: (selected) => {
      redraw();
      options.onSelect?.(selected);
    },
    focusCell: (cell) => focusCell(cell, true),
    onArm: (move) => options.onArm?.(move),
    onDrag: carry,
  });

  /** @param {number} cell @param {boolean} take */
  function focusCell(cell, take) {
    if (options.decorative || !cells[cell]) return;
    cells[focused]?.setAttribute('tabindex', '-1');
    focused = cell;
    cells[cell].setAttribute('tabindex', '0');
    if (take) cells[cell].focus({ preventScroll: true });
  }

  /** Draws a dragged piece and empties its cell. @param {number} cell @param {{x: number, y: number} | null} by */
  function carry(cell, by) {
    const piece = cells[cell]?.querySelector('.piece');
    piece?.classList.toggle('lifted', by !== null);
    wasCarried = by === null;
    if (!by || !piece || !at) return parts.carried.replaceChildren();
    const scale = at.width / picture.getBoundingClientRect().width;
    const { x, y } = at.center(cell);
    const copy = /** @type {Element} */ (piece.cloneNode(true));
    copy.classList.remove('lifted', 'slides', 'appears');
    parts.carried.replaceChildren(svg('g', { transform: `translate(${x + by.x * scale} ${y + by.y * scale})` }, copy));
  }

  /** @param {Snapshot} now */
  function build(now) {
    at = layout(now.board, now.material, { ...view, flipped: isTurned(now, view) });
    picture.setAttribute('viewBox', `0 0 ${at.width} ${at.height}`);
    element.className = `board ${now.material} ${setOf(now.board, now.material) ?? ''}`;
    element.style.setProperty('--aspect', String(at.width / at.height));
    element.style.setProperty('--across', String((at.width / UNIT).toFixed(1)));
    const { under, over } = surface(now.board, now.material, at, view.coordinates);
    parts.under.replaceChildren(under);
    parts.face.replaceChildren(over);
    cells = now.board.cells.map((_, cell) => emptyCell(cell, /** @type {Layout} */ (at)));
    parts.cells.replaceChildren(...(options.decorative ? cells : inRows(cells, now, at)));
    focusCell(Math.min(focused, cells.length - 1) || middle(now), false);
  }

  /** @param {number} cell @param {Layout} at */
  function emptyCell(cell, at) {
    const { x, y } = at.center(cell);
    const hit = svg('rect', { class: 'hit', x: -UNIT / 2, y: -UNIT / 2, width: UNIT, height: UNIT });
    const group = svg('g', { 'data-cell': cell, transform: `translate(${x} ${y})` }, hit);
    if (options.decorative) return group;
    group.setAttribute('role', 'gridcell');
    group.setAttribute('tabindex', '-1');
    group.addEventListener('focus', () => {
      focusCell(cell, false);
      drawCursor();
    });
    group.addEventListener('blur', drawCursor);
    return group;
  }

  /** @param {Snapshot} now @param {Snapshot | null} before */
  function setPieces(now, before) {
    const set = setOf(now.board, now.material);
    const step = before && now.played.length === before.played.length + 1 ? now.played[now.played.length - 1] : null;
    now.board.cells.forEach((content, cell) => {
      const old = before?.board.cells[cell];
      if (before && same(old, content)) return;
      cells[cell].querySelector('.piece')?.remove();
      if (typeof content !== 'object') return;
      const { side, symbol } = content.piece;
      const piece = pieceShape(side, symbol, now.material, set);
      if (step && at && !wasCarried) animate(piece, cell, step, now, at, typeof old === 'object');
      cells[cell].append(piece);
      if (piece.classList.contains('falls')) waitFor(piece);
    });
  }

  /** Hides the marks of the last move until its piece has landed. @param {SVGGElement} piece */
  function waitFor(piece) {
    const [fall] = piece.getAnimations();
    if (!fall) return;
    const count = (/** @type {number} */ by) => element.classList.toggle('arriving', (falling += by) > 0);
    const arrived = () => count(-1);
    count(1);
    fall.finished.then(arrived, arrived);
  }

  /** @param {Snapshot} now */
  function setNames(now) {
    if (options.decorative) return;
    const set = setOf(now.board, now.material);
    const last = new Set(lastTurn(now).map((step) => step.cells[step.cells.length - 1]));
    const sides = view.sides[0] === 'First' ? usualSides(now.material, set) : view.sides;
    now.board.cells.forEach((content, cell) => {
      const words = [cellName(now.board, cell)];
      words.push(typeof content === 'object' ? pieceName(content.piece.side, content.piece.symbol, set, sides) : content);
      if (last.has(cell)) words.push('last move');
      if (now.winning.includes(cell)) words.push('winning row');
      if (now.forbidden.includes(cell)) words.push('forbidden');
      const name = words.join(', ');
      if (cells[cell].getAttribute('aria-label') !== name) cells[cell].setAttribute('aria-label', name);
    });
  }

  function redraw() {
    if (!snapshot || !at) return;
    parts.tiles.replaceChildren(...underlay(snapshot, at, choice.selected));
    parts.signs.replaceChildren(...signs(snapshot, at, view.numbers));
    /** @type {SVGElement[]} */
    const hints = targets(choice.targets(), at, snapshot);
    if (choice.hovered !== null && !drawn.preview) hints.push(ghost(snapshot, at, choice.hovered, choice.armed));
    parts.hints.replaceChildren(...hints);
    // The heat map is below the pieces, so that it does not tint them.
    const marks = drawn.preview ? [] : drawn.marks;
    const isHeat = (/** @type {Mark} */ { kind }) => kind === 'heat';
    parts.heat.replaceChildren(...markShapes(marks.filter(isHeat), at));
    const over = markShapes(
      marks.filter((mark) => !isHeat(mark)),
      at,
    );
    parts.marks.replaceChildren(...(drawn.preview ? previewShapes(drawn.preview, snapshot, at) : over));
    parts.arrows.replaceChildren(
      ...arrowShapes(drawn.preview ? drawn.arrows.filter(({ kind }) => kind === 'line') : drawn.arrows, at),
    );
    element.classList.toggle('interactive', view.interactive && snapshot.moves.length > 0);
  }

  function drawCursor() {
    const active = cells[focused];
    if (!at || !active?.matches(':focus-visible')) return parts.cursor.replaceChildren();
    const { x, y } = at.center(focused);
    const box = { x: x - UNIT / 2 + 1, y: y - UNIT / 2 + 1, width: UNIT - 2, height: UNIT - 2, rx: 5 };
    parts.cursor.replaceChildren(svg('rect', { class: 'cursor-halo', ...box }), svg('rect', { class: 'cursor', ...box }));
  }

  return {
    element,
    show(now, wanted = {}) {
      view = { ...view, ...wanted };
      const { columns, rows, layers } = now.board;
      const turned = isTurned(now, view);
      const shapeNow = JSON.stringify([columns, rows, layers, now.material, turned, view.coordinates, view.across]);
      const before = shapeNow === shape ? snapshot : null;
      shape = shapeNow;
      snapshot = now;
      drawn = { marks: [], arrows: [], preview: null };
      choice.reset();
      if (!before) build(now);
      setPieces(now, before);
      wasCarried = false;
      setNames(now);
      redraw();
      drawCursor();
    },
    annotate(marks) {
      drawn.marks = marks;
      redraw();
    },
    arrows(arrows) {
      drawn.arrows = arrows;
      redraw();
    },
    preview(steps) {
      drawn.preview = steps;
      redraw();
    },
    focus() {
      focusCell(focused, true);
    },
  };
}

/** Whether the diagram is rotated by half a turn. @param {Snapshot} now @param {Required<View>} view */
function isTurned({ bottom }, view) {
  return view.flipped !== (bottom !== null && bottom !== view.bottom);
}

/** Groups cells into ARIA rows, and into row groups if there are several boards. */
function inRows(/** @type {SVGGElement[]} */ cells, /** @type {Snapshot} */ now, /** @type {Layout} */ at) {
  const { layers } = now.board;
  return layers.map((label, layer) => {
    const rows = [...Array(at.rows).keys()].map((row) => {
      const start = (layer * at.rows + row) * at.columns;
      return svg('g', { role: 'row' }, cells.slice(start, start + at.columns));
    });
    return svg('g', { role: 'rowgroup', 'aria-label': label ? `Board ${label}` : null }, rows);
  });
}

/** @param {Snapshot} now */
function middle({ board }) {
  const [columns, rows] = [board.columns.length, board.rows.length];
  return Math.floor(rows / 2) * columns + Math.floor(columns / 2);
}

/** @param {Cell | undefined} a @param {Cell} b */
function same(a, b) {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return a.piece.side === b.piece.side && a.piece.symbol === b.piece.symbol;
}

/**
 * Chooses the animation of a piece: fall, slide, flip or appear. Style sheets define the animations, and disable
 * them for reduced motion.
 * @param {SVGGElement} piece
 * @param {number} cell
 * @param {Step} step
 * @param {Snapshot} now
 * @param {Layout} at
 * @param {boolean} replaced
 */
function animate(piece, cell, step, now, at, replaced) {
  const arrived = step.cells[step.cells.length - 1] === cell;
  if (now.material === 'rack' && arrived) {
    const rows = at.place(cell).row + 1;
    piece.classList.add('falls');
    piece.style.setProperty('--drop', `${-rows * UNIT}px`);
    piece.style.setProperty('--time', `${Math.round(140 * Math.sqrt(rows) + 120)}ms`);
  } else if (step.cells.length > 1 && arrived) {
    const [from, to] = [at.center(step.cells[0]), at.center(cell)];
    piece.classList.add('slides');
    piece.style.setProperty('--dx', `${from.x - to.x}px`);
    piece.style.setProperty('--dy', `${from.y - to.y}px`);
  } else if (replaced && now.material === 'felt') piece.classList.add('turns');
  else if (arrived) piece.classList.add('appears');
}
