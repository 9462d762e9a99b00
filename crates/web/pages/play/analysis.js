// @ts-check
// The analysis tab: scores of the searched moves, best lines with a preview, and the evaluation
// bar. It follows the position while it is open.

import { byId, fill, h } from '../lib/dom.js';
import { stream } from '../lib/api.js';
import { count, duration, forFirst, scoreText, shortScore, sideOf, tone } from '../lib/format.js';
import { createGameChart } from './game_chart.js';
import { isOver, mover, PERSON } from './state.js';

/** @import { Session, SessionState } from './state.js' */
/** @import { MoveTable, ScoredMove } from '../lib/api.js' */
/** @import { Board } from '../board/board.js' */
/** @import { Mark } from '../board/overlay.js' */

const TIMES = [1, 3, 10, 30];
const BEST_LINES = 5;

/** @param {Session} session @param {Board} board @param {HTMLElement} host */
export function createAnalysis(session, board, host) {
  let active = false;
  let seconds = 3;
  let marked = true;
  let asked = '';
  /** @type {number | null} */
  let selected = null;
  /** @type {MoveTable | null} */
  let latest = null;
  /** @type {{close(): void} | null} */
  let running = null;

  const verdict = h('p', { class: 'verdict' });
  const meter = h('p', { class: 'meter muted small' });
  const lines = h('ol', { id: 'analysis-lines', class: 'lines', 'aria-label': 'Best lines' });
  host.append(h('section', { class: 'stack', 'aria-label': 'Analysis' }, verdict, lines, meter, options()));

  const chart = createGameChart(session, host);

  session.subscribe((state) => {
    if (state.snapshot.outcome !== null || keyOf(state) !== asked) forget();
    if (active) begin();
  });

  function options() {
    const time = h(
      'select',
      { 'aria-label': 'Analysis time', onchange: () => again(Number(time.value)) },
      TIMES.map((n) => h('option', { value: n }, `${n} s`)),
    );
    time.value = String(seconds);
    const toggle = h('input', { type: 'checkbox', checked: true, onchange: () => ((marked = toggle.checked), draw()) });
    return h(
      'div',
      { class: 'row' },
      h('label', { class: 'check' }, toggle, 'Scores on the board'),
      h('label', { class: 'row' }, h('span', { class: 'small muted' }, 'Time'), time),
    );
  }

  /** @param {number} time */
  function again(time) {
    seconds = time;
    forget();
    begin();
  }

  function forget() {
    running?.close();
    running = null;
    latest = null;
    asked = '';
    selected = null;
    showBalance(null, session.state);
  }

  function begin() {
    const { state } = session;
    const computing = mover(state) !== PERSON && !state.paused;
    if (isOver(state) || computing) return draw();
    if (keyOf(state) === asked) return draw();
    asked = keyOf(state);
    running = stream(
      '/api/analysis',
      { game: state.game, moves: state.snapshot.position, seconds },
      {
        queued: ({ ahead }) => (meter.textContent = ahead ? `Waiting: ${ahead} ahead` : 'Waiting…'),
        progress: (result) => take(result),
        done: (result) => take(result, true),
        problem: ({ error }) => {
          running = null;
          verdict.textContent = 'No analysis.';
          fill(lines);
          meter.textContent = error;
        },
      },
    );
    draw();
  }

  /** @param {MoveTable} now @param {boolean} [done] */
  function take(now, done = false) {
    latest = now;
    if (done) running = null;
    draw();
  }

  function draw() {
    const { state } = session;
    if (!active) return;
    lines.hidden = isOver(state);
    if (!latest) {
      verdict.textContent = isOver(state)
        ? 'The game is over. Step back to analyze.'
        : mover(state) !== PERSON && !state.paused
          ? 'The computer is thinking…'
          : 'Analyzing…';
      fill(lines, isOver(state) ? [] : placeholders());
      if (!running) meter.textContent = '\u00a0';
      board.annotate([]);
      return board.arrows([]);
    }
    verdict.textContent = verdictText(latest, state);
    // Only the first move may lack a score: an only defense that is not searched yet.
    const best = latest.moves.slice(0, BEST_LINES).filter(({ score }, i) => score || i === 0);
    fill(
      lines,
      best.map((move, i) => lineItem(move, i, state)),
    );
    meter.textContent = meterText(latest, running !== null);
    drawMarks(state);
    showBalance(latest, state);
  }

  /** @param {SessionState} state */
  function drawMarks(state) {
    const moves = marked && latest ? latest.moves : [];
    const moving = moves.some(({ cells }) => cells.length > 1);
    board.annotate(marksOf(moves, state.info.name, selected));
    const arrows = moves
      .slice(0, 3)
      .filter(({ cells }) => cells.length > 1)
      .map(({ cells }, i) => ({ from: cells[0], to: cells[cells.length - 1], kind: i === 0 ? 'best' : 'info later' }));
    board.arrows(moving && selected === null ? arrows.slice(0, 1) : []);
  }

  /** @param {ScoredMove} move @param {number} i @param {SessionState} state */
  function lineItem(move, i, state) {
    const text = move.line.map((step) => step.move).join(' ');
    const short = move.score ? shortScore(move.score) : '';
    const chip = h('span', { class: 'chip', 'data-value': short }, short);
    if (move.score) chip.style.setProperty('--tone', `${Math.round(tone(move.score, state.info.name) * 100)}%`);
    const words = move.score ? `${scoreText(move.score, undefined, state.info.name, latest?.exact)}. ` : '';
    const preview = () => board.preview(move.line.slice(0, 12));
    const away = () => board.preview(null);
    const button = h(
      'button',
      {
        class: 'line',
        type: 'button',
        'data-line': i,
        title: `${words}Plays ${move.move}.`,
        onpointerenter: preview,
        onfocus: preview,
        onpointerleave: away,
        onblur: away,
        onclick: () => session.go({ moves: state.snapshot.position, play: move.move }),
      },
      chip,
      h('span', { class: 'line-moves code' }, text),
    );
    return h('li', null, button);
  }

  return {
    /** @param {boolean} on */
    setActive(on) {
      active = on;
      if (!session.ready) return;
      if (on) return begin();
      running?.close();
      if (running) asked = '';
      running = null;
      board.annotate([]);
      board.arrows([]);
    },
    /** Shows the scores of a selected piece's moves. @param {number | null} cell */
    select(cell) {
      selected = cell;
      if (active && latest) drawMarks(session.state);
    },
    /** Reviews the game. */
    chart: chart.begin,
  };
}

