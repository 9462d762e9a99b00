// @ts-check
// The play page: the session, the board, and the panel.

import { createBoard } from '../board/board.js';
import { setOf } from '../board/pieces.js';
import { byId, fill, h } from '../lib/dom.js';
import { header, toast } from '../lib/header.js';
import { scoreText, sideOf } from '../lib/format.js';
import { createControls } from './controls.js';
import { createGamePanel } from './game_panel.js';
import { createPlayers } from './players.js';
import { PERSON, createSession, isOver, jumpTo, mover } from './state.js';
import { createStatus } from './status.js';
import { createThinker } from './thinker.js';

/** @import { MoveResponse } from '../lib/api.js' */
/** @typedef {{show(picture?: string): void, refresh(): void, close(): void}} ThinkPanel */

const TABS = ['game', 'analysis', 'think'];

header('/play');
/** Removes the last error message. */
let dismissProblem = () => {};
const session = createSession((problem) => {
  status.fail(problem);
  if (session.ready) dismissProblem = toast(problem.message);
});
const panel = /** @type {HTMLElement} */ (document.querySelector('.panel'));
// The panel is inert until a position is loaded.
panel.inert = true;
const view = { flipped: false, numbers: false };
const wide = matchMedia('(min-aspect-ratio: 2/1)');
wide.addEventListener('change', () => session.ready && showBoard(session.state));
/** @type {Promise<ReturnType<typeof import('./analysis.js').createAnalysis>> | null} */
let analysis = null;
const board = createBoard(byId('board'), {
  onMove: (move) => session.go({ moves: session.state.snapshot.position, play: move }),
  onSelect: (cell) => analysis?.then((panel) => panel.select(cell)),
  onArm: (move) => status.say(`Tap once more to play ${move}.`),
});
const status = createStatus(session);
session.subscribe(() => {
  panel.inert = false;
  dismissProblem();
});
session.subscribe(showBoard);
let hinted = false;
session.subscribe(() => (hinted = false));
createPlayers(session);
const gamePanel = createGamePanel(session, byId('panel-game'), {
  analyze: () => {
    openTab('analysis');
    openAnalysis().then((panel) => panel.chart());
  },
  setNumbers: (on) => {
    view.numbers = on;
    showBoard(session.state);
  },
});
const thinker = createThinker(session, {
  onThinking: (thinking) => status.think(thinking),
  onMove: (answer, state) => {
    gamePanel.recording.sign(answer, state);
    status.moved(answer, state);
  },
  onHint: showHint,
  onProblem: (message) => status.say(message),
});
createControls(session, {
  hint: () => thinker.hint(),
  dropHint,
  flip: () => {
    view.flipped = !view.flipped;
    showBoard(session.state);
  },
  jump: (to) =>
    gamePanel.moves.jump(Math.min(Math.max(to(gamePanel.moves.here(), gamePanel.moves.end()), 0), gamePanel.moves.end())),
  tab: openTab,
  isThinking: () => thinker.busy,
  stopThinking: () => thinker.stop(),
});

/** @type {Promise<ThinkPanel> | null} */
let thinkPanel = null;
let openedTab = 'game';
for (const name of TABS) byId(`tab-${name}`).addEventListener('click', () => openTab(name));
document.querySelector('.tabs')?.addEventListener('keydown', (event) => stepThroughTabs(/** @type {KeyboardEvent} */ (event)));
session.subscribe(() => {
  if (openedTab !== 'think') return;
  if (thinkPanel) thinkPanel.then((panel) => panel.refresh());
  else openThinking();
});
openTab(TABS.find((name) => location.hash === `#${name}`) ?? 'game');
session.readAddress();

/** @param {import('./state.js').SessionState} state @param {import('./state.js').SessionState | null} [before] */
function showBoard(state, before = null) {
  const { snapshot, info } = state;
  if (before?.snapshot === snapshot && before.resigned === state.resigned && before.players === state.players) return;
  const interactive = !isOver(state) && mover(state) === PERSON;
  board.show(snapshot, { ...view, bottom: sideAtBottom(state), interactive, sides: info.sides, across: boardsAcross(snapshot) });
  drawEvaluationBar(state);
  document.title = `${info.title} – Tesuji`;
  fill(byId('title'), info.title, state.game === info.name ? null : h('span', { class: 'code muted small' }, ` ${state.game}`));
  if (before === null && openedTab !== 'game') refreshTab();
}

