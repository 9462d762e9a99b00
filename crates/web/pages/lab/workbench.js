// @ts-check
// The jobs of the lab: a form with examples to start one, and the list of jobs with their output.

import { address, get, post } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { ago } from '../library/format.js';
import { experimentAddress, reproductionAddress, runAddress, stateMark } from './types.js';

/** @typedef {import('./types.js').Job} Job */
/** @typedef {import('./types.js').JobList} JobList */
/** @typedef {import('./types.js').Example} Example */

const KINDS = { train: 'Train a player', tournament: 'Play a tournament', match: 'Play a match', experiment: 'Run an experiment', reproduce: 'Reproduce published numbers' };
/** The kinds of jobs with a file of settings. */
const FILES = /** @type {const} */ (['train', 'tournament', 'match', 'experiment']);
/** The number of finished jobs shown directly. */
const FEW = 4;

/**
 * Sends a request that may need the token, which the browser sends as a cookie.
 * @param {string} path
 * @param {unknown} [body]
 */
export function command(path, body) {
  return body === undefined ? get(path) : post(path, body);
}

/**
 * @param {HTMLElement} host
 * @param {() => void} changed called when a job was started or stopped
 * @returns {{look(): Promise<boolean>}} `look` updates the list and returns whether a job is running
 */
export function createWorkbench(host, changed) {
  const form = h('form', { class: 'card stack start', 'aria-label': 'Start a job' });
  const list = h('div', { id: 'jobs', class: 'stack' });
  const started = h('section', { class: 'stack', 'aria-labelledby': 'jobs-title', hidden: true }, h('h2', { id: 'jobs-title' }, 'Jobs'), list);
  fill(host, started, form);
  let drawn = '';
  let jobs = '';

  async function look() {
    /** @type {JobList} */
    const answer = await command('/api/lab/jobs');
    const shape = JSON.stringify([answer.allowed, answer.why, answer.token, answer.workers]);
    if (shape !== drawn) {
      drawn = shape;
      await drawForm(form, answer, changed);
    }
    const said = JSON.stringify(answer.jobs);
    if (said !== jobs) {
      jobs = said;
      started.hidden = answer.jobs.length === 0;
      drawJobs(list, answer, changed);
    }
    return answer.jobs.some(({ state }) => state === 'running' || state === 'stopping');
  }

  return { look };
}

/** @param {HTMLElement} list @param {JobList} answer @param {() => void} changed */
function drawJobs(list, { jobs, allowed }, changed) {
  const isOver = (/** @type {Job} */ { state }) => state !== 'running' && state !== 'stopping';
  const open = new Set([...list.querySelectorAll('details[open]')].map((element) => element.getAttribute('data-of')));
  const cards = jobs.map((job) => jobCard(job, allowed, open.has(job.id), changed));
  const lately = cards.filter((_, i) => !isOver(jobs[i]) || jobs.slice(0, i).filter(isOver).length < FEW);
  const earlier = cards.filter((card) => !lately.includes(card));
  fill(list, lately, earlier.length ? h('details', { 'data-of': '', open: open.has('') }, h('summary', null, `${earlier.length} earlier`), h('div', { class: 'stack' }, earlier)) : null);
}

/** @param {Job} job @param {boolean} allowed @param {boolean} open @param {() => void} changed */
export function jobCard(job, allowed, open, changed) {
  const said = h('p', { class: 'small problem', hidden: true, role: 'alert' });
  const act = (/** @type {string} */ what) => async (/** @type {Event} */ event) => {
    const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
    button.disabled = true;
    try {
      await command(`/api/lab/jobs/${encodeURIComponent(job.id)}/${what}`, {});
      changed();
    } catch (problem) {
      button.disabled = false;
      said.hidden = false;
      fill(said, /** @type {Error} */ (problem).message);
    }
  };
  const last = job.output[job.output.length - 1];
  const place = addressOf(job);
  return h('article', { class: 'card job', 'data-job': job.id },
    h('div', { class: 'card-head' }, h('h3', null, place ? h('a', { href: place }, job.id) : job.id), stateMark(job.state)),
    h('p', { class: 'small muted' }, `${KINDS[job.kind]}${job.workers ? ' · on all workers' : ''} · ${ago(job.ended_at ?? job.started_at)}`),
    last ? h('details', { 'data-of': job.id, open }, h('summary', { class: 'small last-line' }, h('span', null, last)), h('pre', { class: 'output' }, job.output.join('\n'))) : null,
    said,
    allowed && (job.can_stop || job.can_resume) ? h('div', { class: 'row' },
      job.can_stop ? h('button', { type: 'button', 'data-stop': job.id, onclick: act('stop') }, 'Stop') : null,
      job.can_resume ? h('button', { type: 'button', 'data-resume': job.id, onclick: act('resume') }, 'Resume') : null) : null);
}

