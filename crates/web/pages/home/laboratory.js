// @ts-check
// A strip with what the laboratory is doing and its latest results, where there is any.

import { get } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';

/** @typedef {{words: string, href: string, at: number}} Item */
/** @typedef {{running: Item[], latest: Item[]}} Summary */

const MOST = 6;

/** @param {HTMLElement} host */
export async function showLaboratory(host) {
  const items = await found();
  const heading = h('h2', null, 'In the laboratory');
  if (!items) return fill(host, heading, h('p', { class: 'muted' }, 'It is not known what runs there: the server does not say.'));
  const quiet = h(
    'p',
    { class: 'muted' },
    'Nothing is being trained and no tournament is being played. ',
    h('a', { href: '/lab' }, 'Start something'),
    '.',
  );
  fill(host, heading, items.length ? h('ul', { class: 'lab-items' }, items) : quiet);
}

/** What runs and what ended lately; null where the server does not answer. */
async function found() {
  try {
    /** @type {Summary} */
    const { running, latest } = await get('/api/lab/summary');
    return [...running.map((one) => item(one, 'now')), ...latest.map((one) => item(one, 'lately'))].slice(0, MOST);
  } catch {
    return null;
  }
}

/** @param {Item} item @param {string} when */
function item({ words, href }, when) {
  return h('li', null, h('a', { class: 'card', href }, h('span', { class: 'muted small' }, when), h('span', null, words)));
}
