// @ts-check
// Formats scores, players and numbers.

/** @import { Score, Side, Outcome } from './api.js' */

/** The estimate that means a clear advantage, by game, as every evaluation has its own unit. */
const CLEAR = /** @type {Record<string, number>} */ ({
  connect4: 60,
  othello: 25,
  chess: 150,
  renju: 600,
  mnk: 600,
  gomoku: 600,
  caro: 600,
  connect6: 300,
});

/** The other side. @param {Side} side @returns {Side} */
export function other(side) {
  return side === 'first' ? 'second' : 'first';
}

/** Capitalizes a name. @param {string} name */
export function capital(name) {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The name of a side. @param {Side} side @param {[string, string]} names */
export function sideOf(side, names) {
  return names[side === 'first' ? 0 : 1];
}

/** The same score for the other side. @param {Score} score @returns {Score} */
export function negated(score) {
  if ('win_in' in score) return { loss_in: score.win_in };
  if ('loss_in' in score) return { win_in: score.loss_in };
  return { estimate: -score.estimate };
}

/** Converts a score of the side to move to one of the first side. @param {Score} score @param {Side} mover */
export function forFirst(score, mover) {
  return mover === 'first' ? score : negated(score);
}

/**
 * Maps a score to −1 (lost) to 1 (won), independent of the unit of the game's evaluation.
 * @param {Score} score
 * @param {string} game
 */
export function advantage(score, game) {
  if ('win_in' in score) return 1;
  if ('loss_in' in score) return -1;
  const clear = CLEAR[game.split(':')[0]] ?? 100;
  return 0.96 * Math.tanh(score.estimate / (2 * clear));
}

/** Maps a score to 0 (lost) to 1 (won). @param {Score} score @param {string} game */
export function tone(score, game) {
  return (1 + advantage(score, game)) / 2;
}

/** A score in a few characters: W12, L6, +37, =. @param {Score} score */
export function shortScore(score) {
  if ('win_in' in score) return `W${score.win_in}`;
  if ('loss_in' in score) return `L${score.loss_in}`;
  const n = score.estimate;
  if (n === 0) return '=';
  const size = Math.abs(n) >= 10000 ? `${Math.round(Math.abs(n) / 1000)}k` : `${Math.abs(n)}`;
  return (n > 0 ? '+' : '−') + size;
}

/**
 * A score as text about a move or a position: "This wins in 6", "Black is slightly ahead".
 * @param {Score} score
 * @param {string} [who] the owner of the score; without it the text is about a move
 * @param {string} [game]
 * @param {boolean} [exact] whether 0 is a proven draw
 */
export function scoreText(score, who, game = '', exact = false) {
  const are = who === 'You' ? 'are' : 'is';
  const s = who === 'You' ? '' : 's';
  const subject = who ?? 'This';
  if ('win_in' in score) return score.win_in === 0 ? `${subject} win${s}` : `${subject} win${s} in ${score.win_in}`;
  if ('loss_in' in score) return `${subject} lose${s} in ${score.loss_in}`;
  if (score.estimate === 0) return exact ? 'A draw with best play' : 'Even';
  const size = Math.abs(advantage(score, game));
  const much = size < 0.08 ? null : size < 0.35 ? 'slightly' : size < 0.75 ? 'clearly' : 'far';
  if (!much) return 'About even';
  return `${subject} ${are} ${much} ${score.estimate > 0 ? 'ahead' : 'behind'}`;
}

/** @param {Outcome} outcome @param {[string, string]} names */
export function outcomeText(outcome, names) {
  return outcome === 'draw' ? 'A draw' : `${sideOf(outcome.win, names)} wins`;
}

/** 1234567 as "1.2 M". @param {number} n */
export function count(n) {
  if (n >= 1e9) return `${(n / 1e9).toFixed(1)} G`;
  if (n >= 1e6) return `${(n / 1e6).toFixed(1)} M`;
  if (n >= 1e4) return `${Math.round(n / 1e3)} k`;
  return String(Math.round(n));
}

/** Seconds as "0.8 s" or "2:05". @param {number} seconds */
export function duration(seconds) {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return clock(seconds);
}

/** Seconds as "0:08". @param {number} seconds */
export function clock(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
