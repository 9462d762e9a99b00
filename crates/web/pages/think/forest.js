// @ts-check
// The forest: every placement of a pattern votes win, draw or loss. The board shows the votes per
// cell as a heat map; a cell shows its patterns and rules; the votes that the best move changes are
// listed.
import { cellName } from '../board/geometry.js';
import { fill, h, svg } from '../lib/dom.js';
import { shortScore, sideOf } from '../lib/format.js';
import { createFrame } from './frame.js';
import { arrival, barRow, counted, scaled, scoreNumber, votesBar } from './rows.js';
/** @import { Diagram, DrawFunction, Forest, Mark, Placement, Snapshot, Votes } from './types.js' */

export const title = 'Votes of the forest';
const SENTENCE =
  'A forest consists of small patterns. Each placement with a stone votes win, draw or loss for the side to move; ' +
  'the board shows cells with more votes for a win (+) or for a loss (−).';
  const HOW = 'Point at a cell, or use the arrow keys, to see its patterns.';
  /** The number of listed moves and patterns. */
const LISTED = 6;
/** The least strength of a cell with a sign, from 0 to 1. */
const SIGNED = 0.2;
const CELL = 20;

/** @type {DrawFunction} */
export function draw(host, context) {
  const frame = createFrame(host, context, SENTENCE);
  const { board, state } = context;
  /** Shows the patterns of a cell; set with the response. @type {(cell: number) => void} */
  let lookAt = () => {};
  const pointed = (/** @type {Event} */ { target }) => {
    const cell = target instanceof Element && target.closest('[data-cell]')?.getAttribute('data-cell');
    if (cell) lookAt(Number(cell));
  };
  board.element.addEventListener('pointerover', pointed);
  board.element.addEventListener('focusin', pointed);

  function refresh() {
    lookAt = () => {};
    frame.load('/api/think/forest', {}, show);
  }

  /** @param {Forest} forest */
  function show({ model, value, to_move, votes, voting, cells, placements, moves, deciding }) {
    const { snapshot, info } = state();
    const diagram = snapshot.board;
    const heat = heatOf(cells, snapshot);
    /** A pattern, whose cells are marked on hover. @param {Placement} placement @param {Placement['vote']} after */
    function rowOf({ tree, cells, seen, vote, rule }, after) {
      const point = () => board.annotate([...heat, ...cells.map((cell) => /** @type {Mark} */ ({ cell, kind: 'best', weight: 0.2 }))]);
      const leave = () => board.annotate(heat);
      const words = h(
        'span',
        null,
        h('b', { class: `key-${vote}` }, vote ?? 'no vote'),
        after !== vote && ` → ${after ?? 'no vote'}`,
        ` (tree ${tree}): ${rule}`,
      );
      return h('li', { tabindex: 0, onmouseenter: point, onfocus: point, onmouseleave: leave, onblur: leave }, patternPicture(snapshot, cells, seen), words);
    }
    const heading = h('h3', { 'aria-live': 'polite' });
    const patterns = h('div');
    lookAt = (cell) => {
      const through = placementsThrough(placements, cell);
      const { win, draw, loss } = cells[cell];
      heading.textContent = `${cellName(diagram, cell)}: ${counted(win + draw + loss, 'vote')}`;
      heading.dataset.value = String(win + draw + loss);
      fill(
        patterns,
        votesBar(cells[cell]),
        h(
          'ul',
          null,
          through.slice(0, LISTED).map((placement) => rowOf(placement, placement.vote)),
        ),
      );
    };
    const deciders = deciding.flatMap((i) => placements[i] ?? []).slice(0, LISTED);
    fill(
      frame.body,
      h(
        'p',
        { class: 'think-total', 'data-value': scoreNumber(value) },
        `${counted(voting, 'pattern')} vote: ${worth(value)} for ${sideOf(to_move, info.sides)}`,
      ),
      votesBar(votes),
      h('p', { class: 'small muted' }, `${HOW} The forest is ${model}.`),
      h('section', { class: 'patterns' }, heading, patterns),
      movesOf(moves, lookAt),
      deciders.length > 0 &&
        h(
          'section',
          { class: 'deciding' },
          h('h3', null, `Votes that ${moves[0]?.move} changes most`),
          h(
            'ul',
            null,
            deciders.map((placement) => rowOf(placement, placement.after)),
          ),
        ),
    );
    if (moves[0]) lookAt(arrival(moves[0]));
    board.annotate(heat);
  }

  return frame.picture(refresh, () => {
    board.element.removeEventListener('pointerover', pointed);
    board.element.removeEventListener('focusin', pointed);
  });
}

