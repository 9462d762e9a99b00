// @ts-check
// The page of a run: live charts, population and patterns, sample games, models to play against,
// and settings.

import { get, stream } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { addKeys } from '../lib/keys.js';
import { createReplay } from '../library/replay.js';
import { ago, resultText, playAddress } from '../library/format.js';
import { curveChart, legend } from './curves.js';
import { drawPatterns, drawPopulation } from './forest.js';
import { command } from './workbench.js';
import { experimentAddress, learnerName, percent, reached, stateMark } from './types.js';

/** @typedef {import('./types.js').Run} Run */
/** @typedef {import('./types.js').Curve} Curve */
/** @typedef {import('./types.js').ChartPlan} ChartPlan */
/** @typedef {import('./types.js').Model} Model */
/** @typedef {{step: number, values: Record<string, number>}} Step */

/** The name of a score metric. */
const SCORE = /^(strength\..*)\.score$/;
/** A curve above this length keeps every other point. */
const MOST_POINTS = 1500;

/** @param {HTMLElement} main @param {string} id */
export async function showRun(main, id) {
  const path = `/api/lab/runs/${encodeURIComponent(id)}`;
  document.title = `${id} – Tesuji`;
  /** @type {Run} */
  let run;
  try {
    run = await get(path);
  } catch (problem) {
    return fill(main, back(null), h('p', { class: 'problem' }, /** @type {Error} */ (problem).message));
  }
  const head = h('div', { class: 'card-head' });
  const far = h('p', { class: 'muted', id: 'reached' });
  const facts = h('section', { class: 'card scroll-x', 'aria-label': 'Strength', hidden: true });
  const charts = h('div', { class: 'charts' });
  const actions = h('div', { class: 'row' });
  const population = h('section', { class: 'stack', id: 'population' });
  fill(main, back(run), h('header', { class: 'lead' }, head, far), actions, facts, charts, population, patterns(run, path), sampleGames(run), about(run, path));
  const draw = () => {
    fill(head, h('h1', null, run.name), stateMark(run.state));
    fill(far, `${learnerName(run.learner)}${run.game ? ` for ${run.game}` : ''} · ${reached(run)} · ${ago(run.updated_at)}`);
    drawStrength(facts, run);
  };
  draw();
  drawPopulation(population, run.population);
  let plots = drawCharts(charts, run);
  drawActions(actions, run);
  if (run.state === 'running') follow();
  /** Polls what the stream does not contain. */
  window.setInterval(async () => {
    if (run.state !== 'running' || document.hidden) return;
    const now = await get(path, { points: 2 }).catch(() => null);
    if (!now || now.state !== 'running') return;
    drawPopulation(population, now.population);
    if (now.models.length !== run.models.length) {
      run.models = now.models;
      drawActions(actions, run);
    }
  }, 4000);

  /** Streams new points until the run ends. */
  function follow() {
    let waiting = 0;
    const soon = () => {
      waiting ||= requestAnimationFrame(() => {
        waiting = 0;
        plots.forEach((plot) => plot.draw());
        draw();
      });
    };
    stream(`${path}/live`, { after: run.unit ? run.step : null }, {
      point: (/** @type {Step} */ step) => {
        if (!run.unit) return location.reload();
        if (run.best === null || step.values.score >= run.best.score) {
          if (step.values.score !== undefined) run.best = { step: step.step, score: step.values.score };
        }
        run.step = step.step;
        run.updated_at = Date.now() / 1000;
        for (const curve of run.series) add(curve, step);
        if (isNew(step)) chartAnew();
        soon();
      },
      done: refresh,
      problem: () => window.setTimeout(refresh, 4000),
    });
  }

  /** Whether a step has a score that no chart shows yet. @param {Step} step */
  function isNew({ values }) {
    const known = new Set(run.series.map(({ name }) => name));
    return Object.keys(values).some((name) => SCORE.test(name) && !known.has(name));
  }

  async function chartAnew() {
    const now = await get(path).catch(() => null);
    if (!now) return;
    run = now;
    draw();
    plots = drawCharts(charts, run);
    drawActions(actions, run);
  }

  /** Reloads the state, the population and the models, which are not in the stream. */
  async function refresh() {
    const now = await get(path).catch(() => null);
    if (!now) return;
    run = now;
    draw();
    plots = drawCharts(charts, run);
    drawPopulation(population, run.population);
    drawActions(actions, run);
    if (run.state === 'running') follow();
  }
}