/** The address of a job's results. @param {Job} job */
function addressOf(job) {
  if (job.kind === 'experiment') return experimentAddress(job.id);
  if (job.run) return runAddress(job.id);
  return job.experiment ? reproductionAddress(job.experiment) : null;
}

/** @param {HTMLElement} form @param {JobList} answer @param {() => void} changed */
async function drawForm(form, { allowed, why, token, workers }, changed) {
  if (!allowed) return fill(form, h('h2', null, 'Start a job'), h('p', { class: 'muted' }, sentence(why ?? '')), token ? tokenField(changed) : null);
  /** @type {{examples: Example[]}} */
  const { examples } = await command('/api/lab/examples');
  const chooser = h('select', { id: 'example', name: 'example' });
  for (const kind of FILES) {
    const options = examples.filter((example) => example.kind === kind).map(({ name, title }) => h('option', { value: name }, optionText(name, title)));
    chooser.append(h('optgroup', { label: KINDS[kind] }, options, h('option', { value: `own:${kind}` }, 'Custom settings')));
  }
  const text = h('textarea', { id: 'toml', name: 'toml', rows: 14, spellcheck: 'false', autocomplete: 'off', wrap: 'off' });
  const name = h('input', { name: 'name', maxlength: 40, pattern: '[a-z0-9][a-z0-9\\-]*', title: 'a–z, 0–9 and -', autocomplete: 'off' });
  const shared = h('input', { id: 'on-workers', name: 'workers', type: 'checkbox' });
  const said = h('p', { id: 'start-problem', class: 'problem', role: 'alert', hidden: true });
  const start = h('button', { id: 'start', class: 'primary', type: 'submit' }, 'Start');
  const chosen = () => examples.find((example) => example.name === chooser.value);
  const kind = () => chosen()?.kind ?? /** @type {Job["kind"]} */ (chooser.value.slice(4));
  const choose = () => {
    text.value = chosen()?.text ?? '';
    name.value = chosen() ? (chooser.value.split('/').pop() ?? '').replace('.toml', '') : kind();
    said.hidden = true;
  };
  chooser.addEventListener('change', choose);
  const usual = examples.find((example) => example.name === 'training/tictactoe.toml');
  if (usual) chooser.value = usual.name;
  choose();
  fill(form, h('h2', null, 'Start a job'),
    h('label', { class: 'stack tight' }, h('span', { class: 'small muted' }, 'Example'), chooser),
    h('label', { class: 'stack tight' }, h('span', { class: 'small muted' }, 'Settings (TOML)'), text),
    h('label', { class: 'stack tight' }, h('span', { class: 'small muted' }, 'Name'), name),
    workers ? h('label', { class: 'check' }, shared, h('span', null, 'Games on all workers')) : null,
    said, h('div', { class: 'row' }, start, h('span', { class: 'small muted' }, 'Runs on the server.')));
  form.onsubmit = async (event) => {
    event.preventDefault();
    start.disabled = true;
    said.hidden = true;
    try {
      // The example's name makes the server copy the files that it needs.
      await command('/api/lab/jobs', { kind: kind(), toml: text.value, example: chosen()?.name, name: name.value, workers: shared.checked });
      changed();
    } catch (problem) {
      said.hidden = false;
      fill(said, sentence(/** @type {Error} */ (problem).message));
    }
    start.disabled = false;
  };
}

/** @param {string} name @param {string} title */
function optionText(name, title) {
  const short = name.replace('.toml', '').replaceAll('/', ' · ');
  return title === name ? short : `${short}: ${title.length > 60 ? `${title.slice(0, 59)}…` : title}`;
}

/** A field for the server's token, which is exchanged for a cookie that scripts cannot read. @param {() => void} changed */
export function tokenField(changed) {
  const field = h('input', { type: 'password', autocomplete: 'off', 'aria-label': 'Server token', placeholder: 'token' });
  const said = h('p', { class: 'small problem', hidden: true, role: 'alert' });
  const use = async () => {
    const answer = await fetch(address('/lab', { token: field.value })).catch(() => null);
    if (answer?.ok) return changed();
    said.hidden = false;
    fill(said, answer ? sentence((await answer.text()).trim()) : 'The server cannot be reached.');
  };
  const button = h('button', { type: 'button', onclick: use }, 'Use');
  return h('div', { class: 'stack tight' }, h('div', { class: 'row' }, field, button), said);
}

/** @param {string} words */
export function sentence(words) {
  return words ? `${words[0].toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}` : '';
}
