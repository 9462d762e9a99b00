// @ts-check
// The review of a game: the evaluation as a curve, and the mistakes with better moves.

import { fill, h } from '../lib/dom.js';
import { stream } from '../lib/api.js';
import { lineChart } from '../lib/chart.js';
import { advantage, scoreText, shortScore, sideOf } from '../lib/format.js';
import { jumpTo } from './state.js';

/** @import { Session, SessionState } from './state.js' */
/** @import { ChartPoint } from '../lib/api.js' */

const MISTAKES_SHOWN = 6;
/** The longest review, in seconds. */
const CHART_MOST = 20;

/** @param {Session} session @param {HTMLElement} host */
export function createGameChart(session, host) {
  /** @type {ChartPoint[]} */
  let points = [];
  let charted = '';
  /** @type {{close(): void} | null} */
  let running = null;
  const button = h('button', { id: 'chart-game', type: 'button', onclick: begin }, 'Chart the game');
  const said = h('p', { class: 'muted small' });
  const chart = h('div', { id: 'chart', class: 'chart-box' });
  const mistakes = h('ol', { id: 'mistakes', class: 'mistakes', 'aria-label': 'Mistakes' });
  host.append(
    h(
      'section',
      { class: 'stack', 'aria-label': 'Game review' },
      h('div', { class: 'row' }, h('h2', { class: 'grow' }, 'Game review'), button),
      chart,
      said,
      mistakes,
    ),
  );

  session.subscribe((state) => {
    if (lineKey(state) !== charted && charted !== '') forget();
    draw();
  });

  if (session.ready) draw();

  function forget() {
    running?.close();
    running = null;
    points = [];
    charted = '';
    said.textContent = '';
  }

  function begin() {
    forget();
    const { state } = session;
    charted = lineKey(state);
    running = stream(
      '/api/chart',
      { game: state.game, moves: state.line.position, seconds: Math.min(CHART_MOST, 3 + 0.25 * state.line.played.length) },
      {
        queued: ({ ahead }) => (said.textContent = ahead ? `Waiting: ${ahead} ahead` : 'Waiting…'),
        point: (point) => {
          points = [point, ...points].sort((a, b) => a.ply - b.ply);
          said.textContent = `${points.length} of ${state.line.played.length + 1} positions`;
          draw();
        },
        done: () => finish(''),
        problem: ({ error }) => finish(error),
      },
    );
    draw();
  }

  /** @param {string} message */
  function finish(message) {
    running = null;
    said.textContent = message;
    draw();
  }

  function draw() {
    const { state } = session;
    button.disabled = running !== null || state.line.played.length === 0;
    fill(chart, curve(state));
    const found = costly(points).slice(0, MISTAKES_SHOWN);
    fill(
      mistakes,
      found.map((mistake) => mistakeItem(mistake, state)),
    );
    if (!running && points.length > 1 && found.length === 0 && !said.textContent) said.textContent = 'No mistakes found.';
  }

  /** @param {SessionState} state */
  function curve(state) {
    const bad = new Set(costly(points).map(({ ply }) => ply));
    const series = points.flatMap(({ ply, score }) =>
      score === null
        ? []
        : {
            x: ply,
            y: advantage(score, state.info.name),
            kind: bad.has(ply - 1) ? 'mistake' : undefined,
            title: `${ply === 0 ? 'Start' : `${ply}. ${state.line.played[ply - 1]?.move ?? ''}`}: ${shortScore(score)}`,
          },
    );
    return lineChart([{ name: 'evaluation', points: series, area: true, dots: true }], {
      label: `Evaluation after each move, from ${state.info.sides[1]} (bottom) to ${state.info.sides[0]} (top)`,
      x: [0, Math.max(state.line.played.length, 1)],
      y: [-1, 1],
      yTicks: [-1, 1],
      zero: 0,
      height: 140,
      yText: (value) => state.info.sides[value > 0 ? 0 : 1],
      here: points.length ? state.snapshot.played.length : null,
      onPick: points.length ? (ply) => session.go(jumpTo(session.state, ply)) : undefined,
    });
  }

  /** @param {ChartPoint} mistake @param {SessionState} state */
  function mistakeItem({ ply, best }, state) {
    const { move, side } = state.line.played[ply];
    const after = points.find((point) => point.ply === ply + 1);
    const name = sideOf(side, state.info.sides);
    const better =
      best?.score && best.move !== move
        ? ` ${best.move} was better: ${scoreText(best.score, undefined, state.info.name).toLowerCase()}.`
        : '';
    const words = after?.score ? scoreText(after.score, state.info.sides[0], state.info.name) : '';
    return h(
      'li',
      null,
      h(
        'button',
        { class: 'mistake', type: 'button', 'data-mistake': ply + 1, onclick: () => session.go(jumpTo(session.state, ply)) },
        h('strong', null, `${ply + 1}. ${move}`),
        h('span', null, `${name}’s move. ${words}.${better}`),
      ),
    );
  }

  return { begin };
}

/** The mistakes, worst first. @param {ChartPoint[]} points */
function costly(points) {
  return points.filter(({ mistake }) => mistake !== null).sort((a, b) => (b.mistake ?? 0) - (a.mistake ?? 0));
}

/** @param {SessionState} state */
function lineKey({ game, line }) {
  return JSON.stringify([game, line.position]);
}