/** @param {Curve} curve @param {Step} step */
function add(curve, { step, values }) {
  const y = values[curve.name];
  const last = curve.points[curve.points.length - 1];
  if (y === undefined || (last && last[0] >= step)) return;
  curve.points.push([step, y]);
  curve.errors?.push(values[curve.name.replace(SCORE, '$1.error')] ?? 0);
  if (curve.points.length <= MOST_POINTS) return;
  const kept = (/** @type {unknown} */ _, /** @type {number} */ i) => i % 2 === 0 || i === curve.points.length - 1;
  curve.errors = curve.errors?.filter(kept) ?? null;
  curve.points = curve.points.filter(kept);
}

/** @param {Run | null} run */
function back(run) {
  const experiment = run?.experiment ?? null;
  return h('p', { class: 'small row' }, h('a', { href: '/lab' }, '‹ Lab'),
    experiment === null ? null : h('a', { id: 'to-experiment', href: experimentAddress(experiment) }, `‹ Experiment ${experiment}`));
}

/**
 * Draws the scores of the best and of the latest measured model, one column per opponent.
 * @param {HTMLElement} host @param {Run} run
 */
function drawStrength(host, run) {
  const curves = run.series.filter(({ name }) => SCORE.test(name));
  const { best } = run;
  host.hidden = best === null || curves.length === 0;
  if (best === null || curves.length === 0) return;
  const last = Math.max(...curves.flatMap(({ points }) => points.map(([x]) => x)));
  const cell = (/** @type {Curve} */ { points, errors }, /** @type {number} */ step) => {
    const place = points.findIndex(([x]) => x === step);
    return h('td', { class: 'number' }, place < 0 ? '–' : percent(points[place][1], errors?.[place] ?? null));
  };
  const row = (/** @type {string} */ name, /** @type {number} */ step, /** @type {Record<string, number>} */ marks) => h('tr', marks,
    h('th', { scope: 'row' }, name), h('td', null, `${run.unit} ${step.toLocaleString('en')}`), curves.map((curve) => cell(curve, step)));
  fill(host, h('table', { id: 'strength' },
    h('thead', null, h('tr', null, ['', 'Step', ...curves.map(({ label }) => `Score ${label}`)].map((title, i) => h('th', { scope: 'col', class: i > 1 ? 'number' : null }, title)))),
    h('tbody', null, row('Best model', best.step, { 'data-best': best.step }), last === best.step ? null : row('Latest measured', last, { 'data-latest': last }))));
}

/** @param {HTMLElement} host @param {Run} run */
function drawCharts(host, run) {
  const plots = run.charts.map((plan) => {
    const curves = plan.series.map((name) => run.series.find((curve) => curve.name === name)).filter((curve) => curve !== undefined);
    const picture = h('div', { class: 'plot' });
    const names = h('div');
    const draw = () => {
      const isStrength = curves.some(({ name }) => SCORE.test(name));
      fill(picture, curveChart(curves, plan.title, { width: 420, height: 190, ...(isStrength ? { here: run.best?.step } : {}) }));
      fill(names, legend(curves));
    };
    draw();
    const unit = plan.unit ? h('span', { class: 'muted small' }, ` ${plan.unit}`) : null;
    return { element: h('figure', { class: 'card', 'data-chart': plan.title }, h('figcaption', null, h('h2', null, plan.title), unit), picture, names), draw };
  });
  fill(host, plots.length ? plots.map(({ element }) => element) : h('p', { class: 'empty card' }, 'The first numbers come after the first step.'));
  return plots;
}