/** @param {SessionState} state */
function keyOf({ game, snapshot }) {
  return JSON.stringify([game, snapshot.position]);
}

/** Placeholders that keep the layout stable. */
function placeholders() {
  return [...Array(BEST_LINES)].map(() => h('li', { 'aria-hidden': 'true' }, h('span', { class: 'line waiting' })));
}

/**
 * Marks the cells of moves with a score. Where pieces move, each piece shows the score of its best move; a selected
 * piece shows all of its moves. Equal scores have discs of equal size.
 * @param {ScoredMove[]} moves best first
 * @param {string} game
 * @param {number | null} selected
 * @returns {Mark[]}
 */
export function marksOf(moves, game, selected) {
  /** @type {Map<number, Mark>} */
  const marks = new Map();
  const best = moves[0]?.score;
  moves.forEach(({ move, cells, score }, i) => {
    if (!score || cells.length === 0 || (cells.length > 1 && selected !== null && cells[0] !== selected)) return;
    const cell = cells.length > 1 && selected === null ? cells[0] : cells[cells.length - 1];
    if (marks.has(cell)) return;
    const behind = best ? tone(best, game) - tone(score, game) : 0;
    const weight = JSON.stringify(best) === JSON.stringify(score) ? 1 : Math.min(Math.max(0.85 - behind, 0.35), 0.85);
    marks.set(cell, {
      cell,
      text: shortScore(score),
      title: `${move}: ${scoreText(score, undefined, game)}`,
      kind: i === 0 ? 'best' : 'info',
      tone: tone(score, game),
      weight,
      corner: cells.length > 1 && selected === null,
    });
  });
  return [...marks.values()];
}

/** @param {MoveTable} latest @param {SessionState} state */
function verdictText({ moves, exact }, { snapshot, info }) {
  if (moves.length === 0) return 'No moves.';
  const { move, score } = moves[0];
  if (!score) return `Only move: ${move}.`;
  return `${scoreText(score, sideOf(snapshot.to_move, info.sides), info.name, exact)}. Best: ${move}.`;
}

/** @param {MoveTable} latest @param {boolean} running */
function meterText({ depth, nodes, seconds, exact }, running) {
  const speed = seconds > 0.05 ? ` · ${count(nodes / seconds)}/s` : '';
  const proof = exact ? ' · exact' : '';
  return `${depth > 0 ? `depth ${depth} · ` : ""}${count(nodes)} nodes · ${duration(seconds)}${speed}${proof}${running ? ' · searching' : ''}`;
}

/** Draws the evaluation bar: the share of the first side. @param {MoveTable | null} latest @param {SessionState} state */
function showBalance(latest, { snapshot, info }) {
  const bar = byId('evaluation');
  const score = latest?.moves[0]?.score;
  bar.classList.toggle('known', Boolean(score));
  if (!score) return bar.setAttribute('aria-label', 'Evaluation: unknown');
  const share = tone(forFirst(score, snapshot.to_move), info.name);
  bar.style.setProperty('--share', `${(100 * share).toFixed(1)}%`);
  bar.setAttribute('data-value', share.toFixed(3));
  bar.setAttribute('aria-label', `Evaluation: ${scoreText(score, sideOf(snapshot.to_move, info.sides), info.name)}`);
}
