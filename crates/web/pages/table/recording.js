// @ts-check
// Finished games of people are written down by the server, unless switched off here. What this notice says
// is all that happens: with the switch off nothing is sent.

import { get, post } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { keep, kept } from '../lib/storage.js';
import { PERSON, isOver, mover } from './state.js';

/** @import { Table, TableState } from './state.js' */
/** @import { MoveAnswer } from '../lib/api.js' */

const SWITCH = 'tesuji-record';
const RECEIPTS = 'tesuji-receipts';
const RECEIPTS_MOST = 800;

/** @param {Table} table @param {HTMLElement} host */
export function createRecording(table, host) {
  const said = h('span', { class: 'muted small', role: 'status' });
  const toggle = h('input', { id: 'record', type: 'checkbox', onchange: () => keep(SWITCH, toggle.checked ? 'on' : 'off') });
  toggle.checked = kept(SWITCH) !== 'off';
  const notice = h('section', { class: 'note', 'aria-label': 'Recording' });
  host.append(notice);
  let serverRecords = true;
  get('/api/recording')
    .then(({ on }) => {
      serverRecords = on;
      describe();
    })
    .catch(() => fill(notice, 'It is not known whether this server records games.'));

  function describe() {
    if (!serverRecords) return fill(notice, 'This server does not record games.');
    const label = h('label', { class: 'check' }, toggle, 'Record my finished games');
    fill(
      notice,
      label,
      h(
        'p',
        null,
        'Finished games go into this server’s store: moves, players and result. They count in the statistics against the opponents of the list and may train players. ',
      ),
      said,
    );
  }

  table.follow((state, before) => {
    const justEnded = before !== null && isOver(state) && !isOver(before) && state.game === before.game;
    // A move that was stepped forward to was recorded when it was made.
    const grew =
      before !== null && state.line !== before.line && state.snapshot.played.length === before.snapshot.played.length + 1;
    const resigned = state.resigned !== null && before?.resigned === null && state.snapshot === before.snapshot;
    if (justEnded && (grew || resigned)) send(state);
  });

  /** @param {TableState} state */
  async function send({ game, snapshot, players, resigned, seconds }) {
    const withPerson = players.first === PERSON || players.second === PERSON;
    said.textContent = '';
    if (!withPerson || !serverRecords || !toggle.checked) return;
    const computerMoves = snapshot.played.filter(({ side }) => players[side] !== PERSON);
    const receipts = computerMoves.map(({ side, until }) => receiptOf(game, players[side], snapshot.position.slice(0, until), seconds));
    if (snapshot.start !== null || receipts.includes(undefined)) {
      said.textContent = 'The last game was not recorded: it did not go from its start to its end with the same players and the same time.';
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
        receipts,
      });
      said.textContent = 'The last game was recorded.';
    } catch (problem) {
      said.textContent = `The last game was not recorded: ${/** @type {Error} */ (problem).message}`;
    }
  }

  return {
    /** The server's signature under a computer's move. @param {MoveAnswer} answer @param {TableState} state */
    sign(answer, state) {
      const { game, seconds } = state;
      const known = receipts();
      known.push([game, mover(state), answer.position.position, answer.receipt, seconds]);
      keep(RECEIPTS, JSON.stringify(known.slice(-RECEIPTS_MOST)), sessionStorage);
    },
  };
}

/** @returns {[string, string, string, string, number | null][]} game, player, position after the move, receipt, seconds a move */
function receipts() {
  try {
    return JSON.parse(kept(RECEIPTS, sessionStorage) ?? '[]');
  } catch {
    return [];
  }
}

/** @param {string} game @param {string} player @param {string} position @param {number | null} seconds */
function receiptOf(game, player, position, seconds) {
  return receipts().findLast(([ofGame, by, after, , given]) => ofGame === game && by === player && after === position && given === seconds)?.[3];
}
