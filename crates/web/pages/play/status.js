// @ts-check
// The status line: side to move, progress of the computer, result, errors.

import { byId, fill, h } from '../lib/dom.js';
import { count, duration, negated, other, outcomeText, scoreText, sideOf } from '../lib/format.js';
import { PERSON, isOver, mover } from './state.js';

/** @import { Session, SessionState } from './state.js' */
/** @import { Thinking } from './thinker.js' */
/** @import { MoveResponse, Score } from '../lib/api.js' */

/** @param {Session} session */
export function createStatus(session) {
  const line = byId('status');
  const details = byId('thinking');
  /** @type {Thinking | null} */
  let thinking = null;
  /** @type {string | null} a message until the next change of the position */
  let message = null;
  /** The computer's evaluation of its last move. */
  let remark = { position: '', text: '' };

  session.subscribe((state, before) => {
    if (state.snapshot !== before?.snapshot || state.resigned !== before.resigned) message = null;
    if (state.snapshot !== before?.snapshot) sayMove(state);
    draw();
  });

  function draw() {
    if (!session.ready) return;
    const words = statusText(session.state);
    if (line.textContent !== words) line.textContent = words;
    const isCurrent = remark.position === session.state.snapshot.position && !isOver(session.state);
    const remarked = isCurrent ? remark.text : '';
    const text = message ?? (thinking ? thinkingText(thinking, session.state) : remarked);
    details.textContent = text || '\u00a0';
    document.body.classList.toggle('thinking', thinking !== null);
  }

  /** Announces a move for screen readers. @param {SessionState} state */
  function sayMove({ snapshot, info, players }) {
    const last = snapshot.played.at(-1);
    byId('said-move').textContent =
      last && players[last.side] !== PERSON ? `${sideOf(last.side, info.sides)} played ${last.move}.` : '';
  }

  return {
    /** Stores the evaluation of a computer's move. @param {MoveResponse} answer @param {SessionState} before */
    moved({ choice, position }, before) {
      const alone = before.players[other(before.snapshot.to_move)] !== PERSON;
      const text = choice.score
        ? opinion(choice.score, alone ? sideOf(before.snapshot.to_move, before.info.sides) : null, before.info.name)
        : '';
      remark = { position: position.position, text: position.outcome ? '' : text };
    },
    /** @param {Thinking | null} now */
    think(now) {
      thinking = now;
      draw();
    },
    /** @param {string | null} text null removes the last message */
    say(text) {
      message = text;
      draw();
    },
    /** Shows an error, also before the first position. @param {Error} problem */
    fail(problem) {
      if (session.ready) return this.say(problem.message);
      line.textContent = 'This game could not be opened.';
      const start = location.search ? h('a', { href: location.pathname }, 'Restart') : null;
      fill(details, problem.message, ' ', start, ' ', h('a', { href: '/' }, 'All games'));
    },
  };
}

/**
 * The computer's evaluation of its own move, addressed to its opponent or about a named side.
 * @param {Score} score
 * @param {string | null} side
 * @param {string} game
 */
function opinion(score, side, game) {
  if (side) return `${scoreText(score, side, game)}.`;
  if ('win_in' in score) return `The computer sees a win in ${score.win_in}.`;
  if ('loss_in' in score) return `The computer sees a win for you in ${score.loss_in}.`;
  const words = scoreText(negated(score), 'You', game);
  return words.startsWith('You') ? `The computer thinks you${words.slice(3)}.` : 'The computer thinks it is even.';
}

/** @param {SessionState} state */
export function statusText(state) {
  if (isOver(state)) return resultText(state);
  const name = sideOf(state.snapshot.to_move, state.info.sides);
  if (mover(state) !== PERSON)
    return state.paused ? `${name} (computer) is paused. Press Space to resume.` : `${name} (computer) is thinking`;
  const alone = state.players[other(state.snapshot.to_move)] === PERSON;
  const check = state.snapshot.check?.length ? ' Check!' : '';
  return (alone ? `${name} to move.` : `Your turn: ${name}.`) + check;
}

/** The result, from the view of the only person if there is one. @param {SessionState} state */
export function resultText({ snapshot, resigned, players, info }) {
  const outcome = resigned ? { win: other(resigned) } : snapshot.outcome;
  if (!outcome) return '';
  const how = resigned ? ` ${sideOf(resigned, info.sides)} resigned.` : '';
  if (outcome === 'draw') return 'A draw.';
  const persons = [players.first, players.second].filter((player) => player === PERSON).length;
  if (persons !== 1) return `${outcomeText(outcome, info.sides)}.${how}`;
  return (players[outcome.win] === PERSON ? 'You win!' : 'The computer wins.') + how;
}

/** @param {Thinking} thinking @param {SessionState} state */
function thinkingText({ who, ahead, progress }, state) {
  if (ahead) return `Waiting: ${ahead} ahead`;
  const doing = who === 'hint' ? 'Searching for a hint' : 'Thinking';
  if (!progress) return `${doing}…`;
  const parts = [`depth ${progress.depth}`, `${count(progress.nodes)} nodes`, duration(progress.seconds)];
  if (progress.seconds > 0.2) parts.push(`${count(progress.nodes / progress.seconds)}/s`);
  const score = progress.score
    ? `. ${scoreText(progress.score, sideOf(state.snapshot.to_move, state.info.sides), state.info.name)}`
    : '';
  return `${doing}: ${parts.join(' · ')}${score}`;
}
