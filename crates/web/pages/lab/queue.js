// @ts-check
// The distributed queue: workers, runs and their jobs; operators can drain workers and retry jobs.

import { fill, h } from '../lib/dom.js';
import { toast } from '../lib/header.js';
import { openDialog } from '../lib/keys.js';
import { count } from '../lib/format.js';
import { ago } from '../library/format.js';
import { command, sentence, tokenField } from './workbench.js';
import { poll } from './types.js';

/** @typedef {import('./types.js').QueueView} QueueView */
/** @typedef {import('./types.js').QueueState} QueueState */
/** @typedef {import('./types.js').WorkerCard} WorkerCard */
/** @typedef {import('./types.js').RunState} RunState */

/** @param {HTMLElement} main */
export function showQueue(main) {
  document.title = 'Machines – Tesuji';
  const place = h('p', { class: 'muted' });
  const notice = h('div', { id: 'queue-notice', class: 'stack', 'aria-live': 'polite', hidden: true });
  const right = h('div', { class: 'stack', hidden: true });
  const board = machines();
  fill(main,
    h('p', { class: 'small' }, h('a', { href: '/lab' }, '‹ Lab')),
    h('header', { class: 'lead' }, h('h1', null, 'Machines'), place),
    notice, board.element, right);
  let said = '';

  const look = poll(async () => {
    /** @type {QueueView} */
    let view;
    try {
      view = await command('/api/lab/queue');
    } catch (problem) {
      // Keep the old data and show the problem.
      tell('problem', [h('p', { class: 'problem' }, /** @type {Error} */ (problem).message)]);
      return false;
    }
    if (view.state === 'there') tell('', []);
    else if (view.state === 'none') tell(`none ${view.why}`, withoutQueue(view.why));
    else tell(`away ${view.why}`, [h('p', { class: 'problem' }, `The queue is not available. ${sentence(view.why ?? '')}`), h('p', { class: 'small muted' }, 'Completed work is in the store. This page keeps retrying.')]);
    place.textContent = words(view);
    if (view.state === 'none') board.element.hidden = true;
    if (view.queue) {
      board.draw(view.queue, view, look);
      board.element.hidden = false;
    }
    const asks = view.state !== 'none' && !view.allowed;
    if (asks && right.hidden) fill(right, h('p', { class: 'small muted' }, sentence(`to drain workers: ${view.refusal ?? ''}`)), view.token ? tokenField(look) : null);
    right.hidden = !asks;
    return view.state !== 'none';
  });

  /** Updates the notice if it changed, so that screen readers do not repeat it. @param {string} what @param {Node[]} parts */
  function tell(what, parts) {
    if (what === said) return;
    said = what;
    fill(notice, parts);
    notice.hidden = parts.length === 0;
  }
}

/** @param {QueueView} view */
function words({ state, queue }) {
  if (state === 'none') return 'A queue distributes games to workers on many machines.';
  return queue?.queue ? `Jobs are distributed through ${queue.queue}.` : 'Jobs are distributed through a queue.';
}

/** Instructions to set up a queue. @param {string | null} why */
function withoutQueue(why) {
  const shared = '--queue nats://HOST --store postgres://USER@HOST/DATABASE';
  return [
    h('section', { id: 'no-queue', class: 'card stack', 'aria-labelledby': 'no-queue-title' },
      h('h2', { id: 'no-queue-title' }, 'One machine'),
      h('p', null, sentence(why ?? '')),
      h('p', null, 'A queue needs a nats-server and a PostgreSQL database that all machines can reach. Start this server and, on every machine, a worker:'),
      h('pre', { class: 'output' }, `tesuji serve ${shared}\ntesuji worker ${shared}`),
      h('p', { class: 'small muted' }, 'See docs/cluster.md for the setup.')),
  ];
}

