// @ts-check
// Small boards that play themselves: one of those in sight makes a move at a time, slowly. They rest where
// motion is unwelcome, while the page is not looked at, and when told to.

import { createBoard } from '../board/board.js';
import { get, post } from '../lib/api.js';
import { fill } from '../lib/dom.js';
import { icon } from '../lib/icons.js';

/** @import { Snapshot } from '../lib/api.js' */
/**
 * @typedef {object} Seat One small board.
 * @property {string} game
 * @property {import('../board/board.js').Board} board
 * @property {Snapshot | null} snapshot
 * @property {boolean} seen
 * @property {number} rest turns to wait before a new game
 */

/** Between two moves on the whole page, in milliseconds. */
const PACE = 1100;
/** After this many plies a game that does not end begins again. */
const LONGEST = 120;
/** How long a finished game stays, in turns of its board. */
const REST = 2;
const PLAYER = 'pvs:depth=2';
const OPENER = 'random';

/** @param {HTMLElement} button */
export function createGallery(button) {
  /** @type {Seat[]} */
  const seats = [];
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  let playing = !calm.matches;
  let next = 0;
  let problems = 0;
  const byElement = /** @type {Map<Element, Seat>} */ (new Map());
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const seat = byElement.get(target);
      if (seat) seat.seen = isIntersecting;
    }
  });
  button.hidden = false;
  button.addEventListener('click', toggle);
  calm.addEventListener('change', () => setPlaying(!calm.matches));
  setPlaying(playing);
  schedule();

  /** @param {boolean} on */
  function setPlaying(on) {
    playing = on;
    fill(button, icon(on ? 'pause' : 'play'), on ? 'Let the boards rest' : 'Let the boards play');
    button.setAttribute('aria-pressed', String(!on));
  }

  function toggle() {
    setPlaying(!playing);
  }

  function schedule() {
    setTimeout(
      async () => {
        if (playing && !document.hidden) await turn();
        schedule();
      },
      PACE * 2 ** Math.min(problems, 5),
    );
  }

  /** The next board in sight makes a move. */
  async function turn() {
    const seen = seats.filter(({ seen, snapshot }) => seen && snapshot);
    if (seen.length === 0) return;
    next = (next + 1) % seen.length;
    try {
      await step(seen[next]);
      problems = 0;
    } catch {
      problems += 1;
    }
  }

  return {
    /** @param {string} game @param {string} opening @param {HTMLElement} host @param {HTMLElement} element */
    add(game, opening, host, element) {
      const board = createBoard(host, { decorative: true });
      /** @type {Seat} */
      const seat = { game, board, snapshot: null, seen: false, rest: REST };
      seats.push(seat);
      byElement.set(element, seat);
      watcher.observe(element);
      begin(seat, opening);
    },
    toggle,
  };
}

/** @param {Seat} seat @param {string} moves */
async function begin(seat, moves) {
  try {
    show(seat, await get('/api/position', { game: seat.game, moves }));
  } catch {
    if (moves !== '') await begin(seat, '');
  }
}

/** @param {Seat} seat @param {Snapshot} snapshot */
function show(seat, snapshot) {
  seat.snapshot = snapshot;
  const { layers, layers_across: across } = snapshot.board;
  seat.board.show(snapshot, {
    interactive: false,
    coordinates: false,
    across: layers.length === across && across > 2 ? 2 : null,
  });
}

/** @param {Seat} seat */
async function step(seat) {
  const { game, snapshot } = seat;
  if (!snapshot) return;
  if (snapshot.outcome !== null || snapshot.played.length >= LONGEST) {
    if (seat.rest-- > 0) return;
    seat.rest = REST;
    return begin(seat, '');
  }
  const opening = snapshot.played.length < 2 && snapshot.moves.length < 100;
  const answer = await post('/api/move', { game, moves: snapshot.position, player: opening ? OPENER : PLAYER, seconds: 0.5 });
  show(seat, answer.position);
}
