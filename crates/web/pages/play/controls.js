// @ts-check
// The buttons under the board and their keyboard shortcuts.

import { byId, fill, h } from '../lib/dom.js';
import { toast } from '../lib/header.js';
import { icon } from '../lib/icons.js';
import { addKeys } from '../lib/keys.js';
import { PERSON, addressOf, isOver, mover, newSeed, redoChange, undoChange } from './state.js';

/** @import { Session, SessionState } from './state.js' */
/**
 * @typedef {object} Actions Actions of other parts of the page.
 * @property {() => void} hint
 * @property {() => void} dropHint
 * @property {() => void} flip
 * @property {(ply: (here: number, end: number) => number) => void} jump
 * @property {(tab: string) => void} tab
 * @property {() => boolean} isThinking
 * @property {() => void} stopThinking
 */

/** @param {Session} session @param {Actions} actions */
export function createControls(session, actions) {
  const undo = () => follow(undoChange(session.state));
  const redo = () => follow(redoChange(session.state));
  const buttons = {
    undo: control('undo', 'undo', 'Undo', 'u', undo),
    redo: control('redo', 'redo', 'Redo', 'r', redo),
    think: control('think-stop', 'play', 'Think', 'Space', toggleThinking),
    hint: control('hint', 'hint', 'Hint', 'h', actions.hint),
    flip: control('flip', 'flip', 'Flip', 'f', actions.flip),
    resign: control('resign', 'flag', 'Resign', '', resign),
    new: control('new', 'plus', 'New', 'n', () => startAgain(session)),
    share: control('share', 'share', 'Share', '', () => share(session.state)),
  };
  // Disabled until the first position is loaded.
  for (const button of Object.values(buttons)) button.disabled = true;
  const pass = h('button', { id: 'pass', class: 'primary', type: 'button', hidden: true, onclick: playPass }, 'Pass');
  fill(byId('controls'), Object.values(buttons), pass);

  /** @param {import('./state.js').Change | null} change */
  function follow(change) {
    if (change) session.go(change);
  }

  function toggleThinking() {
    const { state } = session;
    if (actions.isThinking()) {
      actions.stopThinking();
      if (mover(state) !== PERSON) session.go({ paused: true }, 'replace');
    } else if (isOver(state)) return;
    else if (mover(state) === PERSON) actions.hint();
    else session.go({ paused: false }, 'replace');
  }

  function resign() {
    const { state } = session;
    const { players, snapshot } = state;
    const side = players[snapshot.to_move] === PERSON ? snapshot.to_move : players.first === PERSON ? 'first' : 'second';
    if (!isOver(state) && players[side] === PERSON) session.go({ resigned: side, paused: true });
  }

  function playPass() {
    const move = session.state.snapshot.moves.find(({ cells }) => cells.length === 0);
    if (move) session.go({ moves: session.state.snapshot.position, play: move.move });
  }

  session.subscribe((state) => {
    const over = isOver(state);
    const isPersonal = mover(state) === PERSON;
    const persons = Object.values(state.players).includes(PERSON);
    buttons.undo.disabled = undoChange(state) === null;
    buttons.redo.disabled = redoChange(state) === null;
    buttons.hint.disabled = over || !isPersonal;
    buttons.resign.disabled = over || !persons || state.snapshot.played.length === 0;
    buttons.think.disabled = over || isPersonal;
    for (const button of [buttons.flip, buttons.new, buttons.share]) button.disabled = false;
    if (isPersonal) setAttributes(buttons.think, 'play', 'Think');
    else setAttributes(buttons.think, state.paused ? 'play' : 'pause', state.paused ? 'Resume' : 'Stop');
    const mayPass = state.snapshot.moves.some(({ cells }) => cells.length === 0);
    pass.hidden = over || !isPersonal || !mayPass;
  });

  const keys = [
    { keys: ['u'], shown: 'u', does: 'take back a move', run: undo },
    { keys: ['r'], shown: 'r', does: 'redo it', run: redo },
    { keys: ['h'], shown: 'h', does: 'show a hint', run: actions.hint },
    { keys: ['Escape'], shown: 'Esc', does: 'hide the hint', run: actions.dropHint },
    { keys: [' '], shown: 'Space', does: 'start or stop the computer', run: toggleThinking },
    { keys: ['f'], shown: 'f', does: 'flip the board', run: actions.flip },
    { keys: ['n'], shown: 'n', does: 'new game', run: () => startAgain(session) },
    { keys: ['g'], shown: 'g', does: 'show the game tab', run: () => actions.tab('game') },
    { keys: ['a'], shown: 'a', does: 'show the analysis', run: () => actions.tab('analysis') },
    { keys: ['t'], shown: 't', does: 'show “See it think”', run: () => actions.tab('think') },
    {
      keys: ['ArrowLeft', 'Alt+ArrowLeft'],
      shown: '←',
      does: 'back one move (on the board: Alt ←)',
      run: () => actions.jump((here) => here - 1),
    },
    {
      keys: ['ArrowRight', 'Alt+ArrowRight'],
      shown: '→',
      does: 'forward one move (on the board: Alt →)',
      run: () => actions.jump((here) => here + 1),
    },
    { keys: ['Home'], shown: 'Home', does: 'go to the start', run: () => actions.jump(() => 0) },
    { keys: ['End'], shown: 'End', does: 'go to the end', run: () => actions.jump((_, end) => end) },
    { keys: [], shown: '← ↑ → ↓ Enter', does: 'move on the board and play' },
  ];
  addKeys(keys.map((key) => ({ ...key, run: key.run && (() => session.ready && key.run?.()) })));
}

/**
 * @param {string} id
 * @param {Parameters<typeof icon>[0]} name
 * @param {string} label
 * @param {string} key
 * @param {() => void} run
 */
function control(id, name, label, key, run) {
  const title = key ? `${label} (${key})` : label;
  return h(
    'button',
    { id, type: 'button', title, 'aria-keyshortcuts': key.length === 1 ? key : null, onclick: run },
    icon(name),
    h('span', { class: 'word' }, label),
  );
}

/** @param {HTMLElement} button @param {Parameters<typeof icon>[0]} name @param {string} label */
function setAttributes(button, name, label) {
  fill(button, icon(name), h('span', { class: 'word' }, label));
}

/** Restarts the game. @param {Session} session @param {import('./state.js').Players} [players] @param {number} [seed] */
export function startAgain(session, players = session.state.players, seed = newSeed()) {
  session.go({ moves: '', line: null, paused: false, resigned: null, players, seed });
}

/** Shares the address: with the share menu on a phone, with the clipboard elsewhere. @param {SessionState} state */
async function share(state) {
  const url = new URL(addressOf(state), location.origin).href;
  const onPhone = matchMedia('(pointer: coarse)').matches && 'share' in navigator;
  try {
    if (onPhone) await navigator.share({ title: `${state.info.title} – Tesuji`, url });
    else {
      await navigator.clipboard.writeText(url);
      toast('Link to this position copied.');
    }
  } catch (problem) {
    const dismissed = problem instanceof DOMException && problem.name === 'AbortError';
    if (!dismissed) toast('Copying failed. Copy the address of this page instead.');
  }
}