/** The part for an available queue. */
function machines() {
  const figures = /** @type {Record<string, HTMLElement>} */ ({});
  const figure = (/** @type {string} */ id, /** @type {string} */ label) => {
    figures[id] = h('dd', { 'data-figure': id }, '–');
    return h('div', null, h('dt', { class: 'small muted' }, label), figures[id]);
  };
  const drainAll = h('button', { id: 'drain-all', type: 'button', hidden: true }, 'Drain all');
  const workers = h('tbody');
  const runs = h('tbody');
  const noWorkers = h('p', { class: 'empty card' });
  const noRuns = h('p', { class: 'empty card' }, 'No jobs yet. Start a job in the lab with “Games on all workers”, or start a run with --queue.');
  const leftOut = h('p', { class: 'small muted', hidden: true });
  const workerTable = table('workers', ['Worker', 'Current jobs', 'Threads', 'Jobs done', 'Games/s', ''], workers);
  const runTable = table('queue-runs', ['Run', 'Last error', 'Done', 'Open', 'Failed', ''], runs);
  const element = h('div', { id: 'machines', class: 'stack wide', hidden: true },
    h('dl', { class: 'figures' }, figure('rate', 'games per second'), figure('workers', 'workers'), figure('waiting', 'waiting jobs'), figure('under-way', 'running jobs')),
    h('section', { class: 'stack', 'aria-labelledby': 'workers-title' }, h('div', { class: 'card-head' }, h('h2', { id: 'workers-title' }, 'Workers'), drainAll), noWorkers, workerTable),
    h('section', { class: 'stack', 'aria-labelledby': 'queue-runs-title' }, h('h2', { id: 'queue-runs-title' }, 'Runs'), noRuns, runTable, leftOut));
  const drawWorkers = keyedRows(workers, workerRow);
  const drawRuns = keyedRows(runs, runRow);
  let allowed = false;
  let changed = () => {};

  /** @param {QueueState} queue @param {QueueView} view @param {() => void} after called when something was changed */
  function draw(queue, view, after) {
    allowed = view.allowed;
    changed = after;
    const there = queue.workers.length;
    figures.rate.textContent = rate(queue.games_per_second);
    figures.workers.textContent = there.toLocaleString('en');
    figures.waiting.textContent = Math.max(0, queue.jobs - queue.under_way).toLocaleString('en');
    figures['under-way'].textContent = queue.under_way.toLocaleString('en');
    noWorkers.textContent = queue.jobs ? 'No workers, and jobs are waiting. Start tesuji worker on any number of machines.' : 'No workers. Start tesuji worker on any number of machines.';
    noWorkers.hidden = there > 0;
    workerTable.hidden = there === 0;
    noRuns.hidden = queue.runs.length > 0;
    runTable.hidden = queue.runs.length === 0;
    drainAll.hidden = !allowed || !queue.workers.some(({ draining }) => !draining);
    leftOut.hidden = view.left_out === 0;
    leftOut.textContent = `${view.left_out.toLocaleString('en')} earlier ${view.left_out === 1 ? 'run is' : 'runs are'} not shown.`;
    drawWorkers(queue.workers, ({ name }) => name);
    drawRuns(queue.runs, ({ run }) => run);
  }

  drainAll.onclick = () => {
    const go = h('button', { id: 'drain-all-really', class: 'primary', type: 'button' }, 'Drain all');
    const dialog = openDialog('Drain all workers?', h('p', null, 'Each worker finishes its current jobs and leaves. Other jobs wait for new workers.'), h('p', { class: 'row' }, go));
    go.onclick = () => {
      dialog.close();
      act(drainAll, 'drain', {}, ({ leaving }) => leaving.length ? `${leaving.length} workers are finishing their jobs` : 'All workers have left');
    };
  };

  /** @param {string} name */
  function workerRow(name) {
    const at = h('td', { class: 'at' });
    const numbers = ['Threads', 'Jobs done', 'Games/s'].map((label) => h('td', { class: 'number', 'data-label': label }));
    const drain = h('button', { type: 'button', 'data-drain': name, 'aria-label': `Drain ${name}` }, 'Drain');
    drain.onclick = () => act(drain, 'drain', { worker: name }, ({ leaving }) => (leaving.length ? `${name} is finishing its jobs` : `${name} has left`));
    const row = h('tr', { 'data-worker': name }, h('th', { scope: 'row', class: 'player' }, name), at, numbers, h('td', { class: 'act' }, drain));
    return {
      row,
      update: (/** @type {WorkerCard} */ worker) => {
        const { busy, draining } = worker;
        row.dataset.state = draining ? 'leaving' : busy.length ? 'busy' : 'idle';
        const jobs = busy.length > 3 ? `${busy.slice(0, 3).join(', ')} and ${busy.length - 3} more` : busy.join(', ');
        at.textContent = draining ? `draining${jobs ? `: ${jobs}` : ''}` : jobs || 'idle';
        at.title = `started ${ago(worker.since)}, tesuji ${worker.version}`;
        [worker.threads.toLocaleString('en'), count(worker.jobs), rate(worker.games_per_second)].forEach((text, i) => { numbers[i].textContent = text; });
        drain.hidden = !allowed || draining;
      },
    };
  }

  /** @param {string} name */
  function runRow(name) {
    const error = h('td', { class: 'at' });
    const numbers = ['Done', 'Open', 'Failed'].map((label) => h('td', { class: 'number', 'data-label': label }));
    const retry = h('button', { type: 'button', 'data-retry': name, 'aria-label': `Retry the failed jobs of ${name}` }, 'Retry');
    retry.onclick = () => act(retry, 'retry', { run: name }, ({ retried }) => `${retried} failed ${retried === 1 ? 'job' : 'jobs'} queued again; restart the run if it has ended`);
    const row = h('tr', { 'data-run': name }, h('th', { scope: 'row', class: 'player' }, name), error, numbers, h('td', { class: 'act' }, retry));
    return {
      row,
      update: (/** @type {RunState} */ run) => {
        error.textContent = run.error || '';
        error.classList.toggle('failed', run.poisoned > 0);
        [run.done, run.open, run.poisoned].forEach((number, i) => { numbers[i].textContent = number.toLocaleString('en'); });
        numbers[2].classList.toggle('failed', run.poisoned > 0);
        retry.hidden = !allowed || run.poisoned === 0;
      },
    };
  }

  /** @param {HTMLButtonElement} button @param {string} what @param {unknown} body @param {(answer: any) => string} done */
  async function act(button, what, body, done) {
    button.disabled = true;
    try {
      toast(sentence(done(await command(`/api/lab/queue/${what}`, body))));
    } catch (problem) {
      toast(sentence(/** @type {Error} */ (problem).message));
    }
    button.disabled = false;
    changed();
  }

  return { element, draw };
}

