// @ts-check
// The page of Gem Island: holds one game, sends swaps to the server and animates the responses.

import { get, post } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { header } from '../lib/header.js';
import { createBar } from './bar.js';
import { createControls } from './controls.js';
import { createEndCard } from './end.js';
import { createInput } from './input.js';
import { createBelief, createHint } from './overlay.js';
import { chosenAgent, chosenLevel, fillChoices, mayRecord, showLevel, showRecording, showRules, showTopTen, speed } from './panel.js';
import { createScene, rest } from './scene.js';
import { cascade, exchange, refuse } from './turns.js';
import { cellName, counted, grouped, isSameSwap } from './types.js';

/** @typedef {import('./types.js').View} View */
/** @typedef {import('./types.js').Swap} Swap */
/** @typedef {import('./types.js').Cell} Cell */
/** @typedef {import('./types.js').TurnResult} TurnResult */
/** @typedef {import('./types.js').GameState} GameState */

/** @type {GameState | null} the current game */
let game = null;
/** An animation or a request is running, so no swap is possible. */
let busy = false;
let auto = false;
let believing = false;
/** Counts changes of the board; an asynchronous task that finds it changed is outdated. */
let sceneVersion = 0;

/** The polling interval for the game of another player, in milliseconds. */
const WATCHING = 2000;

header('/gems');
const scene = createScene(byId('gems'));
const bar = createBar();
const belief = createBelief(scene, byId('belief-panel'));
const hint = createHint(scene);
const input = createInput(scene, { mayPlay: () => !busy && !auto && mayPlay(), onSwap });
const endCard = createEndCard(byId('end'), { again: () => begin(), next: () => begin((game?.view.level ?? 0) + 1), replay, entered: showTopTen });
const controls = createControls({ hint: askHint, auto: toggleAuto, belief: toggleBelief, begin: () => begin() });
byId('level').addEventListener('change', () => begin());
showRules();
start();

async function start() {
  await attempt(async () => {
    const about = await get('/api/gems');
    fillChoices(about);
    showRecording(about.recording, () => (mayPlay() ? game?.id ?? null : null));
    await resume();
  });
}

/** Opens the game of the address, if it still exists. */
async function resume() {
  const asked = new URLSearchParams(location.search);
  const known = asked.get('game');
  const state = known && await get(`/api/gems/${encodeURIComponent(known)}`).catch(() => null);
  if (state) return adopt(state);
  showLevel(Number(asked.get('level')) || 1);
  await begin();
}

/** Starts a new game. @param {number} [level] */
async function begin(level = chosenLevel()) {
  setAuto(false);
  input.unpick();
  await attempt(async () => adopt(await post('/api/gems', { level, record: mayRecord() })));
}

/** Shows a game. @param {GameState} state */
function adopt(state) {
  sceneVersion++;
  busy = false;
  game = state;
  const { view } = state;
  history.replaceState(null, '', `/gems?game=${state.id}`);
  showLevel(view.level);
  scene.show(view);
  bar.show(view);
  hint.show(null);
  endCard.hide();
  belief.hide();
  refresh();
  showTopTen(view.level).catch(() => {});
  if (!isRunning()) return finish();
  if (!state.yours) {
    say('You are watching another player’s game.');
    follow(state.id);
    return;
  }
  say(`Free ${counted(view.medals_left, 'medal')} in ${counted(view.moves_left, 'move')}.`);
  if (believing) showBelief();
}

/** Polls the game of another player while it is shown. @param {string} id */
async function follow(id) {
  while (game?.id === id && isRunning()) {
    await new Promise((done) => setTimeout(done, WATCHING));
    if (document.hidden) continue;
    const now = await get(`/api/gems/${id}`).catch(() => null);
    if (now && game?.id === id && now.view.moves_made !== game.view.moves_made) return adopt(now);
  }
}

/** @param {Cell} first @param {Cell} second */
async function onSwap(first, second) {
  const swap = { first, second };
  hint.show(null);
  if (game?.view.swaps.some((legal) => isSameSwap(legal, swap))) {
    return turn(swap, () => post(`/api/gems/${game?.id}/swap`, swap), 1);
  }
  say('This swap makes no row of three.');
  busy = true;
  await refuse(scene, swap);
  busy = false;
}

/**
 * Plays a turn and animates it. A swap of the user moves while the request is running.
 * @param {Swap | null} swap
 * @param {() => Promise<TurnResult>} ask
 * @param {number} pace
 */
