// @ts-check
// Small boards on which players play each other; the visible boards take turns. They pause for
// reduced motion, on hidden pages, and on request.

import { createBoard } from '../board/board.js';
import { get, post } from '../lib/api.js';
import { fill } from '../lib/dom.js';
import { icon } from '../lib/icons.js';

/** @import { Snapshot } from '../lib/api.js' */
/**
 * @typedef {object} GalleryBoard One small board.
 * @property {string} game
 * @property {import('../board/board.js').Board} board
 * @property {Snapshot | null} snapshot
 * @property {boolean} visible
 * @property {number} rest turns to wait before a new game
 */

/** The time between two moves on the page, in milliseconds. */
const PACE = 1100;
/** The most plies of a game before it restarts. */
const LONGEST = 120;
/** The turns for which a finished game stays. */
const REST = 2;
const PLAYER = 'pvs:depth=2';
const OPENER = 'random';

/** @param {HTMLElement} button */
export function createGallery(button) {
  /** @type {GalleryBoard[]} */
  const entries = [];
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  let playing = !calm.matches;
  let next = 0;
  let problems = 0;
  const byElement = /** @type {Map<Element, GalleryBoard>} */ (new Map());
  const watcher = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      const entry = byElement.get(target);
      if (entry) entry.visible = isIntersecting;
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
    fill(button, icon(on ? 'pause' : 'play'), on ? 'Pause boards' : 'Resume boards');
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

  /** Plays a move on the next visible board. */
  async function turn() {
    const visible = entries.filter(({ visible, snapshot }) => visible && snapshot);
    if (visible.length === 0) return;
    next = (next + 1) % visible.length;
    try {
      await step(visible[next]);
      problems = 0;
    } catch {
      problems += 1;
    }
  }

  return {
    /** @param {string} game @param {string} opening @param {HTMLElement} host @param {HTMLElement} element */
    add(game, opening, host, element) {
      const board = createBoard(host, { decorative: true });
      /** @type {GalleryBoard} */
      const entry = { game, board, snapshot: null, visible: false, rest: REST };
      entries.push(entry);
      byElement.set(element, entry);
      watcher.observe(element);
      begin(entry, opening);
    },
    toggle,
  };
}

/** @param {GalleryBoard} entry @param {string} moves */
async function begin(entry, moves) {
  try {
    show(entry, await get('/api/position', { game: entry.game, moves }));
  } catch {
    if (moves !== '') await begin(entry, '');
  }
}

/** @param {GalleryBoard} entry @param {Snapshot} snapshot */
function show(entry, snapshot) {
  entry.snapshot = snapshot;
  const { layers, layers_across: across } = snapshot.board;
  entry.board.show(snapshot, {
    interactive: false,
    coordinates: false,
    across: layers.length === across && across > 2 ? 2 : null,
  });
}

/** @param {GalleryBoard} entry */
async function step(entry) {
  const { game, snapshot } = entry;
  if (!snapshot) return;
  if (snapshot.outcome !== null || snapshot.played.length >= LONGEST) {
    if (entry.rest-- > 0) return;
    entry.rest = REST;
    return begin(entry, '');
  }
  const opening = snapshot.played.length < 2 && snapshot.moves.length < 100;
  const answer = await post('/api/move', { game, moves: snapshot.position, player: opening ? OPENER : PLAYER, seconds: 0.5 });
  show(entry, answer.position);
}
