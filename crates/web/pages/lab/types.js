// @ts-check
// Types of the lab's API, and parts shared by its views.

import { h } from '../lib/dom.js';

/** @typedef {[number, number]} Point */
/** @typedef {{name: string, label: string, points: Point[], errors: number[] | null}} Curve `errors`: half the length of each point's error bar */
/** @typedef {"running" | "finished" | "interrupted" | "stopping" | "failed" | "waiting"} State */
/**
 * @typedef {object} RunCard
 * @property {string} id
 * @property {string} learner
 * @property {string} game
 * @property {string} name
 * @property {State} state
 * @property {number} step
 * @property {string} unit the name of a step; empty before the first
 * @property {number | null} goal
 * @property {Curve | null} main
 * @property {number} updated_at
 */
/** @typedef {{title: string, unit: string, series: string[]}} ChartPlan */
/** @typedef {{title: string, step: number | null, game: string, player: string | null}} Model */
/** @typedef {{born: number, number: number, standing: {points: number, won: number, drawn: number, lost: number}, trees: number[]}} Member */
/** @typedef {{iteration: number, side: number, members: Member[], patterns: number[][]}} Population */
/** @typedef {{title: string, game: string, moves: string, outcome: import('../lib/api.js').Outcome}} SampleGame */
/**
 * @typedef {RunCard & {settings: string, experiment: string | null, best: {step: number, score: number} | null, series: Curve[], charts: ChartPlan[], plots: string[], models: Model[],
 *   population: Population | null, games: SampleGame[], log: string[]}} Run
 */
/** @typedef {{id: string, title: string, game: string, state: State, done: number, total: number, updated_at: number}} ExperimentCard */
/**
 * @typedef {object} Cell a cell of an experiment against one opponent
 * @property {string[]} values
 * @property {string} opponent
 * @property {number | null} score the mean over the completed seeds
 * @property {number | null} error
 * @property {number | null} elo
 * @property {number} games
 * @property {(number | null)[]} scores of each seed
 */
/** @typedef {{key: string, labels: string[] | null, series: Curve[]}} ParameterPlot */
/** @typedef {{name: string, values: string[], seed: number, state: State, run: string | null}} ExperimentRun */
/**
 * @typedef {ExperimentCard & {keys: string[], seeds: number[], opponents: string[], cells: Cell[], plot: ParameterPlot | null,
 *   runs: ExperimentRun[], toml: string, picture: boolean}} Experiment
 */
/** @typedef {{wins: number, draws: number, losses: number}} WinDrawLoss */
/** @typedef {{name: string, elo: number | null, low: number | null, high: number | null, games: number, points: number, score: number | null, superiority: number | null}} RatingRow */
/**
 * @typedef {object} EventCard
 * @property {string} id
 * @property {"tournament" | "match"} kind
 * @property {string} name
 * @property {string} game
 * @property {State} state
 * @property {number} games
 * @property {number} players
 * @property {RatingRow[]} leaders
 * @property {number} updated_at
 */
/** @typedef {{name: string, against: (WinDrawLoss | null)[], total: WinDrawLoss, points: number}} CrossRow */
/**
 * @typedef {object} Job
 * @property {string} id
 * @property {"train" | "tournament" | "match" | "experiment" | "reproduce"} kind
 * @property {State} state
 * @property {number} started_at
 * @property {number | null} ended_at
 * @property {string[]} output
 * @property {boolean} workers whether remote workers play its games
 * @property {string | null} experiment the experiment that it reproduces
 * @property {boolean} run
 * @property {boolean} can_stop
 * @property {boolean} can_resume
 */
/** @typedef {{jobs: Job[], allowed: boolean, why: string | null, token: boolean, most_at_once: number, workers: boolean}} JobList */
/** @typedef {{name: string, kind: Job["kind"], title: string, text: string}} Example */
/**
 * @typedef {object} WorkerCard
 * @property {string} name
 * @property {number} threads
 * @property {string} version
 * @property {number} since
 * @property {number} jobs
 * @property {number} games
 * @property {number} games_per_second
 * @property {string[]} busy
 * @property {boolean} draining
 */