/** @param {Votes} votes */
const votesText = ({ win, draw, loss }) => `${win} win, ${draw} draw, ${loss} loss`;

/**
 * The heat map: warm for more wins than losses, cold for more losses, faint over stones. A rack has discs, as its blue
 * would mix with the heat.
 * @param {Votes[]} cells @param {Snapshot} snapshot @returns {Mark[]}
 */
function heatOf(cells, { board, material }) {
  const most = Math.max(1, ...cells.map(({ win, loss }) => Math.abs(win - loss)));
  return cells.flatMap((votes, cell) => {
    const warmth = (votes.win - votes.loss) / most;
    const taken = board.cells[cell] !== 'empty';
    if (warmth === 0 || (taken && material === 'rack')) return [];
    const strength = Math.abs(warmth);
    const text = taken || strength < SIGNED ? '' : warmth > 0 ? '+' : '−';
    const title = `${cellName(board, cell)}: ${votesText(votes)}`;
    const [kind, weight] =
      material === 'rack' ? /** @type {const} */ (['info', strength]) : /** @type {const} */ (['heat', (taken ? 0.25 : 0.8) * Math.sqrt(strength)]);
    return { cell, kind, weight, tone: warmth > 0 ? 1 : 0, text, title };
  });
}

/** The voting placements of a cell, those with most stones first. @param {Placement[]} placements @param {number} cell */
function placementsThrough(placements, cell) {
  const stones = (/** @type {Placement} */ { seen }) => seen.replace(/[^XO]/g, '').length;
  return placements.filter(({ cells, vote }) => vote && cells.includes(cell)).sort((a, b) => stones(b) - stones(a));
}

/** Draws the cells of a pattern and their contents. @param {Snapshot} snapshot @param {number[]} cells @param {string} seen */
function patternPicture({ board: { columns, rows }, material, to_move }, cells, seen) {
  const first = to_move === 'first' ? 'X' : 'O';
  const xs = cells.map((cell) => cell % columns.length);
  const ys = cells.map((cell) => Math.floor(cell / columns.length) % rows.length);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [CELL * (Math.max(...xs) - left + 1) + 2, CELL * (Math.max(...ys) - top + 1) + 2];
  const shapes = cells.map((_, i) =>
    svg(
      'g',
      { transform: `translate(${(xs[i] - left) * CELL} ${(ys[i] - top) * CELL})` },
      svg('rect', { width: CELL, height: CELL }),
      seen[i] === '.'
        ? null
        : seen[i] === first && material === 'paper'
          ? svg('path', { d: 'M5 5L15 15M15 5L5 15' })
          : svg('circle', { class: seen[i] === first ? 'first' : null, cx: CELL / 2, cy: CELL / 2, r: 6 }),
    ),
  );
  return svg('svg', { class: 'pattern', viewBox: `-1 -1 ${width} ${height}`, width: width / 2, height: height / 2, 'aria-hidden': 'true' }, shapes);
}

/** Lists the best moves; each shows the patterns of its cell. @param {Forest['moves']} moves @param {(cell: number) => void} lookAt */
function movesOf(moves, lookAt) {
  const estimates = moves.flatMap(({ value }) => ('estimate' in value ? value.estimate : []));
  const [least, most] = [Math.min(0, ...estimates), Math.max(0, ...estimates)];
  const shares = scaled(moves.map(({ value }) => ('win_in' in value ? most : 'loss_in' in value ? least : value.estimate)));
  const rows = moves.slice(0, LISTED).map(({ move, cells, value, votes }, i) => {
    const row = barRow({ label: move, share: shares[i], value: scoreNumber(value), shown: worth(value), title: votesText(votes) });
    const look = () => lookAt(arrival({ cells }));
    for (const event of ['mouseenter', 'focus', 'click']) row.addEventListener(event, look);
    row.tabIndex = 0;
    row.setAttribute('role', 'button');
    return row;
  });
  return h('section', { class: 'bars' }, h('h3', null, 'Best moves'), rows);
}

/** The value of votes as weighted percentages, as in the thesis; the server sends thousandths. @param {import('../lib/api.js').Score} value */
function worth(value) {
  if (!('estimate' in value)) return shortScore(value);
  const shares = value.estimate / 1000;
  return `${shares > 0 ? '+' : shares < 0 ? '−' : ''}${Math.abs(shares).toFixed(1)}`;
}
