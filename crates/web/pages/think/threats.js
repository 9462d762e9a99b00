// @ts-check
// Forced wins of both sides: lines of threats and forced answers, on the board and as text.
import { fill, h } from '../lib/dom.js';
import { other, sideOf } from '../lib/format.js';
import { createFrame } from './frame.js';
import { arrival, counted, lineOfMoves } from './rows.js';
/** @import { DrawFunction, Forced, Step, Threats } from './types.js' */

export const title = 'Forced wins';
const SENTENCE = 'In a forced win each move threatens to win, each answer is forced, and the last threat cannot be stopped.';
const KINDS = { fours: ' by fours alone', threats: ' by fours and open threes' };

/** @type {DrawFunction} */
export function draw(host, context) {
  const frame = createFrame(host, context, SENTENCE);
  /** The line on the board without hover. @type {Step[]} */
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
      section('own', `${us} to move`, threats, `${us} wins by force`, `No forced win for ${us} found.`),
      section('against', `If ${them} were to move`, threats.against, `${them} would win by force`, `No forced win for ${them} found.`),
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
        : `${no} The search was incomplete.`;
    const attributes = { 'data-threat': name, 'data-value': found ? line.length : 0 };
    return h('section', attributes, h('h3', null, heading), h('p', null, words), found && lineOfMoves(line, onBoard));
  }

  return frame.picture(() => frame.load('/api/think/threats', {}, show));
}
