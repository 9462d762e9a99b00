// @ts-check
// The page of a reproduced table or figure: published and own numbers with a verdict for each, the
// picture, the provenance, and for operators a button to run it.

import { fill, h } from '../lib/dom.js';
import { copyText, toast } from '../lib/header.js';
import { addKeys } from '../lib/keys.js';
import { capital } from '../lib/format.js';
import { effortText, marks, verdictMark } from './verdicts.js';
import { command, jobCard, sentence, tokenField } from './workbench.js';
import { reproductionAddress, poll } from './types.js';

/** @typedef {import('./types.js').ReproductionReport} ReproductionReport */
/** @typedef {import('./types.js').Report} Report */
/** @typedef {import('./types.js').ReportTable} ReportTable */
/** @typedef {import('./types.js').Figure} Figure */
/** @typedef {import('./types.js').Origin} Origin */
/** @typedef {import('./types.js').Job} Job */
/** @typedef {import('./types.js').JobList} JobList */

/** @param {HTMLElement} main @param {string} id */
export function showReport(main, id) {
  const asked = new URLSearchParams(location.search).get('origin');
  const path = `/api/lab/reproduction/${encodeURIComponent(id)}${asked ? `?origin=${encodeURIComponent(asked)}` : ''}`;
  const body = h('div', { id: 'report', class: 'stack wide' });
  const work = h('section', { id: 'work', class: 'stack', 'aria-label': 'Run it here', hidden: true });
  const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  fill(main, h('p', { class: 'small' }, h('a', { href: '/lab/reproduction' }, '‹ Reproduction')), problem, body);
  let said = '';
  let shown = '';
  let ran = false;

  const look = poll(async () => {
    try {
      /** @type {[ReproductionReport, JobList]} */
      const [whole, jobs] = await Promise.all([command(path), command('/api/lab/jobs')]);
      problem.hidden = true;
      const now = JSON.stringify(whole);
      if (now !== said) {
        if (said) toast('New report.');
        said = now;
        fill(body, ...parts(whole, work));
      }
      return drawWork(jobs);
    } catch (error) {
      problem.hidden = false;
      fill(problem, sentence(/** @type {Error} */ (error).message));
      return false;
    }
  });
  addKeys([
    { keys: ['c'], shown: 'c', does: 'copy the command', run: () => document.getElementById('copy')?.click() },
    { keys: ['r'], shown: 'r', does: 'run it here', run: () => document.getElementById('run-here')?.focus() },
  ]);

  /** Draws the button and its job; returns whether the job is running. @param {JobList} list */
  function drawWork(list) {
    const job = list.jobs.find(({ experiment }) => experiment === id) ?? null;
    const goesOn = job !== null && (job.state === 'running' || job.state === 'stopping');
    ran ||= goesOn;
    const now = JSON.stringify([job, list.allowed, list.why, list.token]);
    if (now !== shown) {
      shown = now;
      const open = work.querySelector('details')?.open ?? false;
      work.hidden = false;
      fill(work, ...workParts(list, job && (ran || job.state !== 'finished') ? job : null, goesOn, open));
    }
    return goesOn;
  }

  /** @param {JobList} list @param {Job | null} job @param {boolean} goesOn @param {boolean} open */
  function workParts({ allowed, why, token }, job, goesOn, open) {
    const card = job ? jobCard(job, allowed, open, look) : null;
    if (!allowed) return [card, h('p', { class: 'small muted' }, sentence(`to run it here: ${why ?? ''}`)), token ? tokenField(look) : null].filter((part) => part !== null);
    const refusal = h('p', { class: 'problem', role: 'alert', hidden: true });
    const run = h('button', { id: 'run-here', class: 'primary', type: 'button', disabled: goesOn }, goesOn ? 'Running' : 'Quick run');
    run.onclick = async () => {
      run.disabled = true;
      try {
        await command('/api/lab/jobs', { kind: 'reproduce', toml: `experiment = "${id}"` });
        ran = true;
        look();
      } catch (error) {
        run.disabled = false;
        refusal.hidden = false;
        fill(refusal, sentence(/** @type {Error} */ (error).message));
      }
    };
    const about = h('span', { class: 'small muted' }, 'Runs on the server, with less effort and wider error bars than a full run.');
    return [h('div', { class: 'row' }, run, about), refusal, card].filter((part) => part !== null);
  }
}

