// @ts-check
// The players of both sides: the stone, a choice of players, and the used time.

import { get } from '../lib/api.js';
import { byId, fill, h } from '../lib/dom.js';
import { icon } from '../lib/icons.js';
import { openDialog } from '../lib/keys.js';
import { svg } from '../lib/dom.js';
import { clock } from '../lib/format.js';
import { pieceShape } from '../board/pieces.js';
import { playerFields } from './player_form.js';
import { PERSON, isOver } from './state.js';

/** @import { Session, SessionState } from './state.js' */
/** @import { Side } from '../lib/api.js' */

const OTHER = '…';
const SIDES = /** @type {Side[]} */ (['first', 'second']);

/** @param {Session} session */
export function createPlayers(session) {
  const host = byId('players');
  const used = { first: 0, second: 0 };
  let turnBegan = performance.now();
  /** @type {Record<string, HTMLElement>} */
  let clocks = {};

  session.subscribe((state, before) => {
    count(state, before);
    // Do not redraw for a move: a select may be open.
    const isNew =
      before === null || state.info !== before.info || JSON.stringify(state.players) !== JSON.stringify(before.players);
    if (isNew) draw(state);
    mark(state);
  });
  setInterval(() => session.ready && tick(), 500);

  /** @param {SessionState} state @param {SessionState | null} before */
  function count(state, before) {
    const now = performance.now();
    const grew = before && state.snapshot.played.length === before.snapshot.played.length + 1;
    if (grew) used[before.snapshot.to_move] += (now - turnBegan) / 1000;
    if (state.snapshot.played.length === 0) Object.assign(used, { first: 0, second: 0 });
    if (!before || before.snapshot !== state.snapshot || before.paused !== state.paused) turnBegan = now;
  }

  function tick() {
    const { state } = session;
    if (isOver(state) || state.paused || state.snapshot.played.length === 0) return;
    const side = state.snapshot.to_move;
    clocks[side].textContent = clock(used[side] + (performance.now() - turnBegan) / 1000);
  }

  /** @param {SessionState} state */
  function draw(state) {
    const holdsFocus = host.contains(document.activeElement) ? document.activeElement?.id : null;
    const opponent = state.players.second !== PERSON || state.players.first === PERSON ? 'second' : 'first';
    clocks = {};
    const rows = SIDES.map((side) => row(state, side, side === opponent ? 'opponent' : 'player'));
    const swap = h(
      'button',
      {
        id: 'swap',
        class: 'quiet',
        type: 'button',
        title: 'Swap sides',
        'aria-label': 'Swap sides',
        onclick: () => session.go({ players: swapped(session.state), paused: false }, 'replace'),
      },
      icon('swap'),
    );
    fill(host, h('div', { class: 'rows' }, rows), swap);
    if (holdsFocus) document.getElementById(holdsFocus)?.focus();
  }

  /** Marks the side to move and updates the clocks. @param {SessionState} state */
  function mark(state) {
    for (const side of SIDES) {
      const isTurn = !isOver(state) && state.snapshot.to_move === side;
      clocks[side].parentElement?.classList.toggle('turn', isTurn);
      clocks[side].textContent = clock(used[side]);
    }
  }

  /** @param {SessionState} state @param {Side} side @param {string} id */
  function row(state, side, id) {
    const { info, players } = state;
    const name = info.sides[side === 'first' ? 0 : 1];
    const select = h(
      'select',
      { id, 'aria-label': `Player of ${name}`, onchange: () => choose(side, select.value) },
      choices(state, side),
    );
    select.value = players[side];
    clocks[side] = h('span', { class: 'clock muted', title: 'Time used' });
    return h(
      'div',
      { class: 'player', 'data-side': side },
      token(state, side),
      h('span', { class: 'side-name' }, name),
      select,
      clocks[side],
    );
  }

  /** @param {Side} side @param {string} player */
  function choose(side, player) {
    const { players } = session.state;
    if (player === OTHER) return askForPlayer(side);
    session.go({ players: { ...players, [side]: player }, paused: false }, 'replace');
  }

  /** @param {Side} side */
  function askForPlayer(side) {
    const { info, players } = session.state;
    const input = h('input', {
      name: 'player',
      class: 'code',
      placeholder: 'mcts:sims=2000',
      'aria-label': 'Player',
      autocomplete: 'off',
      spellcheck: 'false',
    });
    const refused = h('p', { class: 'problem', role: 'alert', hidden: true });
    const form = h(
      'form',
      { class: 'stack', method: 'dialog' },
      h(
        'p',
        { class: 'muted' },
        'A player is a name with options, such as alphabeta:depth=4 or pvs:time=2s. Choose one or type it.',
      ),
      playerFields(info.players, input),
      input,
      refused,
      h('button', { class: 'primary' }, 'Play'),
    );
    const dialog = openDialog('Custom player', form);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const player = input.value.trim();
      try {
        if (player) await get('/api/player', { game: session.state.game, player });
      } catch (problem) {
        refused.textContent = /** @type {Error} */ (problem).message;
        refused.hidden = false;
        return input.focus();
      }
      dialog.close();
      if (player) session.go({ players: { ...players, [side]: player }, paused: false }, 'replace');
    });
    dialog.addEventListener('close', () => {
      draw(session.state);
      mark(session.state);
    });
    input.focus();
  }
}

/** @param {SessionState} state @param {Side} side */
function choices({ info, players }, side) {
  const against = players[side === 'first' ? 'second' : 'first'];
  const person = h('option', { value: PERSON }, against === PERSON ? 'Person' : 'You');
  const known = info.opponents.map(({ title, player }) => h('option', { value: player, title: player }, title));
  const listed = new Set([PERSON, ...info.opponents.map(({ player }) => player)]);
  const more = [info.friendly, info.best, players[side]].filter((player) => !listed.has(player) && listed.add(player));
  return [
    person,
    h(
      'optgroup',
      { label: 'Computer' },
      known,
      more.map((player) => h('option', { value: player }, player)),
      h('option', { value: OTHER }, 'Custom…'),
    ),
  ];
}

/** A small picture of a side's piece. @param {SessionState} state @param {Side} side */
function token({ info, snapshot }, side) {
  const chess = info.material === 'squares' && !snapshot.board.cells.includes('unused');
  const set = info.material === 'squares' ? (chess ? 'chess' : 'checkers') : null;
  const symbol = chess ? 'K' : 'b';
  const picture = svg('svg', { viewBox: '-20 -20 40 40', 'aria-hidden': 'true' }, pieceShape(side, symbol, info.material, set));
  return h('span', { class: `token board ${info.material} ${set ?? ''}` }, picture);
}

/** The title of a side's player, or its text. @param {SessionState} state @param {Side} side */
export function playerTitle({ info, players }, side) {
  return info.opponents.find(({ player }) => player === players[side])?.title ?? players[side];
}

/** Swaps the players. @param {SessionState} state */
export function swapped({ players: { first, second } }) {
  return { first: second, second: first };
}
