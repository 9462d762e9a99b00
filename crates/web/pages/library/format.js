// @ts-check
// Recorded games and times in plain words.

/** @typedef {import('../lib/api.js').Outcome} Outcome */

const UNITS = /** @type {[number, Intl.RelativeTimeFormatUnit][]} */ ([[60, 'second'], [60, 'minute'], [24, 'hour'], [30, 'day'], [12, 'month'], [Infinity, 'year']]);
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** How long ago something was: "3 minutes ago". @param {number} at seconds since 1970; 0 when nobody knows */
export function ago(at) {
  if (!at) return 'some time ago';
  let amount = Math.max(0, Date.now() / 1000 - at);
  if (amount < 5) return 'just now';
  for (const [size, unit] of UNITS) {
    if (amount < size) return relative.format(-Math.round(amount), unit);
    amount /= size;
  }
  return '';
}

/** Who won, by name. @param {Outcome} outcome @param {[string, string]} players */
export function resultText(outcome, players) {
  if (outcome === 'draw') return 'a draw';
  const [winner, side] = outcome.win === 'first' ? [players[0], 'first'] : [players[1], 'second'];
  return players[0] === players[1] ? `won by the ${side} side` : `won by ${winner}`;
}

/** A player's name as people read it. @param {string} name */
export function playerName(name) {
  return name === 'human' ? 'a person' : name;
}

/** Why a game ended, where that was not simply by its rules. @param {string} ending */
export function endingText(ending) {
  const words = /** @type {Record<string, string>} */ ({
    illegal: 'by an illegal move', crash: 'a program failed', time: 'on time', error: 'a program failed',
    solver: 'called early by the solver', agreement: 'both agreed', length: 'too long', resigned: 'resigned',
  });
  return words[ending] ?? '';
}

/** An event's name without the digits that tell it from others of that name. @param {string} event */
export function eventName(event) {
  return event === 'web' ? 'played here' : event.replace(/-[0-9a-f]{12}$/, '');
}

/** The address of a table with a position. @param {string} game @param {string} moves @param {{first?: string, second?: string, tab?: string}} [options] */
export function playAddress(game, moves, { first = 'person', second = 'person', tab = '' } = {}) {
  const query = new URLSearchParams({ moves, first, second });
  return `/play/${encodeURIComponent(game)}?${query}${tab ? `#${tab}` : ''}`;
}
