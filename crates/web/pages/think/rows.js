// @ts-check
// Parts of visualizations: bars with numbers, lines of moves with a preview on the board, controls.
import { fill, h } from '../lib/dom.js';
/** @import { Board, Score, Step, Votes } from './types.js' */

/** @param {number} number */
export const grouped = (number) => number.toLocaleString('en');

/** @param {number} share from 0 to 1 */
export const percent = (share) => `${Math.round(share * 100)}%`;

/** The destination of a move. @param {{cells: number[]}} move */
export const arrival = ({ cells }) => cells[cells.length - 1];

/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) => `${grouped(count)} ${count === 1 ? one : many}`;

/** A score as a number: plies to the end (negative for a loss), or the estimate. @param {Score} score */
export const scoreNumber = (score) => ('win_in' in score ? score.win_in : 'loss_in' in score ? -score.loss_in : score.estimate);

/** Scales values to 0 to 1. @param {number[]} values */
export function scaled(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => (most > least ? (value - least) / (most - least) : 1));
}

/**
 * A bar of relative length `share`, with its number.
 * @param {{label: string, share: number, value: number | null, shown: string, tone?: number, title?: string}} bar
 */
export function barRow({ label, share, value, shown, tone, title }) {
  const bar = h('span', { class: tone === undefined ? 'bar' : 'bar toned' });
  bar.style.setProperty('--share', percent(Math.min(1, Math.max(0, share))));
  bar.style.setProperty('--tone', percent(tone ?? 1));
  return h(
    'div',
    { class: 'bar-row', title },
    h('span', null, label),
    h('span', { class: 'track' }, bar),
    h('span', { class: 'number', 'data-value': value ?? '' }, shown),
  );
}

/** A stacked bar of three counts, with the numbers below it. @param {Votes} votes */
export function votesBar(votes) {
  const kinds = /** @type {const} */ (['win', 'draw', 'loss']);
  const pieces = kinds.map((kind) => h('span', { class: `fill-${kind}` }));
  pieces.forEach((piece, i) => piece.style.setProperty('flex-grow', String(votes[kinds[i]])));
  const words = kinds.map((kind) => h('span', { class: `key-${kind}`, 'data-value': votes[kind] }, `${kind} ${grouped(votes[kind])}`));
  return h('div', { class: 'votes small' }, h('div', { class: 'track' }, pieces), h('div', { class: 'row' }, words));
}

/**
 * Previews `steps` on the board on hover and focus.
 * @template {Element} E
 * @param {E} element @param {Board['preview']} show @param {Step[]} steps
 */
export function previewing(element, show, steps) {
  for (const event of ['mouseenter', 'focus']) element.addEventListener(event, () => show(steps));
  for (const event of ['mouseleave', 'blur']) element.addEventListener(event, () => show(null));
  return element;
}

/** A line of moves; each previews the line up to it. @param {Step[]} steps @param {Board['preview']} show */
export function lineOfMoves(steps, show) {
  const plies = steps.map(({ move, side }, i) => {
    const ply = h('button', { type: 'button', class: side, 'aria-label': `${i + 1}, ${side} side: ${move}`, 'data-move': move }, move);
    return h('li', null, previewing(ply, show, steps.slice(0, i + 1)));
  });
  return h('ol', { class: 'line-of-moves' }, plies);
}

/** @param {string} label @param {string[]} values @param {string} chosen @param {(value: string) => void} onChoose @param {string} [unit] */
export function choice(label, values, chosen, onChoose, unit = '') {
  const options = values.map((value) => h('option', { value, selected: value === chosen }, value + unit));
  const select = h('select', { onchange: () => onChoose(select.value) }, options);
  return h('label', null, `${label} `, select);
}

/** A choice of the search time, and a button to search again. @param {(seconds: string) => void} think */
export function thinkingTime(think) {
  let seconds = '3';
  const again = h('button', { type: 'button', onclick: () => think(seconds) }, 'Search again');
  return [choice('Time', ['1', '3', '10'], seconds, (chosen) => think((seconds = chosen)), ' s'), again];
}

/**
 * Shows the first rows of a list and the number of other rows.
 * @template T
 * @param {HTMLElement} host @param {T[]} items @param {(item: T) => HTMLElement} rowOf @param {number} most @param {string} where
 */
export function shortList(host, items, rowOf, most, where) {
  const rest = items.length - most;
  fill(host, items.slice(0, most).map(rowOf), rest > 0 && h('p', { class: 'small muted' }, `and ${grouped(rest)} more ${where}`));
  return host;
}
