// @ts-check
// Monte Carlo tree search: the visits of each move as discs and bars, growing during the search;
// the color is the win rate.
import { h } from '../lib/dom.js';
import { createFrame } from './frame.js';
import { arrival, barRow, counted, grouped, percent, shortList, thinkingTime } from './rows.js';
/** @import { DrawFunction, TriedMove, Visits } from './types.js' */

export const title = 'Monte Carlo visits';
const SENTENCE =
  'The computer simulates thousands of games and prefers moves that do well. The size of a disc shows the visits of a move, its color the win rate.';
  /** The number of listed moves. */
const LISTED = 12;
/** Discs of less than this share of the largest are not drawn. */
const SMALLEST = 0.01;

/** @type {DrawFunction} */
export function draw(host, context) {
  let seconds = '3';
  const frame = createFrame(host, context, SENTENCE, ...thinkingTime((chosen) => ((seconds = chosen), refresh())));
  const total = h('p', { class: 'think-total' });
  const bars = h('div', { class: 'bars' });
  frame.body.append(total, h('div', { class: 'small muted' }, 'loses ', h('span', { class: 'tone-scale' }), ' wins'), bars);

  function refresh() {
    frame.follow('/api/think/visits', { seconds }, { progress: show, done: show });
  }

  /** @param {Visits} visits */
  function show(visits) {
    frame.data(visits);
    total.textContent = `${counted(visits.simulations, 'simulation')}`;
    total.dataset.value = String(visits.simulations);
    const tried = visits.moves.filter((move) => move.visits > 0).sort((a, b) => b.visits - a.visits);
    // If the best move is immediate, no game is simulated.
    const moves = tried.length > 0 ? tried : visits.moves.slice(0, 1);
    const most = moves[0]?.share || 1;
    const seen = moves.filter(({ share }) => share >= most * SMALLEST);
    context.board.annotate(seen.map((move) => ({ cell: arrival(move), kind: 'info', weight: move.share / most, tone: move.win_rate, title: words(move) })));
    shortList(bars, moves, (move) => rowOf(move, most), LISTED, 'with fewer visits');
  }

  return frame.picture(refresh);
}

/** @param {TriedMove} move */
const words = ({ move, share, win_rate, proven }) => `${move}: ${percent(share)} of visits, win rate ${percent(win_rate)}${proven ? ', proven' : ''}`;

/** @param {TriedMove} tried @param {number} most */
function rowOf(tried, most) {
  const { move, visits, share, win_rate, proven } = tried;
  const row = barRow({ label: move, share: share / most, value: visits, shown: grouped(visits), tone: win_rate, title: words(tried) });
  row.append(h('span', { class: 'number', 'data-value': win_rate }, percent(win_rate) + (proven ? ' ✓' : '')));
  row.dataset.move = move;
  return row;
}
