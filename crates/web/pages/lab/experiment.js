// @ts-check
// The page of an experiment: plot, results, runs and settings.

import { get } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { ago } from '../library/format.js';
import { curveChart, legend, short } from './curves.js';
import { experimentTitle, poll, percent, runAddress, stateMark } from './types.js';

/** @typedef {import('./types.js').Experiment} Experiment */
/** @typedef {import('./types.js').ParameterPlot} ParameterPlot */
/** @typedef {import('./types.js').Cell} Cell */

/** Up to this many values, each has a label on the axis; with more, round numbers have one. */
const MOST_LABELS = 12;

/** @param {HTMLElement} main @param {string} id */
export function showExperiment(main, id) {
  document.title = `${id} – Tesuji`;
  const path = `/api/lab/experiments/${encodeURIComponent(id)}`;
  let drawn = '';
  poll(async () => {
    /** @type {Experiment} */
    let experiment;
    try {
      experiment = await get(path);
    } catch (problem) {
      if (!drawn) fill(main, back(), h('p', { class: 'problem' }, /** @type {Error} */ (problem).message));
      return false;
    }
    const said = JSON.stringify(experiment);
    if (said !== drawn) {
      drawn = said;
      const open = [...main.querySelectorAll('details[open]')].map((details) => details.id);
      fill(main, ...parts(experiment, path));
      for (const details of main.querySelectorAll('details')) details.open = open.includes(details.id);
    }
    return experiment.state === 'running';
  });
}

function back() {
  return h('p', { class: 'small' }, h('a', { href: '/lab' }, '‹ Lab'));
}

/** @param {Experiment} experiment @param {string} path */
function parts(experiment, path) {
  const { seeds, opponents, plot, picture } = experiment;
  const title = experimentTitle(experiment);
  document.title = `${title} – Tesuji`;
  const about = [`${experiment.done} of ${experiment.total} runs`, experiment.game, `${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')}`, `against ${opponents.join(', ')}`, ago(experiment.updated_at)];
  return [
    back(),
    h('header', { class: 'lead' }, h('div', { class: 'card-head' }, h('h1', null, title), stateMark(experiment.state)), h('p', { class: 'muted', id: 'reached' }, about.join(' · '))),
    plot && plot.series.some(({ points }) => points.length > 0) ? figure(plot, title) : null,
    table(experiment),
    runs(experiment),
    h('section', { class: 'stack' }, h('h2', null, 'Details'),
      h('details', { class: 'card', id: 'file' }, h('summary', null, 'Settings'), h('pre', { class: 'output', id: 'toml' }, experiment.toml)),
      h('p', { class: 'small muted row' }, picture ? h('a', { id: 'picture', href: `${path}/results.svg`, download: `${experiment.id}.svg` }, 'Save the plot') : null, h('a', { href: path }, 'JSON data'))),
  ].filter((part) => part !== null);
}

/** @param {ParameterPlot} plot @param {string} title */
function figure({ key, labels, series }, title) {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);
  const ticks = labels ? labels.map((_, i) => i) : xs;
  const options = {
    width: 480, height: 240, xTitle: key,
    xText: (/** @type {number} */ x) => labels?.[x] ?? short(x),
    ...(ticks.length <= MOST_LABELS && !crowded(ticks) ? { xTicks: ticks } : {}),
    ...(labels && labels.length > 1 ? { x: /** @type {[number, number]} */ ([-0.25, labels.length - 0.75]) } : {}),
  };
  return h('figure', { class: 'card wide-plot', id: 'plot' },
    h('figcaption', null, h('h2', null, `Score over ${key}`), h('span', { class: 'muted small' }, ' with 95 % intervals of the mean over seeds')),
    curveChart(series, title, options), series.length > 1 ? legend(series) : null);
}

/** Whether labels at these places would overlap. @param {number[]} places */
function crowded(places) {
  const width = places[places.length - 1] - places[0];
  return places.some((place, i) => i > 0 && (place - places[i - 1]) / (width || 1) < 0.06);
}

/** @param {Experiment} experiment */
function table({ keys, seeds, opponents, cells }) {
  const several = opponents.length > 1;
  const best = new Map(opponents.map((opponent) => [opponent, Math.max(...cells.filter((cell) => cell.opponent === opponent).map(({ score }) => score ?? -1))]));
  const heads = [...keys.map((key) => ({ title: key, number: false })), ...(several ? [{ title: 'Opponent', number: false }] : []),
    ...['Score', 'Elo', 'Games', ...seeds.map((seed) => `Seed ${seed}`)].map((title) => ({ title, number: true }))];
  const row = (/** @type {Cell} */ cell) => h('tr', { class: cell.score !== null && cell.score === best.get(cell.opponent) ? 'best' : null, 'data-cell': cell.values.join(' '), 'data-value': cell.score },
    cell.values.map((value) => h('td', { class: 'value' }, value)), several ? h('td', { class: 'value' }, cell.opponent) : null,
    [percent(cell.score, cell.error), elo(cell.elo), cell.games.toLocaleString('en'), ...cell.scores.map((score) => percent(score))].map((text) => h('td', { class: 'number' }, text)));
  return h('section', { class: 'stack' }, h('h2', null, 'Results'),
    h('div', { class: 'card scroll-x', role: 'region', tabindex: 0, 'aria-label': 'Results' }, h('table', { id: 'results', class: 'tried' },
      h('thead', null, h('tr', null, heads.map(({ title, number }) => h('th', { scope: 'col', class: number ? 'number' : null }, title)))),
      h('tbody', null, cells.map(row)))),
    h('p', { class: 'small muted' }, `Scores are means over the completed seeds, with 95 % intervals. The best ${several ? 'against each opponent' : 'one'} is marked.`));
}

/** @param {number | null} value */
function elo(value) {
  if (value === null) return '–';
  const text = String(Math.round(Math.abs(value)));
  return text === '0' ? '0' : `${value < 0 ? '−' : '+'}${text}`;
}

/** @param {Experiment} experiment */
function runs({ keys, runs: all }) {
  const rows = all.map(({ name, values, seed, state, run }) => h('tr', { 'data-run': name },
    values.map((value) => h('td', { class: 'value' }, value)), h('td', { class: 'number' }, seed), h('td', null, stateMark(state)),
    h('td', null, run === null ? null : h('a', { href: runAddress(run) }, 'details'))));
  return h('section', { class: 'stack' }, h('h2', null, 'Runs'),
    h('div', { class: 'card scroll-x', role: 'region', tabindex: 0, 'aria-label': 'Runs' }, h('table', { id: 'runs', class: 'tried' },
      h('thead', null, h('tr', null, keys.map((key) => h('th', { scope: 'col' }, key)), h('th', { scope: 'col', class: 'number' }, 'Seed'), h('th', { scope: 'col' }, 'State'), h('th', { scope: 'col' }, h('span', { class: 'spoken' }, 'Page')))),
      h('tbody', null, rows))));
}
