// @ts-check
// Formats recorded games and times.

/** @typedef {import('../lib/api.js').Outcome} Outcome */

const UNITS = /** @type {[number, Intl.RelativeTimeFormatUnit][]} */ ([[60, 'second'], [60, 'minute'], [24, 'hour'], [30, 'day'], [12, 'month'], [Infinity, 'year']]);
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** A relative time: "3 minutes ago". @param {number} at seconds since 1970; 0 if unknown */
export function ago(at) {
  if (!at) return 'unknown time';
  let amount = Math.max(0, Date.now() / 1000 - at);
  if (amount < 5) return 'just now';
  for (const [size, unit] of UNITS) {
    if (amount < size) return relative.format(-Math.round(amount), unit);
    amount /= size;
  }
  return '';
}

/** The result of a game. @param {Outcome} outcome @param {[string, string]} players */
export function resultText(outcome, players) {
  if (outcome === 'draw') return 'a draw';
  const [winner, side] = outcome.win === 'first' ? [players[0], 'first'] : [players[1], 'second'];
  return players[0] === players[1] ? `won by the ${side} side` : `won by ${winner}`;
}

/** The displayed name of a player. @param {string} name */
export function playerName(name) {
  return name === 'human' ? 'a person' : name;
}

/** The reason for the end of a game, unless by its rules. @param {string} ending */
export function endingText(ending) {
  const words = /** @type {Record<string, string>} */ ({
    illegal: 'by illegal move', crash: 'by program failure', time: 'on time', error: 'by program failure',
    solver: 'adjudicated by the solver', agreement: 'adjudicated', length: 'by length limit', resigned: 'by resignation',
  });
  return words[ending] ?? '';
}

/** The name of an event without its hash. @param {string} event */
export function eventName(event) {
  return event === 'web' ? 'played here' : event.replace(/-[0-9a-f]{12}$/, '');
}

/** The address of the play page with a position. @param {string} game @param {string} moves @param {{first?: string, second?: string, tab?: string}} [options] */
export function playAddress(game, moves, { first = 'person', second = 'person', tab = '' } = {}) {
  const query = new URLSearchParams({ moves, first, second });
  return `/play/${encodeURIComponent(game)}?${query}${tab ? `#${tab}` : ''}`;
}