/** @param {HTMLElement} host @param {Run} run */
async function drawActions(host, run) {
  const playable = run.models.filter(({ player }) => player);
  const before = host.querySelector('select')?.value;
  const chooser = h('select', { 'aria-label': 'Model' }, playable.map(({ title }, i) => h('option', { value: String(i) }, title)));
  const play = h('a', { class: 'button primary', id: 'play-against' }, 'Play against it');
  const watch = h('a', { class: 'button', id: 'watch-it' }, 'Watch self-play');
  const aim = () => {
    const model = playable[Number(chooser.value)] ?? playable[0];
    if (!model) return;
    const player = model.player ?? '';
    play.href = playAddress(model.game, '', { second: player });
    watch.href = playAddress(model.game, '', { first: player, second: player });
  };
  chooser.addEventListener('change', aim);
  if (before && Number(before) < playable.length) chooser.value = before;
  aim();
  const none = run.models.length ? 'Its models give hints in Gem Island.' : 'No model before the first step.';
  fill(host, playable.length ? [play, watch, playable.length > 1 ? chooser : null] : h('span', { class: 'muted' }, none));
  /** @type {import('./types.js').JobList | null} */
  const list = await command('/api/lab/jobs').catch(() => null);
  if (!list?.allowed || run.id.includes('/')) return;
  const job = list.jobs.find(({ id }) => id === run.id);
  const act = (/** @type {string} */ what) => async () => {
    await command(`/api/lab/jobs/${encodeURIComponent(run.id)}/${what}`, {}).catch(() => null);
    window.setTimeout(() => location.reload(), 600);
  };
  if (job?.can_stop) host.append(h('button', { type: 'button', 'data-stop': run.id, onclick: act('stop') }, 'Stop'));
  if (run.state === 'interrupted') host.append(h('button', { type: 'button', 'data-resume': run.id, onclick: act('resume') }, 'Resume'));
}

/** @param {Run} run @param {string} path */
function patterns(run, path) {
  const forests = run.models.filter(({ title }) => run.learner === 'forest' && title);
  if (!forests.length) return null;
  const host = h('div', { class: 'patterns', id: 'patterns' });
  const earlier = forests.filter(({ step }) => step !== null).map(({ step }) => Number(step)).reverse();
  const said = h('output', { class: 'small muted' }, 'best so far');
  const show = async (/** @type {number | null} */ step) => {
    const picture = await get(`${path}/forest`, { step }).catch(() => null);
    said.textContent = step === null ? 'best so far' : `best of ${run.unit} ${step}`;
    if (picture) drawPatterns(host, picture);
  };
  const slider = h('input', { type: 'range', min: 0, max: earlier.length, value: String(earlier.length), 'aria-label': 'Iteration', class: 'grow' });
  slider.addEventListener('input', () => show(earlier[Number(slider.value)] ?? null));
  show(null);
  return h('section', { class: 'stack' }, h('h2', null, 'Patterns of its trees'),
    h('p', { class: 'muted small' }, 'Each tree tests a few cells around the last stone. The pictures show the shortest rule: a disc is an own stone, a ring a stone of the other side, a dot an empty cell.'),
    earlier.length > 1 ? h('div', { class: 'row' }, slider, said) : null, host);
}

/** @param {Run} run */
function sampleGames(run) {
  if (!run.games.length) return null;
  const place = h('div', { class: 'card replay-place', id: 'replay' });
  /** @type {ReturnType<typeof createReplay> | null} */
  let replay = null;
  const buttons = run.games.map((game) => h('button', { type: 'button', onclick: () => open(game) }, game.title));
  const open = async (/** @type {Run["games"][number]} */ game) => {
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(run.games[i] === game)));
    replay ??= createReplay(place);
    await replay.show({ game: game.game, moves: game.moves, title: game.title, about: resultText(game.outcome, ['the first side', 'the second side']) }).catch(() => null);
  };
  open(run.games[0]);
  addKeys([
    { keys: ['ArrowLeft'], shown: '←', does: 'one move back', run: () => replay?.step(-1) },
    { keys: ['ArrowRight'], shown: '→', does: 'one move forward', run: () => replay?.step(1) },
  ]);
  return h('section', { class: 'stack' }, h('h2', null, 'Training games'), h('div', { class: 'row' }, buttons), place);
}

/** @param {Run} run @param {string} path */
function about(run, path) {
  const plots = run.plots.map((name) => h('a', { href: `${path}/plots/${encodeURIComponent(name)}.svg` }, name));
  return h('section', { class: 'stack' }, h('h2', null, 'Details'),
    h('details', { class: 'card' }, h('summary', null, 'Settings'), h('pre', { class: 'output', id: 'settings' }, run.settings)),
    run.log.length ? h('details', { class: 'card' }, h('summary', null, 'Log (last lines)'), h('pre', { class: 'output' }, run.log.join('\n'))) : null,
    h('p', { class: 'small muted row' }, plots.length ? ['Plots:', ...plots] : null, h('a', { href: path }, 'JSON data')));
}
