// @ts-check
// The buttons under the board and their keyboard shortcuts.

import { byId, fill, h, svg } from '../lib/dom.js';
import { icon } from '../lib/icons.js';
import { addKeys } from '../lib/keys.js';

/** @param {{hint(): void, auto(): void, belief(): void, begin(): void}} actions */
export function createControls({ hint, auto, belief, begin }) {
  const buttons = {
    hint: control('hint', icon('hint'), 'Hint', 'h', hint),
    auto: control('auto', icon('play'), 'Auto-play', 'a', auto),
    belief: control('belief', eye(), 'Belief', 'b', belief),
    new: control('new', icon('plus'), 'New game', 'n', begin),
  };
  fill(byId('controls'), Object.values(buttons));
  addKeys([
    { keys: ['h'], shown: 'h', does: 'show a hint', run: hint },
    { keys: ['a'], shown: 'a', does: 'start or stop auto-play', run: auto },
    { keys: ['b'], shown: 'b', does: 'show the beliefs about hidden medals', run: belief },
    { keys: ['n'], shown: 'n', does: 'new game', run: begin },
    { keys: [], shown: '← ↑ → ↓', does: 'move on the board' },
    { keys: [], shown: 'Enter', does: 'select a gem (also Space); an arrow key swaps it' },
    { keys: [], shown: 'Esc', does: 'deselect the gem' },
  ]);

  return {
    /** @param {{running: boolean, auto: boolean, believing: boolean}} state */
    show({ running, auto: playing, believing }) {
      buttons.hint.disabled = !running || playing;
      buttons.auto.disabled = !running;
      buttons.belief.disabled = !running;
      buttons.belief.setAttribute('aria-pressed', String(believing));
      buttons.auto.setAttribute('aria-pressed', String(playing));
      fill(buttons.auto, icon(playing ? 'pause' : 'play'), h('span', { class: 'word' }, playing ? 'Stop' : 'Auto-play'));
    },
  };
}

/**
 * @param {string} id
 * @param {SVGElement} picture
 * @param {string} label
 * @param {string} key
 * @param {() => void} run
 */
function control(id, picture, label, key, run) {
  return h('button', { id, type: 'button', title: `${label} (${key})`, 'aria-keyshortcuts': key, onclick: run }, picture, h('span', { class: 'word' }, label));
}

function eye() {
  return svg('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg('path', { d: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12Zm10-3a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z' }));
}
