// @ts-check
// The panel: agent and speed, top ten, recording, rules.

import { get, post } from '../lib/api.js';
import { byId, fill, h, svg } from '../lib/dom.js';
import { loadItem, saveItem } from '../lib/storage.js';
import { BONUSES, gemOf } from './shapes.js';
import { counted, grouped } from './types.js';

/** @typedef {import('./types.js').ScoreRow} ScoreRow */

const RECORD = 'tesuji-record';
const SPEED = 'tesuji-gems-speed';
const FASTEST = 10;

/** Whether the player allows recording. */
export function mayRecord() {
  return loadItem(RECORD) !== 'off';
}

/** The speed of auto-play and replay: the pause after each turn, and the slowdown of animations. */
export function speed() {
  const value = Number(/** @type {HTMLInputElement} */ (byId('speed')).value);
  const slow = (FASTEST - value) / (FASTEST - 1);
  return { pause: 1600 * slow ** 2, pace: 0.15 + 1.05 * slow };
}

export function chosenLevel() {
  return Number(/** @type {HTMLSelectElement} */ (byId('level')).value) || 1;
}

/** @param {number} level */
export function showLevel(level) {
  /** @type {HTMLSelectElement} */ (byId('level')).value = String([1, 2, 3].includes(level) ? level : 1);
}

/** The agent for hints and auto-play. */
export function chosenAgent() {
  return /** @type {HTMLSelectElement} */ (byId('agent')).value || undefined;
}

/** Fills the choices of levels and agents. @param {{levels: any[], agents: {name: string, summary: string}[], agent: string}} about */
export function fillChoices({ levels, agents, agent }) {
  fill(byId('level'), levels.map(({ level, settings }) => h('option', { value: level }, `${level}: ${counted(settings.medals, 'medal')}, ${counted(settings.moves, 'move')}`)));
  fill(byId('agent'), agents.map(({ name, summary }) => h('option', { value: name, title: summary }, AGENTS[name] ?? name)));
  /** @type {HTMLSelectElement} */ (byId('agent')).value = agent;
  const slider = /** @type {HTMLInputElement} */ (byId('speed'));
  slider.value = loadItem(SPEED) ?? '6';
  slider.addEventListener('change', () => saveItem(SPEED, slider.value));
}

/** @type {Record<string, string>} */
const AGENTS = { belief: 'Belief (strongest)', greedy: 'Greedy', 'flat-ucb': 'Bandit (published)', random: 'Random' };

/** Shows the recording notice with its switch. @param {boolean} serverRecords @param {() => string | null} game the id of the running game */
export function showRecording(serverRecords, game) {
  const notice = byId('recording');
  if (!serverRecords) return fill(notice, 'This server does not record games.');
  const toggle = h('input', { id: 'record', type: 'checkbox', onchange: change });
  toggle.checked = mayRecord();
  fill(notice, h('label', { class: 'check' }, toggle, 'Record my finished games'),
    h('p', null, 'The server stores the boards and swaps of finished games, without names. They may be used for training.'));

  async function change() {
    saveItem(RECORD, toggle.checked ? 'on' : 'off');
    const id = game();
    // The server refuses this for a finished game.
    if (id) await post(`/api/gems/${id}/recording`, { record: toggle.checked }).catch(() => {});
  }
}

/** Shows the top ten of a level. @param {number} level */
export async function showTopTen(level) {
  const { rows } = /** @type {{rows: ScoreRow[]}} */ (await get('/api/scores', { level }));
  const line = (/** @type {ScoreRow} */ { rank, nickname, score, helped }) => h('tr', null,
    h('td', { class: 'number muted' }, rank),
    h('td', null, nickname, helped && h('span', { class: 'muted small', title: 'The computer helped' }, ' with help')),
    h('td', { class: 'number' }, grouped(score)));
  fill(byId('top-ten'),
    rows.length ? h('table', { class: 'small' }, h('tbody', null, rows.slice(0, 10).map(line))) : h('p', { class: 'muted small' }, 'No scores yet.'),
    h('p', { class: 'small' }, h('a', { href: `/scores?level=${level}` }, 'All scores')));
}

/** Shows the rules. */
export function showRules() {
  const bonus = (/** @type {keyof typeof BONUSES} */ name, /** @type {number} */ kind, /** @type {string} */ how) => h('li', null,
    svg('svg', { class: 'small-gem', viewBox: '-50 -50 100 100', 'aria-hidden': 'true' }, gemOf({ kind, bonus: name })), h('span', null, `${how}: a ${BONUSES[name]}`));
  fill(byId('rules'),
    h('p', null, 'Swap two neighboring gems to make a row of three or more of a kind. They vanish, the ice under them breaks, and gems fall. Free all medals under the ice, which cover two by two cells, before you run out of moves.'),
    h('ul', { class: 'bonuses' }, bonus('cross', 0, 'Four in a row'), bonus('star', 4, 'Five in a row'), bonus('diamond', 3, 'A crossing row and column')),
    h('p', null, 'Later passes of a turn score more. A win adds your mean score per move for each remaining move.'));
}