/** @typedef {{run: string, done: number, units: number, open: number, poisoned: number, error: string, seconds: number, last: number}} RunState */
/** @typedef {{queue: string, jobs: number, under_way: number, workers: WorkerCard[], games_per_second: number, runs: RunState[]}} QueueState */
/** @typedef {{state: "none" | "away" | "there", why: string | null, queue: QueueState | null, left_out: number, allowed: boolean, refusal: string | null, token: boolean}} QueueView */
/** @typedef {"agrees" | "better" | "differs" | "cannot-tell" | "not-comparable" | "input"} Verdict */
/** @typedef {"here" | "shipped"} Origin */
/** @typedef {"quick" | "full"} Effort */
/** @typedef {Record<Verdict, number> & {summary: string, effort: Effort, day: string}} ReportSummary */
/** @typedef {{id: string, document: string, place: string, title: string, command: string}} Reproduction */
/** @typedef {Reproduction & {here: ReportSummary | null, shipped: ReportSummary | null}} ReproductionCard */
/** @typedef {{text: string, value: number | null, low: number | null, high: number | null}} Figure */
/** @typedef {{what: string, published: Figure | null, ours: Figure, verdict: Verdict, why: string}} ReportRow */
/** @typedef {{title: string, rows: ReportRow[]}} ReportTable */
/**
 * @typedef {object} Report
 * @property {string} command
 * @property {Record<Verdict, number>} counts
 * @property {Effort} effort
 * @property {number} seed
 * @property {number} threads
 * @property {number} seconds
 * @property {{day: string, machine: string, commit: string | null, version: string}} made
 * @property {ReportTable[]} tables
 * @property {string[]} notes
 */
/** @typedef {Reproduction & {origin: Origin | null, origins: Origin[], report: Report | null}} ReproductionReport */

const LEARNERS = /** @type {Record<string, string>} */ ({
  forest: 'Evolved forest', weights: 'Pattern weights', critic: 'Critic', 'gem-outcome': 'Outcome network',
  'gem-utility': 'Utility network', 'gomoku-eval': 'Gomoku engine parameters', 'line-network': 'Line network',
});

/** @param {string} learner */
export function learnerName(learner) {
  return LEARNERS[learner] ?? learner;
}

const SIGNS = { running: '●', stopping: '◐', finished: '✓', interrupted: '‖', failed: '✕', waiting: '○' };

/** A state as a symbol and a word. @param {State} state */
export function stateMark(state) {
  return h('span', { class: `state ${state}`, 'data-state': state }, h('span', { 'aria-hidden': 'true' }, SIGNS[state] ?? '·'), ` ${state}`);
}

/** The progress of a run. @param {RunCard} run */
export function reached({ unit, step, goal }) {
  if (!unit) return 'no step yet';
  const number = step.toLocaleString('en');
  const of = goal ? ` of ${goal.toLocaleString('en')}` : '';
  return `${unit} ${number}${of}`;
}

/** The address of a page. @param {string} id */
export function runAddress(id) {
  return `/lab/runs/${id.split('/').map(encodeURIComponent).join('/')}`;
}

/** The address of a page. @param {string} id */
export function experimentAddress(id) {
  return `/lab/experiments/${encodeURIComponent(id)}`;
}

/** The title of an experiment. @param {ExperimentCard} card */
export function experimentTitle({ id, title }) {
  return title || id;
}

/** A score with its error, in percent. @param {number | null} score @param {number | null} [error] */
export function percent(score, error = null) {
  if (score === null) return '–';
  return `${(100 * score).toFixed(1)}${error === null ? '' : ` ± ${(100 * error).toFixed(1)}`} %`;
}

/** The address of a report. @param {string} id @param {Origin} [origin] by default the first available one */
export function reproductionAddress(id, origin) {
  return `/lab/reproduction/${encodeURIComponent(id)}${origin ? `?origin=${origin}` : ''}`;
}

/** Polls, faster while work is running, and not while the page is hidden. @param {() => Promise<boolean>} look returns whether work is running */
export function poll(look) {
  let waiting = 0;
  const again = async () => {
    window.clearTimeout(waiting);
    const lively = document.hidden ? false : await look().catch(() => false);
    waiting = window.setTimeout(again, lively ? 1500 : 8000);
  };
  document.addEventListener('visibilitychange', () => !document.hidden && again());
  again();
  return again;
}
