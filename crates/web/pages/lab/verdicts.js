// @ts-check
// The verdicts on reproduced numbers: a symbol, a word and a color for each.

import { h } from '../lib/dom.js';

/** @typedef {import('./types.js').Verdict} Verdict */

export const VERDICTS = /** @type {{verdict: Verdict, sign: string, word: string, one: string, many: string, means: string}[]} */ ([
  { verdict: 'agrees', sign: '=', word: 'agrees', one: 'agrees', many: 'agree', means: 'within the errors of both samples' },
  { verdict: 'better', sign: '▲', word: 'better', one: 'better', many: 'better', means: 'better than published' },
  { verdict: 'differs', sign: '≠', word: 'differs', one: 'differs', many: 'differ', means: 'different, with the reason if known' },
  { verdict: 'cannot-tell', sign: '?', word: 'cannot tell', one: 'cannot tell', many: 'cannot tell', means: 'the sample is too small to decide' },
  { verdict: 'not-comparable', sign: '∦', word: 'not comparable', one: 'not comparable', many: 'not comparable', means: 'measured under other conditions, not counted' },
  { verdict: 'input', sign: '·', word: 'input', one: 'input', many: 'inputs', means: 'a setting or a sum of published numbers, not counted' },
]);

/** Counts of no rows. @returns {Record<Verdict, number>} */
export function noVerdicts() {
  return { agrees: 0, better: 0, differs: 0, 'cannot-tell': 0, 'not-comparable': 0, input: 0 };
}

/** The counts of the verdicts, without zeros. @param {Record<Verdict, number>} counts */
export function marks(counts) {
  return VERDICTS.filter(({ verdict }) => counts[verdict] > 0).map(({ verdict, sign, one, many }) =>
    mark(verdict, sign, `${counts[verdict].toLocaleString('en')} ${counts[verdict] === 1 ? one : many}`, counts[verdict]));
}

/** One verdict. @param {Verdict} verdict */
export function verdictMark(verdict) {
  const { sign, word } = VERDICTS.find((one) => one.verdict === verdict) ?? { sign: '·', word: verdict };
  return mark(verdict, sign, word);
}

/** @param {Verdict} verdict @param {string} sign @param {string} words @param {number} [count] */
function mark(verdict, sign, words, count) {
  return h('span', { class: `verdict ${verdict}`, 'data-verdict': verdict, 'data-value': count }, h('span', { 'aria-hidden': 'true' }, sign), ` ${words}`);
}

/** @param {import('./types.js').Effort} effort */
export function effortText(effort) {
  return effort === 'full' ? 'full effort' : 'quick';
}
