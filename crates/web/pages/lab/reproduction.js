// @ts-check
// The list of published tables and figures, by document, each with the counts of its verdicts.

import { get } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { capital } from '../lib/format.js';
import { effortText, marks, noVerdicts, VERDICTS } from './verdicts.js';
import { reproductionAddress, poll } from './types.js';

/** @typedef {import('./types.js').ReproductionCard} ReproductionCard */
/** @typedef {import('./types.js').ReportSummary} ReportSummary */

/** @param {HTMLElement} main */
export function showReproduction(main) {
  document.title = 'Reproduction – Tesuji';
  const sum = h('div', { id: 'verdicts', class: 'stack tight' });
  const list = h('div', { id: 'experiments', class: 'stack wide' });
  const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  fill(main,
    h('p', { class: 'small' }, h('a', { href: '/lab' }, '‹ Lab')),
    h('header', { class: 'lead' }, h('h1', null, 'Reproduction'),
      h('p', { class: 'muted' }, 'Tables and figures of published systems, each reproduced with one command and compared with the published numbers.'), sum),
    problem, list);
  let said = '';
  poll(async () => {
    try {
      /** @type {{experiments: ReproductionCard[]}} */
      const { experiments } = await get('/api/lab/reproduction');
      problem.hidden = true;
      const now = JSON.stringify(experiments);
      if (now !== said) {
        said = now;
        fill(sum, ...total(experiments));
        fill(list, experiments.length ? documents(experiments) : h('p', { class: 'empty card' }, 'Nothing to reproduce.'));
      }
    } catch (error) {
      problem.hidden = false;
      fill(problem, /** @type {Error} */ (error).message);
    }
    return false;
  });
}

/** The newest report of an experiment. @param {ReproductionCard} card */
function newest({ here, shipped }) {
  return here ?? shipped;
}

/** @param {ReproductionCard[]} experiments */
function total(experiments) {
  const reports = experiments.map(newest).filter((gist) => gist !== null);
  const counts = noVerdicts();
  for (const gist of reports) for (const { verdict } of VERDICTS) counts[verdict] += gist[verdict];
  const open = experiments.length - reports.length;
  const words = `rows in ${reports.length} ${reports.length === 1 ? 'report' : 'reports'}${open ? `; ${open} missing` : ''}`;
  const rule = VERDICTS.map(({ word, means }) => `${word}: ${means}`).join(' · ');
  return [
    h('p', { class: 'row' }, ...(reports.length ? marks(counts) : []), h('span', { class: 'small muted' }, words)),
    h('p', { class: 'small muted' }, rule),
  ];
}

/** @param {ReproductionCard[]} experiments in the order of their documents */
function documents(experiments) {
  const names = [...new Set(experiments.map((card) => card.document))];
  return names.map((name, i) => {
    const [who, ...title] = name.split(': ');
    const cards = experiments.filter((card) => card.document === name);
    return h('section', { class: 'stack', 'aria-labelledby': `document-${i}` },
      h('div', null, h('h2', { id: `document-${i}` }, capital(title.join(': ') || who)), title.length ? h('p', { class: 'small muted' }, who) : null),
      h('ul', { class: 'card reproductions' }, cards.map(row)));
  });
}

/** @param {ReproductionCard} card */
function row(card) {
  const gist = newest(card);
  return h('li', null, h('a', { href: reproductionAddress(card.id), 'data-experiment': card.id },
    h('span', { class: 'what' }, h('span', null, h('b', null, card.place), ' ', h('code', { class: 'muted' }, card.id)), h('span', null, capital(card.title))),
    h('span', { class: 'row' }, gist ? marks(gist) : h('span', { class: 'small muted' }, 'no report')),
    h('span', { class: 'small muted when' }, gist ? words(gist, card.here !== null) : '')));
}

/** @param {ReportSummary} gist @param {boolean} here */
function words({ effort, day }, here) {
  return `${day} · ${effortText(effort)}${here ? ' · made here' : ''}`;
}