/** Arranges a row of boards in two rows on narrow windows. */
function boardsAcross(/** @type {import('../lib/api.js').Snapshot} */ { board: { layers, layers_across: across } }) {
  return layers.length === across && across > 2 && !wide.matches ? 2 : null;
}

/** Matches the evaluation bar to the colors and the orientation of the board. */
function drawEvaluationBar(/** @type {import('./state.js').SessionState} */ state) {
  const { info, snapshot } = state;
  const bar = byId('evaluation');
  bar.classList.remove('paper', 'kaya', 'rack', 'felt', 'squares', 'chess');
  bar.classList.add(info.material, ...(setOf(snapshot.board, info.material) === 'chess' ? ['chess'] : []));
  const secondAtBottom = snapshot.bottom !== null && sideAtBottom(state) === 'second';
  bar.classList.toggle('flipped', view.flipped !== secondAtBottom);
}

/** The side at the bottom: the only person's side, or else the first. */
function sideAtBottom(/** @type {import('./state.js').SessionState} */ { players }) {
  return players.second === PERSON && players.first !== PERSON ? 'second' : 'first';
}

function refreshTab() {
  if (openedTab === 'analysis') analysis?.then((panel) => panel.setActive(true));
  if (openedTab === 'think') thinkPanel?.then((panel) => panel.refresh());
}

/** @param {MoveResponse} answer */
function showHint({ choice }) {
  const { snapshot, info } = session.state;
  board.preview([{ move: choice.move, side: snapshot.to_move, cells: choice.cells }]);
  const words = choice.score ? ` ${scoreText(choice.score, sideOf(snapshot.to_move, info.sides), info.name)}.` : '';
  status.say(`Hint: ${choice.move}.${words}`);
  hinted = true;
}

function dropHint() {
  if (!hinted) return;
  hinted = false;
  board.preview(null);
  status.say(null);
}

/** @param {string} name */
function openTab(name) {
  const before = openedTab;
  openedTab = name;
  for (const tab of TABS) {
    const isOpen = tab === name;
    byId(`tab-${tab}`).setAttribute('aria-selected', String(isOpen));
    byId(`tab-${tab}`).setAttribute('tabindex', isOpen ? '0' : '-1');
    byId(`panel-${tab}`).hidden = !isOpen;
  }
  if (before === 'think' && name !== 'think') thinkPanel?.then((panel) => panel.close());
  history.replaceState(history.state, '', location.pathname + location.search + (name === 'game' ? '' : `#${name}`));
  if (name === 'analysis') openAnalysis().then((panel) => panel.setActive(openedTab === 'analysis'));
  else analysis?.then((panel) => panel.setActive(openedTab === 'analysis'));
  if (name === 'think' && session.ready) openThinking();
}

/** Loads the analysis on demand. */
function openAnalysis() {
  analysis ??= import('./analysis.js').then(({ createAnalysis }) => createAnalysis(session, board, byId('panel-analysis')));
  return analysis;
}

/** Loads the search visualizations on demand. */
function openThinking() {
  const state = () => ({
    game: session.state.game,
    position: session.state.snapshot.position,
    snapshot: session.state.snapshot,
    info: session.state.info,
  });
  thinkPanel ??= import('../think/panel.js').then(({ createThinkPanel }) => createThinkPanel(byId('pictures'), { board, state }));
  thinkPanel
    .then((panel) => panel.show())
    .catch(() => {
      byId('pictures').textContent = 'The visualizations could not be loaded.';
      thinkPanel = null;
    });
}

/** @param {KeyboardEvent} event */
function stepThroughTabs(event) {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const next = TABS[(TABS.indexOf(openedTab) + step + TABS.length) % TABS.length];
  openTab(next);
  byId(`tab-${next}`).focus();
}