/** A table that is laid out as a list on narrow screens; explicit roles keep it accessible. @param {string} id @param {string[]} titles @param {HTMLElement} body */
function table(id, titles, body) {
  body.setAttribute('role', 'rowgroup');
  return h('table', { id, class: 'queue-table', role: 'table' },
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, titles.map((title, i) => h('th', { scope: 'col', role: 'columnheader', class: i > 1 && title ? 'number' : null }, title || h('span', { class: 'spoken' }, 'Actions'))))),
    body);
}

/**
 * Draws rows, and reuses their elements, to keep focus and scroll position.
 * @template T
 * @param {HTMLElement} body
 * @param {(key: string) => {row: HTMLElement, update(item: T): void}} make
 */
function keyedRows(body, make) {
  /** @type {Map<string, {row: HTMLElement, update(item: T): void}>} */
  let shown = new Map();
  return (/** @type {T[]} */ items, /** @type {(item: T) => string} */ key) => {
    const now = new Map();
    for (const item of items) {
      const entry = shown.get(key(item)) ?? make(key(item));
      entry.row.setAttribute('role', 'row');
      for (const cell of entry.row.children) cell.setAttribute('role', cell.tagName === 'TH' ? 'rowheader' : 'cell');
      entry.update(item);
      now.set(key(item), entry);
    }
    const rows = [...now.values()].map(({ row }) => row);
    const same = rows.length === body.children.length && rows.every((row, i) => body.children[i] === row);
    if (!same) fill(body, rows);
    shown = now;
  };
}

/** Games per second. @param {number} games */
function rate(games) {
  return games >= 100 ? count(games) : games.toFixed(1);
}
