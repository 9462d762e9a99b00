// @ts-check
// A strip with the running and the latest work of the lab.

import { get } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';

/** @typedef {{words: string, href: string, at: number}} Item */
/** @typedef {{running: Item[], latest: Item[]}} Summary */

const MOST = 6;

/** @param {HTMLElement} host */
export async function showLabActivity(host) {
  const items = await found();
  const heading = h('h2', null, 'Lab');
  if (!items) return fill(host, heading, h('p', { class: 'muted' }, 'The server does not respond.'));
  const quiet = h(
    'p',
    { class: 'muted' },
    'No training or tournament is running. ',
    h('a', { href: '/lab' }, 'Start one'),
    '.',
  );
  fill(host, heading, items.length ? h('ul', { class: 'lab-items' }, items) : quiet);
}

/** The running and the latest work; null if the server does not respond. */
async function found() {
  try {
    /** @type {Summary} */
    const { running, latest } = await get('/api/lab/summary');
    return [...running.map((one) => item(one, 'running')), ...latest.map((one) => item(one, 'recent'))].slice(0, MOST);
  } catch {
    return null;
  }
}

/** @param {Item} item @param {string} when */
function item({ words, href }, when) {
  return h('li', null, h('a', { class: 'card', href }, h('span', { class: 'muted small' }, when), h('span', null, words)));
}
