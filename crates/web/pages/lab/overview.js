// @ts-check
// The overview of the lab: live cards of runs, experiments, tournaments and matches, the jobs, and
// a form to start one.

import { get } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { addKeys } from '../lib/keys.js';
import { ago } from '../library/format.js';
import { curveChart, ratingChart } from './curves.js';
import { createWorkbench } from './workbench.js';
import { experimentAddress, experimentTitle, poll, learnerName, reached, runAddress, stateMark } from './types.js';

/** @typedef {import('./types.js').RunCard} RunCard */
/** @typedef {import('./types.js').EventCard} EventCard */
/** @typedef {import('./types.js').ExperimentCard} ExperimentCard */

/** The number of runs shown at first. */
const FEW = 12;
const MANY = 100;

/** @param {HTMLElement} main */
export function showOverview(main) {
  const runs = h('div', { id: 'runs', class: 'cards' });
  const experiments = h('div', { id: 'experiments', class: 'cards low' });
  const events = h('div', { id: 'tournaments', class: 'cards' });
  const more = h('button', { type: 'button', class: 'quiet', hidden: true, onclick: () => { most = MANY; refresh(); } }, 'Show all runs');
  const workbenchHost = h('aside', { id: 'workbench', class: 'workbench', 'aria-label': 'Jobs' });
  // Hidden until the first data, so that nothing moves while it loads.
  const columns = h('div', { class: 'lab-columns', hidden: true });
  const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  fill(main,
    h('header', { class: 'lead' },
      h('h1', null, 'Lab'),
      h('p', { class: 'muted' }, 'Train players and measure them against each other. Watch a run while it learns, and play against its models.'),
      h('p', { class: 'row' }, h('a', { class: 'button narrow', href: '#workbench' }, 'Start a job'), h('a', { id: 'to-reproduction', class: 'button', href: '/lab/reproduction' }, 'Reproduction'), h('a', { id: 'to-queue', class: 'button', href: '/lab/queue' }, 'Machines'))),
    problem,
    columns);
  fill(columns,
    h('div', { class: 'stack wide' },
      h('section', { class: 'stack', 'aria-labelledby': 'runs-title' }, h('h2', { id: 'runs-title' }, 'Runs'), runs, more),
      h('section', { class: 'stack', 'aria-labelledby': 'experiments-title' }, h('h2', { id: 'experiments-title' }, 'Experiments'), experiments),
      h('section', { class: 'stack', 'aria-labelledby': 'events-title' }, h('h2', { id: 'events-title' }, 'Tournaments and matches'), events)),
    workbenchHost);
  addKeys([
    { keys: ['s'], shown: 's', does: 'start a job', run: () => document.getElementById('example')?.focus() },
    { keys: ['r'], shown: 'r', does: 'compare with published numbers', run: () => location.assign('/lab/reproduction') },
    { keys: ['m'], shown: 'm', does: 'show the machines', run: () => location.assign('/lab/queue') },
  ]);
  let most = FEW;
  const workbench = createWorkbench(workbenchHost, () => refresh());
  const drawRuns = keyed(runs, runCard, 'No runs yet. Choose an example and start it; tic-tac-toe takes a few seconds.');
  const drawExperiments = keyed(experiments, experimentCard, 'No experiments yet. An experiment repeats a training or a match with several settings and seeds.');
  const drawEvents = keyed(events, eventCard, 'No tournaments or matches yet. Choose an example to start one.');

  const refresh = poll(async () => {
    try {
      const [{ runs: cards, left_out: leftOut }, { experiments }, { tournaments }, working] = await Promise.all([
        get('/api/lab/runs', { limit: most, points: 80, alone: true }), get('/api/lab/experiments'), get('/api/lab/tournaments'), workbench.look(),
      ]);
      drawRuns(cards);
      drawExperiments(experiments);
      drawEvents(tournaments);
      more.hidden = most === MANY || leftOut === 0;
      more.textContent = `Show ${leftOut} more ${leftOut === 1 ? 'run' : 'runs'}`;
      problem.hidden = true;
      columns.hidden = false;
      return working || [...cards, ...experiments, ...tournaments].some(({ state }) => state === 'running');
    } catch (error) {
      problem.hidden = false;
      fill(problem, /** @type {Error} */ (error).message);
      return false;
    }
  });
}

