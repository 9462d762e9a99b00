// @ts-check
// The solver: the exact value of every move, on the board and as a list, and the best line.
import { fill, h } from '../lib/dom.js';
import { scoreText, shortScore, sideOf } from '../lib/format.js';
import { createFrame } from './frame.js';
import { arrival, lineOfMoves, previewing, scoreNumber } from './rows.js';
/** @import { DrawFunction, Score, Solution, SolvedMove } from './types.js' */

export const title = 'Perfect play';
const SENTENCE = 'The exact result of each move if both sides play perfectly.';
const SOURCES = { book: 'From the opening book.', search: 'Found by search.' };

/** @type {DrawFunction} */
export function draw(host, context) {
  const frame = createFrame(host, context, SENTENCE);
  const { board } = context;

  function refresh() {
    frame.follow('/api/think/solver', {}, { done: show });
  }

  /** @param {Solution} solution */
  function show({ score, moves, line, known_from }) {
    const { snapshot, info } = context.state();
    frame.data({ score, moves, line, known_from });
    board.annotate(
      moves.map((move) => ({
        cell: arrival(move),
        text: shortScore(move.score),
        kind: kindOf(move.score),
        title: `${move.move} ${outcome(move.score)}`,
      })),
    );
    fill(
      frame.body,
      h('p', { class: 'think-total', 'data-value': scoreNumber(score) }, `${scoreText(score, sideOf(snapshot.to_move, info.sides), '', true)}.`),
      h('h3', null, 'Every move'),
      h('div', { class: 'choices' }, moves.map(moveOf)),
      h('h3', null, 'Best line'),
      lineOfMoves(line, board.preview),
      h('p', { class: 'small muted' }, SOURCES[known_from]),
    );
  }

  /** @param {SolvedMove} solved */
  function moveOf({ move, score, line }) {
    const attributes = { type: 'button', class: `key-${kindOf(score)}`, 'data-move': move, 'data-value': scoreNumber(score) };
    return previewing(h('button', attributes, h('b', null, move), ` ${outcome(score)}`), board.preview, line);
  }

  return frame.picture(refresh);
}

/** @param {Score} score */
const kindOf = (score) => ('win_in' in score ? 'win' : 'loss_in' in score ? 'loss' : 'draw');

/** @param {Score} score */
function outcome(score) {
  if ('win_in' in score) return `wins in ${score.win_in}`;
  return 'loss_in' in score ? `loses in ${score.loss_in}` : 'draws';
}
