// @ts-check
// Records finished games of people on the server, unless the switch is off; then nothing is sent.

import { get, post } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { loadItem, saveItem } from '../lib/storage.js';
import { PERSON, isOver, mover } from './state.js';

/** @import { Session, SessionState } from './state.js' */
/** @import { MoveResponse } from '../lib/api.js' */

const SWITCH = 'tesuji-record';
const RECEIPTS = 'tesuji-receipts';
const RECEIPTS_MOST = 800;
const RECORDED = 'tesuji-recorded';
const RECORDED_MOST = 200;

/** @param {Session} session @param {HTMLElement} host */
export function createRecording(session, host) {
  const said = h('span', { class: 'muted small', role: 'status' });
  const toggle = h('input', { id: 'record', type: 'checkbox', onchange: () => saveItem(SWITCH, toggle.checked ? 'on' : 'off') });
  toggle.checked = loadItem(SWITCH) !== 'off';
  const notice = h('section', { class: 'note', 'aria-label': 'Recording' });
  host.append(notice);
  let serverRecords = true;
  get('/api/recording')
    .then(({ on }) => {
      serverRecords = on;
      describe();
    })
    .catch(() => fill(notice, 'The server does not respond.'));

  function describe() {
    if (!serverRecords) return fill(notice, 'This server does not record games.');
    const label = h('label', { class: 'check' }, toggle, 'Record my finished games');
    fill(
      notice,
      label,
      h(
        'p',
        null,
        'The server stores finished games: moves, players, seed and result. They count in the statistics if the opponent is on the list, and may be used for training. ',
      ),
      said,
    );
  }

  session.subscribe((state, before) => {
    const justEnded = before !== null && isOver(state) && !isOver(before) && state.game === before.game;
    // Stepping forward to the end does not record the game again.
    const grew =
      before !== null && state.line !== before.line && state.snapshot.played.length === before.snapshot.played.length + 1;
    const resigned = state.resigned !== null && before?.resigned === null && state.snapshot === before.snapshot;
    if (justEnded && (grew || resigned)) send(state);
  });

  /** @param {SessionState} state */
  async function send({ game, snapshot, players, resigned, seconds, seed }) {
    const withPerson = players.first === PERSON || players.second === PERSON;
    said.textContent = '';
    if (!withPerson || !serverRecords || !toggle.checked) return;
    const id = `${game} ${seed}`;
    if (recorded().includes(id)) {
      said.textContent = 'This game is already recorded.';
      return;
    }
    const computerMoves = snapshot.played.filter(({ side }) => players[side] !== PERSON);
    const receipts = computerMoves.map(({ side, until }) => receiptOf([game, players[side], snapshot.position.slice(0, until), seconds, seed]));
    if (snapshot.start !== null || receipts.includes(undefined)) {
      said.textContent = 'The last game was not recorded: it needs the usual start and the same players and time throughout.';
      return;
    }
    try {
      await post('/api/records', {
        game,
        moves: snapshot.position,
        first: players.first,
        second: players.second,
        resigned,
        seconds,
        seed,
        receipts,
      });
      saveItem(RECORDED, JSON.stringify([...recorded(), id].slice(-RECORDED_MOST)), sessionStorage);
      said.textContent = 'The last game was recorded.';
    } catch (problem) {
      said.textContent = `The last game was not recorded: ${/** @type {Error} */ (problem).message}`;
    }
  }

  return {
    /** Stores the server's signature of a computer's move. @param {MoveResponse} answer @param {SessionState} state */
    sign(answer, state) {
      const { game, seconds, seed } = state;
      const known = receipts();
      known.push([game, mover(state), answer.position.position, seconds, seed, answer.receipt]);
      saveItem(RECEIPTS, JSON.stringify(known.slice(-RECEIPTS_MOST)), sessionStorage);
    },
  };
}

/** @returns {[string, string, string, number | null, number, string][]} game, player, position after the move, seconds a move, seed, receipt */
function receipts() {
  return listIn(RECEIPTS);
}

/** The recorded games with their seeds, so that none is sent twice. @returns {string[]} */
function recorded() {
  return listIn(RECORDED);
}

/** @param {string} key */
function listIn(key) {
  try {
    return JSON.parse(loadItem(key, sessionStorage) ?? '[]');
  } catch {
    return [];
  }
}

/** @param {[string, string, string, number | null, number]} move game, player, position after it, seconds a move, seed */
function receiptOf(move) {
  return receipts().findLast((known) => move.every((part, i) => part === known[i]))?.[5];
}
