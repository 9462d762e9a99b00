// @ts-check
// Replays a game: a board, a slider, buttons, and links to the play page.

import { createBoard } from '../board/board.js';
import { get } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { icon } from '../lib/icons.js';
import { playAddress } from './format.js';

/** @typedef {import('../lib/api.js').Snapshot} Snapshot */
/** @typedef {{game: string, moves: string, title: string, about?: string}} Replayed */

/** The time per move of automatic replay, in milliseconds. */
const PACE = 900;

/**
 * @param {HTMLElement} host
 * @returns {{show(game: Replayed): Promise<void>, step(by: number): void, toggle(): void, stop(): void}}
 */
export function createReplay(host) {
  /** @type {Replayed | null} */
  let replayed = null;
  /** @type {Snapshot | null} */
  let whole = null;
  let ply = 0;
  let playing = 0;
  let latest = 0;
  const positions = /** @type {Map<number, Promise<Snapshot>>} */ (new Map());

  const title = h('h2', null);
  const about = h('p', { class: 'muted small' });
  const frame = h('div', { class: 'replay-board' });
  const board = createBoard(frame);
  const slider = h('input', { type: 'range', class: 'grow', min: 0, max: 0, value: '0', 'aria-label': 'Move', oninput: () => go(Number(slider.value)) });
  const said = h('p', { class: 'small replay-said', role: 'status' }, '\u00a0');
  const play = button('play', 'Play or pause', () => toggle());
  const controls = h('div', { class: 'row', role: 'toolbar', 'aria-label': 'Replay' },
    button('first', 'Go to start', () => go(0)), button('back', 'Back one move', () => step(-1)), play,
    button('forward', 'Forward one move', () => step(1)), button('last', 'Go to end', () => go(last())), slider);
  const toTable = h('a', { class: 'button' }, 'Play from here');
  const toAnalysis = h('a', { class: 'button' }, 'Analyze');
  fill(host, title, about, frame, controls, said, h('div', { class: 'row' }, toAnalysis, toTable));

  /** @param {Replayed} game */
  async function show(game) {
    stop();
    const request = ++latest;
    const snapshot = await get('/api/position', { game: game.game, moves: game.moves });
    if (request !== latest) return;
    [replayed, whole] = [game, snapshot];
    positions.clear();
    slider.max = String(snapshot.played.length);
    fill(title, game.title);
    fill(about, game.about ?? '');
    await go(snapshot.played.length);
  }

  const last = () => whole?.played.length ?? 0;

  /** The text of the position after `at` moves. @param {number} at */
  function prefix(at) {
    if (!whole) return '';
    return at <= 0 ? (whole.start ?? '') : whole.position.slice(0, whole.played[at - 1].until);
  }

  /** @param {number} at */
  function position(at) {
    if (!replayed || !whole) return Promise.reject(new Error('no game is shown'));
    if (at === last()) return Promise.resolve(whole);
    const known = positions.get(at) ?? get('/api/position', { game: replayed.game, moves: prefix(at) });
    positions.set(at, known);
    return known;
  }

  /** @param {number} to */
  async function go(to) {
    if (!replayed || !whole) return;
    ply = Math.min(Math.max(to, 0), last());
    slider.value = String(ply);
    const at = ply;
    const snapshot = await position(at).catch(() => null);
    if (at !== ply || !snapshot || !replayed || !whole) return;
    board.show(snapshot, { interactive: false });
    const move = at > 0 ? whole.played[at - 1].move : 'start';
    said.textContent = `Move ${at} of ${last()}: ${move}`;
    slider.setAttribute('aria-valuetext', said.textContent);
    host.dataset.ply = String(at);
    toTable.href = playAddress(replayed.game, snapshot.position);
    toAnalysis.href = playAddress(replayed.game, snapshot.position, { tab: 'analysis' });
  }

  /** @param {number} by */
  function step(by) {
    stop();
    go(ply + by);
  }

  function toggle() {
    if (playing) return stop();
    if (ply === last()) go(0);
    fill(play, icon('pause'));
    playing = window.setInterval(() => (ply < last() ? go(ply + 1) : stop()), PACE);
  }

  function stop() {
    window.clearInterval(playing);
    playing = 0;
    fill(play, icon('play'));
  }

  return { show, step, toggle, stop };
}

/** @param {Parameters<typeof icon>[0]} sign @param {string} name @param {() => void} press */
function button(sign, name, press) {
  return h('button', { type: 'button', 'aria-label': name, title: name, onclick: press }, icon(sign));
}