/**
 * Draws a list of cards, and reuses the elements of cards that stay, to keep focus and scroll position.
 * @template {{id: string}} T
 * @param {HTMLElement} host
 * @param {(item: T) => {props: Record<string, string>, content: (Node | string)[]}} card
 * @param {string} empty the text without cards
 */
function keyed(host, card, empty) {
  /** @type {Map<string, {element: HTMLElement, said: string}>} */
  let shown = new Map();
  return (/** @type {T[]} */ items) => {
    const now = new Map();
    for (const item of items) {
      const said = JSON.stringify(item);
      const before = shown.get(item.id);
      const element = before?.element ?? h('a', { class: 'card' });
      if (before?.said !== said) {
        const { props, content } = card(item);
        for (const [name, value] of Object.entries(props)) element.setAttribute(name, value);
        fill(element, ...content);
      }
      now.set(item.id, { element, said });
    }
    const elements = [...now.values()].map(({ element }) => element);
    const same = elements.length === host.children.length && elements.every((element, i) => host.children[i] === element);
    if (!same || items.length === 0) fill(host, elements.length ? elements : h('p', { class: 'empty card' }, empty));
    shown = now;
  };
}

/** @param {RunCard} run */
function runCard(run) {
  const curve = run.main && run.main.points.length
    ? [curveChart([run.main], `${run.name}: ${run.main.label}`, { width: 320, height: 120 }), h('p', { class: 'small muted' }, run.main.label)]
    : [h('p', { class: 'waiting muted small' }, 'No data before the first step.')];
  return {
    props: { href: runAddress(run.id), 'data-run': run.id, 'aria-label': `Run ${run.name}, ${learnerName(run.learner)}, ${run.state}, ${reached(run)}` },
    content: [
      h('div', { class: 'card-head' }, h('h3', null, run.name), stateMark(run.state)),
      h('p', { class: 'small muted' }, `${learnerName(run.learner)}${run.game ? ` · ${run.game}` : ''}`),
      ...curve,
      h('p', { class: 'small' }, `${reached(run)} · ${ago(run.updated_at)}`),
    ],
  };
}

/** @param {ExperimentCard} card */
function experimentCard(card) {
  const title = experimentTitle(card);
  const far = `${card.done} of ${card.total} runs`;
  return {
    props: { href: experimentAddress(card.id), 'data-experiment': card.id, 'aria-label': `Experiment ${title}, ${card.state}, ${far}` },
    content: [
      h('div', { class: 'card-head' }, h('h3', null, title), stateMark(card.state)),
      h('p', { class: 'small muted' }, `${card.id} · ${card.game}`),
      h('progress', { max: card.total, value: card.done, 'aria-label': far }),
      h('p', { class: 'small' }, `${far} · ${ago(card.updated_at)}`),
    ],
  };
}

/** @param {EventCard} event */
function eventCard(event) {
  const names = event.leaders.slice(0, 3).map(({ name, elo }, i) => h('li', null, `${i + 1}. ${name}`, h('span', { class: 'muted' }, elo === null ? '' : ` ${Math.round(elo)}`)));
  return {
    props: { href: `/lab/tournaments/${encodeURIComponent(event.id)}`, 'data-event': event.id, 'aria-label': `${event.kind === 'match' ? 'Match' : 'Tournament'} ${event.name}, ${event.state}, ${event.games} games` },
    content: [
      h('div', { class: 'card-head' }, h('h3', null, event.name), stateMark(event.state)),
      h('p', { class: 'small muted' }, `${event.kind === 'match' ? 'Match' : `Tournament of ${event.players}`} · ${event.game}`),
      ...(event.leaders.length > 1 ? [ratingChart(event.leaders, { names: false })] : [h('p', { class: 'waiting muted small' }, 'No games yet.')]),
      h('ol', { class: 'leaders small' }, names),
      h('p', { class: 'small' }, `${event.games.toLocaleString('en')} games · ${ago(event.updated_at)}`),
    ],
  };
}
