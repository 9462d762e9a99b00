// @ts-check
// The bar with the score, the remaining moves and the medals.

import { byId, fill, svg } from '../lib/dom.js';
import { grouped } from './types.js';

/** @typedef {Pick<import('./types.js').View, 'score' | 'moves' | 'moves_left' | 'medals' | 'medals_left'>} Counters */

export function createBar() {
  /** @type {Counters} */
  let counters = { score: 0, moves: 0, moves_left: 0, medals: 0, medals_left: 0 };

  function draw() {
    const { score, moves, moves_left, medals, medals_left } = counters;
    const used = moves ? 1 - moves_left / moves : 0;
    byId('score').textContent = grouped(score);
    byId('moves-left').textContent = String(moves_left);
    const progress = byId('progress');
    progress.style.setProperty('--left', String(1 - used));
    // As in the published game: three stages, up to half of the moves, to three quarters, and to
    // the end.
    progress.dataset.stage = used < 0.5 ? 'calm' : used < 0.75 ? 'half' : 'late';
    const freed = medals - medals_left;
    byId('medals').setAttribute('aria-label', `${freed} of ${medals} medals freed`);
    fill(byId('medals'), Array.from({ length: medals }, (_, n) => svg('svg', { viewBox: '0 0 200 200', class: n < freed ? 'tally freed' : 'tally' }, svg('use', { href: '#medal' }))));
  }

  return {
    /** Shows new values. @param {Counters} next */
    show(next) {
      counters = { ...next };
      draw();
    },
    /** Counts a move. */
    spend() {
      counters.moves_left--;
      draw();
    },
    /** Adds the score and the medals of a pass. @param {import('./types.js').Frame} frame */
    add(frame) {
      counters.score += frame.score;
      counters.medals_left -= frame.medals.length;
      draw();
    },
  };
}
