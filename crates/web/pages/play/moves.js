// @ts-check
// The list of moves: one row per turn of both sides, with a button for each ply.

import { fill, h } from '../lib/dom.js';
import { icon } from '../lib/icons.js';
import { jumpTo } from './state.js';

/** @import { Session, SessionState } from './state.js' */

/** @param {Session} session @param {HTMLElement} host */
export function createMoves(session, host) {
  const list = h('ol', { id: 'moves', class: 'moves', 'aria-label': 'Moves', tabindex: '-1' });
  const step = (
    /** @type {string} */ id,
    /** @type {"first" | "back" | "forward" | "last"} */ name,
    /** @type {string} */ label,
    /** @type {(here: number, end: number) => number} */ to,
  ) =>
    h(
      'button',
      { id, class: 'quiet', type: 'button', 'aria-label': label, title: label, onclick: () => jump(to(here(), end())) },
      icon(name),
    );
  const steps = h(
    'div',
    { class: 'steps' },
    step('first', 'first', 'Go to start', () => 0),
    step('back', 'back', 'Back one move', (at) => at - 1),
    step('forward', 'forward', 'Forward one move', (at) => at + 1),
    step('last', 'last', 'Go to end', (_, last) => last),
  );
  host.append(h('section', { class: 'moves-box', 'aria-label': 'Moves' }, list, steps));
  const here = () => session.state.snapshot.played.length;
  const end = () => session.state.line.played.length;

  // The result of a game shrinks the list; keep the current move visible.
  new ResizeObserver(() => session.ready && mark(here())).observe(list);

  let drawn = '';
  session.subscribe((state) => {
    const key = JSON.stringify([state.game, state.line.start, state.line.position]);
    if (key !== drawn) draw(state);
    drawn = key;
    mark(state.snapshot.played.length);
    setDisabled(state);
  });

  /** @param {number} ply */
  function jump(ply) {
    if (ply !== here()) session.go(jumpTo(session.state, ply));
  }

  /** @param {SessionState} state */
  function draw({ line }) {
    /** @type {HTMLElement[]} */
    const rows = [];
    line.played.forEach(({ move, side }, i) => {
      const last = rows[rows.length - 1];
      const startsRow = !last || (side === 'first' && line.played[i - 1].side === 'second');
      const row = startsRow
        ? h(
            'li',
            null,
            h('span', { class: 'count muted' }, `${rows.length + 1}.`),
            h('span', { class: 'first' }),
            h('span', { class: 'second' }),
          )
        : last;
      if (startsRow) rows.push(row);
      const button = h('button', { class: 'ply', type: 'button', 'data-ply': i + 1, onclick: () => jump(i + 1) }, move);
      row.querySelector(`.${side}`)?.append(button);
    });
    if (rows.length === 0) rows.push(h('li', { class: 'none muted' }, 'No moves yet.'));
    fill(list, rows);
  }

  /** @param {number} ply */
  function mark(ply) {
    list.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const current = list.querySelector(`[data-ply="${ply}"]`);
    if (!(current instanceof HTMLElement)) return void (list.scrollTop = 0);
    current.setAttribute('aria-current', 'step');
    const row = /** @type {HTMLElement} */ (current.closest('li'));
    const above = row.offsetTop < list.scrollTop;
    const below = row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight;
    if (above || below) list.scrollTop = row.offsetTop - list.clientHeight / 2;
  }

  /** @param {SessionState} state */
  function setDisabled({ snapshot, line }) {
    const [first, back, forward, last] = steps.querySelectorAll('button');
    first.disabled = back.disabled = snapshot.played.length === 0;
    forward.disabled = last.disabled = snapshot.played.length === line.played.length;
  }

  return { jump, here, end };
}
