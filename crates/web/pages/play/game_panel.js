// @ts-check
// The game tab: result, moves, rules and variants, view options.

import { fill, h } from '../lib/dom.js';
import { other } from '../lib/format.js';
import { startAgain } from './controls.js';
import { createExchange } from './exchange.js';
import { createMoves } from './moves.js';
import { swapped } from './players.js';
import { createRecording } from './recording.js';
import { PERSON, isOver, newSeed } from './state.js';
import { resultText } from './status.js';

/** @import { Session, SessionState } from './state.js' */

/** Variants of k-in-a-row games. @type {[string, string][]} */
const ROWS = [
  ['gomoku', 'Gomoku'],
  ['mnk:10x10,k=5', '10×10'],
  ['mnk:20x20,k=5', '20×20'],
  ['mnk:15x15,k=5,exact', 'Exactly five'],
  ['caro', 'Caro'],
  ['renju', 'Renju'],
  ['connect6', 'Connect6'],
  ['mnk:7x7,k=4', 'Four on 7×7'],
];
/** @type {[string, string][]} */
const CUBES = [
  ['tictactoe', '3×3'],
  ['tictactoe3d', '3×3×3'],
  ['qubic', '4×4×4'],
  ['tictactoe4d', '3×3×3×3'],
  ['mnk:5x5,k=4', 'Four on 5×5'],
];
/** Common variants by game. @type {Record<string, [string, string][]>} */
const VARIANTS = {
  tictactoe: CUBES,
  'tictactoe-nd': CUBES,
  tictactoe3d: CUBES,
  qubic: CUBES,
  tictactoe4d: CUBES,
  mnk: ROWS,
  gomoku: ROWS,
  caro: ROWS,
  renju: ROWS,
  connect6: ROWS,
  connect4: [
    ['connect4', '7×6'],
    ['connect4:8x7', '8×7'],
    ['connect4:6x5', '6×5'],
    ['connect4:5x4', '5×4'],
  ],
  othello: [
    ['othello', '8×8'],
    ['othello:6x6', '6×6'],
    ['othello:4x4', '4×4'],
  ],
};

/**
 * @param {Session} session
 * @param {HTMLElement} host
 * @param {{analyze: () => void, setNumbers: (on: boolean) => void}} actions
 */
export function createGamePanel(session, host, actions) {
  const end = h('section', { id: 'end', class: 'end card', 'aria-label': 'Result', hidden: true });
  host.append(end);
  const moves = createMoves(session, host);
  const more = h('details', { class: 'more' }, h('summary', null, 'Position and files'));
  const seed = h('span', { id: 'seed-shown', class: 'muted small' });
  const view = h('details', { class: 'more' }, h('summary', null, 'View and time', seed), viewOptions(session, actions.setNumbers));
  const rules = h('details', { class: 'more' }, h('summary', null, 'Rules and variants'));
  const rulesBox = h('div', { class: 'stack' });
  rules.append(rulesBox);
  createExchange(session, more);
  host.append(rules, view, more);
  const recording = createRecording(session, host);

  session.subscribe((state, before) => {
    seed.textContent = `seed ${state.seed}`;
    drawEnd(state);
    if (state.info !== before?.info) fill(rulesBox, rulesOf(session, state));
  });

  /** @param {SessionState} state */
  function drawEnd(state) {
    end.hidden = !isOver(state);
    if (end.hidden) return;
    const button = (/** @type {string} */ label, /** @type {() => void} */ run, kind = '') =>
      h('button', { class: kind, type: 'button', onclick: run }, label);
    fill(
      end,
      h('h2', null, resultText(state)),
      h('p', { class: 'muted' }, `${state.snapshot.played.length} moves.`),
      h(
        'div',
        { class: 'row' },
        button('Play again', () => startAgain(session), 'primary'),
        button('Swap sides', () => startAgain(session, swapped(session.state))),
        button(hasLost(state) ? 'Find my mistakes' : 'Review the game', actions.analyze),
      ),
    );
  }

  return { moves, recording };
}

/** Whether a person lost to a computer. @param {SessionState} state */
function hasLost({ snapshot, resigned, players }) {
  const loser = resigned ?? (snapshot.outcome && snapshot.outcome !== 'draw' ? other(snapshot.outcome.win) : null);
  return loser !== null && players[loser] === PERSON && players[other(loser)] !== PERSON;
}

/** @param {Session} session @param {SessionState} state */
function rulesOf(session, { info, game }) {
  const input = h('input', {
    class: 'code grow',
    'aria-label': 'Game with its options',
    value: game,
    spellcheck: 'false',
    autocomplete: 'off',
  });
  const open = (/** @type {string} */ wanted) =>
    session.go({ game: wanted, moves: '', line: null, paused: false, seed: newSeed() });
  const form = h('form', { class: 'row nowrap' }, input, h('button', null, 'Open'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    open(input.value.trim());
  });
  const variants = VARIANTS[game.split(':')[0]] ?? [];
  const buttons = variants.map(([variant, label]) =>
    h(
      'button',
      { type: 'button', title: variant, 'aria-pressed': String(variant === game), onclick: () => open(variant) },
      label,
    ),
  );
  const options = info.options
    .map(([key, meaning]) => [h('dt', { class: 'code' }, key), h('dd', { class: 'muted' }, meaning)])
    .flat();
  return [
    ...info.rules
      .split('\n')
      .filter((part) => part.trim())
      .map((part) => h('p', null, part)),
    buttons.length ? h('div', { class: 'row' }, buttons) : null,
    form,
    options.length ? h('dl', { class: 'options small' }, options) : null,
  ];
}

/** @param {Session} session @param {(on: boolean) => void} setNumbers */
function viewOptions(session, setNumbers) {
  const numbers = h('input', { id: 'numbers', type: 'checkbox', onchange: () => setNumbers(numbers.checked) });
  const times = [
    ['', 'default'],
    ['0.5', '0.5 s'],
    ['1', '1 s'],
    ['3', '3 s'],
    ['10', '10 s'],
  ];
  const time = h(
    'select',
    { id: 'seconds', onchange: () => session.go({ seconds: Number(time.value) || null }, 'replace') },
    times.map(([value, label]) => h('option', { value }, label)),
  );
  const seed = h('input', {
    id: 'seed',
    class: 'code',
    type: 'number',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    step: 1,
    onchange: () => seed.reportValidity() && seed.value && startAgain(session, session.state.players, Number(seed.value)),
  });
  session.subscribe((state) => {
    time.value = state.seconds ? String(state.seconds) : '';
    seed.value = String(state.seed);
  });
  return h(
    'div',
    { class: 'stack' },
    h('label', { class: 'check' }, numbers, 'Move numbers on stones'),
    h('label', { class: 'row' }, h('span', null, 'Computer’s time per move'), time),
    h('label', { class: 'row' }, h('span', null, 'Seed of the computer'), seed),
    h('p', { class: 'muted small' }, 'The same seed and moves give the same game. Changing the seed starts a new game.'),
  );
}
