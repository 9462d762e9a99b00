// @ts-check
// Forced wins: a line in which every move threatens and every answer is forced, as numbered stones with arrows on the board
// and as text; and the same for the other side, if it were to move.
import { fill, h } from '../lib/dom.js';
import { other, sideOf } from '../lib/format.js';
import { createFrame } from './frame.js';
import { arrival, counted, lineOfMoves } from './rows.js';
/** @import { DrawFunction, Forced, Step, Threats } from './types.js' */

export const title = 'Forced wins';
const SENTENCE = 'A forced win: each move threatens to finish the game, each answer is the only one, and the last threat cannot be met.';
const KINDS = { fours: ' by fours alone', threats: ' by fours and open threes' };

/** @type {DrawFunction} */
export function draw(host, context) {
  const frame = createFrame(host, context, SENTENCE);
  /** The line that is on the board while nothing is pointed at. @type {Step[]} */
  let standing = [];

  /** @param {Step[] | null} line */
  function onBoard(line) {
    const steps = line ?? standing;
    const stones = steps.map(arrival);
    context.board.preview(steps.length > 0 ? steps : null);
    context.board.arrows(stones.slice(1).map((to, i) => ({ from: stones[i], to, kind: 'line' })));
  }

  /** @param {Threats} threats */
  function show(threats) {
    const { sides } = context.state().info;
    const us = sideOf(threats.side, sides);
    const them = sideOf(other(threats.side), sides);
    fill(
      frame.body,
      section('own', `${us} to move`, threats, `${us} wins by force`, `No forced win for ${us} was found.`),
      section('against', `If ${us} did nothing`, threats.against, `${them} would win by force`, `${them} threatens no forced win.`),
    );
    standing = [threats, threats.against].find(({ found }) => found)?.line ?? [];
    onBoard(null);
  }

  /** @param {string} name @param {string} heading @param {Forced} forced @param {string} yes @param {string} no */
  function section(name, heading, { found, kind, line, sure }, yes, no) {
    const words = found
      ? `${yes}${kind ? KINDS[kind] : ''}, in ${counted(line.length, 'move')} of both sides.`
      : sure
        ? no
        : `${no} Not everything could be looked at.`;
    const attributes = { 'data-threat': name, 'data-value': found ? line.length : 0 };
    return h('section', attributes, h('h3', null, heading), h('p', null, words), found && lineOfMoves(line, onBoard));
  }

  return frame.picture(() => frame.load('/api/think/threats', {}, show));
}
