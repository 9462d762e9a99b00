// @ts-check
// What is always in sight: the score, the moves that are left, the medals.

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
    // As in the published game: calm up to half of the moves, then a warning, then the last quarter.
    progress.dataset.stage = used < 0.5 ? 'calm' : used < 0.75 ? 'half' : 'late';
    const freed = medals - medals_left;
    byId('medals').setAttribute('aria-label', `${freed} of ${medals} medals freed`);
    fill(byId('medals'), Array.from({ length: medals }, (_, n) => svg('svg', { viewBox: '0 0 200 200', class: n < freed ? 'tally freed' : 'tally' }, svg('use', { href: '#medal' }))));
  }

  return {
    /** Everything as it stands. @param {Counters} next */
    show(next) {
      counters = { ...next };
      draw();
    },
    /** A move is made. */
    spend() {
      counters.moves_left--;
      draw();
    },
    /** A pass brings points, and perhaps medals. @param {import('./types.js').Frame} frame */
    add(frame) {
      counters.score += frame.score;
      counters.medals_left -= frame.medals.length;
      draw();
    },
  };
}