async function turn(swap, ask, pace) {
  const mine = ++sceneVersion;
  const before = game;
  busy = true;
  refresh();
  const moving = swap && exchange(scene, swap, pace);
  const answer = await attempt(ask);
  await moving;
  if (mine !== sceneVersion || !before) return;
  if (answer) {
    if (!swap) await exchange(scene, answer.swap, pace);
    bar.spend();
    await cascade(scene, answer, pace, bar.add);
    if (mine !== sceneVersion) return;
    game = { ...answer, id: before.id, yours: before.yours };
    say(turnText(answer, before.view));
  } else {
    // The game may have changed elsewhere, so reload it.
    game = await get(`/api/gems/${before.id}`).catch(() => before);
    if (mine !== sceneVersion) return;
  }
  busy = false;
  if (game) settle(game.view);
}

/** After a turn. @param {View} view */
function settle(view) {
  scene.show(view);
  bar.show(view);
  refresh();
  if (!isRunning()) finish();
  else if (believing) showBelief();
}

/** Describes a turn. @param {TurnResult} answer @param {View} before */
function turnText({ gained, reshuffled, view }, before) {
  const freed = before.medals_left - view.medals_left;
  const parts = [`+${grouped(gained)}`];
  if (freed > 0) parts.push(`${counted(freed, 'medal')} freed`);
  if (reshuffled) parts.push('no legal swap, gems shuffled');
  return `${parts.join(', ')}. ${counted(view.medals_left, 'medal')} to free, ${counted(view.moves_left, 'move')} left.`;
}

async function askHint() {
  if (busy || auto || !mayPlay()) return;
  const mine = sceneVersion;
  say('Thinking …');
  const answer = await attempt(() => post(`/api/gems/${game?.id}/hint`, { agent: chosenAgent() }));
  if (mine !== sceneVersion || !game || !answer) return;
  const { swap } = answer;
  hint.show(swap);
  say(`Swap ${cellName(swap.first, game.view.rows)} and ${cellName(swap.second, game.view.rows)}.`);
}

function toggleAuto() {
  setAuto(!auto);
  if (auto) autoPlay();
}

async function autoPlay() {
  hint.show(null);
  while (auto && isRunning()) {
    const moves = game?.view.moves_made;
    if (!busy) await turn(null, () => post(`/api/gems/${game?.id}/auto`, { agent: chosenAgent() }), speed().pace);
    // The server refused; its message is on the page.
    if (!busy && isRunning() && game?.view.moves_made === moves) return setAuto(false);
    if (auto && isRunning()) await rest(busy ? 50 : speed().pause);
  }
}

/** @param {boolean} on */
function setAuto(on) {
  auto = on && mayPlay();
  refresh();
}

function toggleBelief() {
  believing = !believing;
  hint.show(null);
  refresh();
  if (!believing) belief.hide();
  else if (!busy && mayPlay()) showBelief();
}

async function showBelief() {
  await attempt(async () => game && belief.show(game.id));
}

/** Shows the end of the game. */
function finish() {
  if (!game) return;
  const { view } = game;
  setAuto(false);
  belief.hide();
  const won = view.helped || !game.yours ? 'All medals freed' : 'You win';
  say(view.status === 'won' ? `${won}: ${counted(view.score, 'point')}.` : `${counted(view.medals_left, 'medal')} not found. ${counted(view.score, 'point')}.`);
  endCard.show(game.id, view, game);
}

/** Replays the game from its start. */
async function replay() {
  const mine = ++sceneVersion;
  endCard.hide();
  const recorded = await attempt(() => get(`/api/gems/${game?.id}/replay`));
  if (mine !== sceneVersion) return;
  if (recorded) {
    scene.show(recorded.start);
    bar.show(recorded.start);
    for (const [n, played] of recorded.turns.entries()) {
      say(`Replay: move ${n + 1} of ${recorded.turns.length}.`);
      await rest(speed().pause);
      if (mine !== sceneVersion) return;
      bar.spend();
      await exchange(scene, played.swap, speed().pace);
      await cascade(scene, played, speed().pace, bar.add);
      if (mine !== sceneVersion) return;
    }
  }
  if (game) settle(game.view);
}

/** Whether the game is running and belongs to this session. */
function mayPlay() {
  return isRunning() && game?.yours === true;
}

function isRunning() {
  return game?.view.status === 'running';
}

function refresh() {
  controls.show({ running: mayPlay(), auto, believing });
  byId('watching').hidden = !game || game.yours;
  byId('helped').hidden = !game?.view.helped;
}

/** @param {string} words */
function say(words) {
  byId('status').textContent = words;
  byId('status').classList.remove('problem');
}

/**
 * Runs an action and shows its error if it fails.
 * @template T
 * @param {() => Promise<T>} action
 * @returns {Promise<T | null>}
 */
async function attempt(action) {
  try {
    return await action();
  } catch (problem) {
    say(/** @type {Error} */ (problem).message);
    byId('status').classList.add('problem');
    return null;
  }
}