/** @param {ReproductionReport} whole @param {HTMLElement} work */
function parts(whole, work) {
  const { id, title, place, document: source, report } = whole;
  const name = capital(title);
  document.title = `${name} – Tesuji`;
  const head = h('header', { class: 'lead' }, h('h1', null, name), h('p', { class: 'muted' }, `${place} · ${source}`),
    report ? h('p', { class: 'row', id: 'counts' }, marks(report.counts)) : null);
  const how = h('section', { class: 'card stack', 'aria-label': 'Provenance' }, commandLine(report?.command ?? whole.command), report ? made(whole.origin, report) : null, otherReport(whole), work);
  if (!report) {
    return [head, h('p', { class: 'empty card', id: 'no-report' }, 'No report yet. Run the command below to make one.'), how];
  }
  return [head, how, ...report.tables.map(table), notes(report.notes), picture(id, whole.origin ?? 'here', report, name)].filter((part) => part !== null);
}

/** @param {ReportTable} table */
function table({ title, rows }) {
  const body = rows.map(({ what, published, ours, verdict, why }) => h('tr', null,
    h('th', { scope: 'row' }, what), figure('Published', published), figure('Tesuji', ours), h('td', null, verdictMark(verdict)), h('td', { class: 'small muted why' }, why)));
  return h('section', { class: 'stack' }, h('h2', null, title),
    h('div', { class: 'card scroll-x', role: 'region', tabindex: 0, 'aria-label': title }, h('table', { class: 'compared' },
      h('thead', null, h('tr', null, ['Quantity', 'Published', 'Tesuji', 'Verdict', 'Reason'].map((name, i) => h('th', { scope: 'col', class: i === 1 || i === 2 ? 'number' : null }, name)))),
      h('tbody', null, body))));
}

/** A cell of a table; numbers do not wrap. @param {string} label @param {Figure | null} found */
function figure(label, found) {
  return h('td', { class: found && found.value === null ? 'number' : 'number whole', 'data-label': label }, found?.text ?? '–');
}

/** @param {string[]} texts */
function notes(texts) {
  if (texts.length === 0) return null;
  return h('section', { class: 'stack tight' }, h('h2', null, 'Notes'), h('ul', { class: 'notes' }, texts.map((text) => h('li', null, text))));
}

/** @param {string} id @param {Origin} origin @param {Report} report @param {string} name */
function picture(id, origin, { seconds }, name) {
  // The run time distinguishes a new picture from a cached one at the same address.
  const source = `/api/lab/reproduction/${encodeURIComponent(id)}/picture.svg?${new URLSearchParams({ origin, made: String(seconds) })}`;
  return h('figure', { class: 'stack' }, h('h2', null, 'Picture'),
    h('div', { class: 'card paper scroll-x', role: 'region', tabindex: 0, 'aria-label': 'Picture' }, h('img', { id: 'picture', src: source, alt: `${name}: the numbers of the tables as a picture`, loading: 'lazy' })),
    h('figcaption', { class: 'small' }, h('a', { href: source, download: `${id}.svg` }, 'Save the picture')));
}

/** @param {string} text */
function commandLine(text) {
  return h('div', { class: 'stack tight' }, h('span', { class: 'small muted' }, 'Command'),
    h('div', { class: 'row command' }, h('code', { id: 'command', class: 'output grow' }, text), h('button', { id: 'copy', type: 'button', onclick: () => copyText(text) }, 'Copy')));
}

/** The provenance of a report. @param {Origin | null} origin @param {Report} report */
function made(origin, { effort, seed, threads, seconds, made: { day, machine, commit, version } }) {
  const facts = /** @type {[string, string][]} */ ([
    ['Made', origin === 'shipped' ? `${day}, shipped with the program` : `${day}, here`],
    ['Effort', `${effortText(effort)}, ${took(seconds)}, ${threads} ${threads === 1 ? 'thread' : 'threads'}, seed ${seed}`],
    ['Machine', machine],
    ['Program', `Tesuji ${version}${commit ? `, commit ${commit.slice(0, 12)}` : ''}`],
  ]);
  return h('dl', { class: 'facts' }, facts.map(([name, value]) => h('div', null, h('dt', { class: 'small muted' }, name), h('dd', null, value))));
}

/** A link to the other report, if there is one. @param {ReproductionReport} whole */
function otherReport({ id, origin, origins }) {
  const other = origins.find((one) => one !== origin);
  if (!other) return null;
  const words = other === 'shipped' ? 'Show the shipped report' : 'Show the report made here';
  return h('p', { class: 'small' }, h('a', { id: 'other', href: reproductionAddress(id, other) }, words));
}

/** @param {number} seconds */
function took(seconds) {
  if (seconds < 120) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
