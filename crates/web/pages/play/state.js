// @ts-check
// The state of the play page and the function that changes it. The page and its address derive from
// this state, so reload, back and share show the same position.

import { get } from '../lib/api.js';
import { capital } from '../lib/format.js';

/** @import { Snapshot, GameInfo, PlayedStep, Side } from '../lib/api.js' */
/** @typedef {{first: string, second: string}} Players Each is "human" or a player text. */
/**
 * @typedef {object} SessionState
 * @property {string} game as requested
 * @property {GameInfo} info
 * @property {Snapshot} snapshot the position on the board
 * @property {Snapshot} line the end of the line of the position, for steps forward
 * @property {Players} players
 * @property {boolean} paused whether the computer to move waits
 * @property {Side | null} resigned
 * @property {number | null} seconds the time per move of computers; null for their own limits
 * @property {number} seed the seed of the computers' moves
 */
/**
 * @typedef {object} Change The changed properties.
 * @property {string} [game]
 * @property {string} [moves] the position
 * @property {string} [play] a move to play in it
 * @property {Snapshot} [snapshot] the loaded position
 * @property {string | null} [line] a longer line through the position; null for none
 * @property {Players} [players]
 * @property {boolean} [paused]
 * @property {Side | null} [resigned]
 * @property {number | null} [seconds]
 * @property {number} [seed]
 */
/** @typedef {"push" | "replace" | "keep"} HistoryMode The effect of a change on the browser's history. */

/** The player text of a person. */
export const PERSON = 'human';

/** A seed for a new game, short enough to read aloud. */
export function newSeed() {
  return crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000;
}

/** Cached positions, so that stepping through a game is instant. */
const remembered = /** @type {Map<string, Promise<Snapshot>>} */ (new Map());
const REMEMBERED_MOST = 400;

/** @param {string} game @param {string} moves @param {string} [play] @returns {Promise<Snapshot>} */
function positionOf(game, moves, play) {
  const key = JSON.stringify([game, moves, play]);
  const known = remembered.get(key);
  if (known) return known;
  const asked = get('/api/position', { game, moves, play });
  asked.catch(() => remembered.delete(key));
  if (remembered.size > REMEMBERED_MOST) remembered.clear();
  remembered.set(key, asked);
  return asked;
}

/** @param {(problem: Error) => void} onProblem */
export function createSession(onProblem) {
  /** @type {SessionState | null} */
  let state = null;
  /** @type {((now: SessionState, before: SessionState | null) => void)[]} */
  const listeners = [];
  let latest = 0;

  /**
   * Changes the state and notifies the listeners. A later change cancels an earlier one that is still loading.
   * @param {Change} change
   * @param {HistoryMode} [mode]
   */
  async function go(change, mode = 'push') {
    const request = ++latest;
    try {
      const now = await changed(state, change);
      if (request !== latest) return;
      const before = state;
      state = now;
      if (mode !== 'keep') writeAddress(now, mode);
      for (const listener of listeners) listener(now, before);
    } catch (problem) {
      if (request === latest) onProblem(/** @type {Error} */ (problem));
    }
  }

  /** Reads the state from the address. */
  function readAddress() {
    const game = decoded(location.pathname.replace(/^\/play\/?/, '')) || 'tictactoe';
    const query = new URLSearchParams(location.search);
    const kept = history.state ?? {};
    const resigned = query.get('resigned');
    return go(
      {
        game,
        moves: query.get('moves') ?? '',
        line: kept.line ?? null,
        players: { first: playerIn(query.get('first')), second: playerIn(query.get('second')) },
        paused: kept.paused ?? false,
        resigned: resigned === 'first' || resigned === 'second' ? resigned : null,
        seconds: Number(query.get('seconds')) || null,
        seed: seedIn(query.get('seed')),
      },
      'replace',
    );
  }

  window.addEventListener('popstate', readAddress);

  return {
    go,
    readAddress,
    /** The state; only after the first position is loaded. */
    get state() {
      if (!state) throw new Error('no position is loaded yet');
      return state;
    },
    get ready() {
      return state !== null;
    },
    /** @param {(now: SessionState, before: SessionState | null) => void} listener */
    subscribe(listener) {
      listeners.push(listener);
    },
  };
}

/** @typedef {ReturnType<typeof createSession>} Session */

/** Reads a player of an address; `person` is an alias of `human`. @param {string | null} player */
function playerIn(player) {
  return player === 'person' ? PERSON : (player ?? '');
}

/** The seed in an address, or a new one. @param {string | null} text */
function seedIn(text) {
  const seed = Number(text ?? NaN);
  return Number.isSafeInteger(seed) && seed >= 0 ? seed : newSeed();
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {SessionState | null} state @param {Change} change @returns {Promise<SessionState>} */
async function changed(state, change) {
  const game = change.game ?? state?.game ?? 'tictactoe';
  const sameGame = state !== null && game === state.game;
  const moves = change.moves ?? (sameGame ? state.snapshot.position : '');
  const stays = sameGame && change.snapshot === undefined && change.play === undefined && moves === state.snapshot.position;
  const [info, snapshot] = await Promise.all([
    sameGame ? state.info : infoOf(game),
    change.snapshot ?? (stays ? state.snapshot : positionOf(game, moves, change.play)),
  ]);
  const longer = change.line
    ? await positionOf(game, change.line).catch(() => null)
    : change.line === undefined && sameGame
      ? state.line
      : null;
  return {
    game,
    info,
    snapshot,
    line: longer && liesOn(snapshot, longer) ? longer : snapshot,
    players: withDefaults(change.players ?? state?.players, info, sameGame),
    paused: change.paused ?? (stays && state.paused),
    resigned: change.resigned ?? (stays && change.resigned === undefined ? state.resigned : null),
    seconds: change.seconds === undefined ? (state?.seconds ?? null) : change.seconds,
    seed: change.seed ?? (sameGame ? state.seed : newSeed()),
  };
}

/** @param {string} game @returns {Promise<GameInfo>} */
async function infoOf(game) {
  const info = await get('/api/game', { game });
  return { ...info, sides: info.sides.map(capital) };
}

/** Whether a line contains a position. @param {Snapshot} position @param {Snapshot} line */
function liesOn(position, line) {
  if (position.start !== line.start || !line.position.startsWith(position.position)) return false;
  const ply = position.played.length;
  return ply === 0 || line.played[ply - 1]?.until === position.position.length;
}

/**
 * Completes the players: by default a person against the default opponent. A new game keeps people and replaces
 * unsupported computers.
 * @param {Players | undefined} wanted
 * @param {GameInfo} info
 * @param {boolean} sameGame
 * @returns {Players}
 */
function withDefaults(wanted, info, sameGame) {
  const first = wanted?.first || PERSON;
  const second = wanted?.second || info.friendly;
  const fits = (/** @type {string} */ player) =>
    player === PERSON || sameGame || info.players.includes(player.split(':')[0]) ? player : info.friendly;
  return { first: fits(first), second: fits(second) };
}

/** @param {SessionState} state */
export function addressOf({ game, snapshot, players, resigned, seconds, seed }) {
  const query = new URLSearchParams();
  query.set('moves', snapshot.position);
  query.set('first', players.first);
  query.set('second', players.second);
  if (resigned) query.set('resigned', resigned);
  if (seconds) query.set('seconds', String(seconds));
  query.set('seed', String(seed));
  const readable = plain(query.toString());
  return `/play/${plain(encodeURIComponent(game))}?${readable}`;
}

/** Restores harmless characters of players and games in an address. @param {string} encoded */
function plain(encoded) {
  return encoded.replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%3D', '=');
}

/** @param {SessionState} now @param {HistoryMode} mode */
function writeAddress(now, mode) {
  const address = addressOf(now) + location.hash;
  const kept = { line: now.line.position, paused: now.paused };
  const isSame = address === location.pathname + location.search + location.hash;
  if (mode === 'push' && !isSame) history.pushState(kept, '', address);
  else history.replaceState(kept, '', address);
}

/** The text of the position after this many plies of the line. @param {SessionState} state @param {number} ply */
export function prefix({ line }, ply) {
  return ply <= 0 ? (line.start ?? '') : line.position.slice(0, line.played[Math.min(ply, line.played.length) - 1]?.until ?? 0);
}

/** The side to move after this many plies of the line. @param {SessionState} state @param {number} ply */
function turnAt({ line }, ply) {
  return line.played[ply]?.side ?? line.to_move;
}

/** Whether a computer moves after this many plies. @param {SessionState} state @param {number} ply */
function isComputerAt(state, ply) {
  return state.players[turnAt(state, ply)] !== PERSON;
}

/** Whether the game is over. @param {SessionState} state */
export function isOver({ snapshot, resigned }) {
  return snapshot.outcome !== null || resigned !== null;
}

/** The player to move. @param {SessionState} state */
export function mover(state) {
  return state.players[state.snapshot.to_move];
}

/** @param {SessionState} state @param {number} ply @returns {Change} */
export function jumpTo(state, ply) {
  const within = Math.min(Math.max(ply, 0), state.line.played.length);
  return { moves: prefix(state, within), paused: isComputerAt(state, within), resigned: null };
}

/**
 * Goes back to the last turn of a person, or one ply if only computers play; null at the start.
 * @param {SessionState} state
 * @returns {Change | null}
 */
export function undoChange(state) {
  const here = state.snapshot.played.length;
  if (here === 0) return state.resigned ? { resigned: null } : null;
  if (state.resigned) return { moves: state.snapshot.position, resigned: null, paused: true };
  for (let ply = here - 1; ply >= 0; ply--) if (!isComputerAt(state, ply)) return jumpTo(state, ply);
  return jumpTo(state, here - 1);
}

/** Goes forward in the same way; null at the end. @param {SessionState} state @returns {Change | null} */
export function redoChange(state) {
  const here = state.snapshot.played.length;
  const end = state.line.played.length;
  if (here >= end) return null;
  const bothComputers = isComputerAt(state, here) && !Object.values(state.players).includes(PERSON);
  for (let ply = here + 1; ply < end && !bothComputers; ply++) if (!isComputerAt(state, ply)) return jumpTo(state, ply);
  return jumpTo(state, bothComputers ? here + 1 : end);
}
