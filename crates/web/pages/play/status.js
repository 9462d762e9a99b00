// @ts-check
// What is going on, in plain words: whose turn, what the computer is doing, who won, what went wrong.

import { byId, fill, h } from '../lib/dom.js';
import { count, duration, negated, other, outcomeText, scoreText, sideOf } from '../lib/format.js';
import { PERSON, isOver, mover } from './state.js';

/** @import { Session, SessionState } from './state.js' */
/** @import { Thinking } from './thinker.js' */
/** @import { MoveAnswer, Score } from '../lib/api.js' */

/** @param {Session} session */
export function createStatus(session) {
  const line = byId('status');
  const details = byId('thinking');
  /** @type {Thinking | null} */
  let thinking = null;
  /** @type {string | null} a message that stands until the position changes */
  let message = null;
  /** What the computer thought of the position that it made. */
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

  /** Tells those who do not see the board what was played. @param {SessionState} state */
  function sayMove({ snapshot, info, players }) {
    const last = snapshot.played.at(-1);
    byId('said-move').textContent =
      last && players[last.side] !== PERSON ? `${sideOf(last.side, info.sides)} played ${last.move}.` : '';
  }

  return {
    /** A computer is about to have moved. @param {MoveAnswer} answer @param {SessionState} before */
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
    /** @param {string | null} text null takes the last message away */
    say(text) {
      message = text;
      draw();
    },
    /** Something failed before there was a state. @param {Error} problem */
    fail(problem) {
      if (session.ready) return this.say(problem.message);
      line.textContent = 'This game could not be opened.';
      const start = location.search ? h('a', { href: location.pathname }, 'From the start') : null;
      fill(details, problem.message, ' ', start, ' ', h('a', { href: '/' }, 'All games'));
    },
  };
}

/**
 * What a computer thinks of its own move, told to the person it plays, or about a side by its name.
 * @param {Score} score
 * @param {string | null} side
 * @param {string} game
 */
function opinion(score, side, game) {
  if (side) return `${scoreText(score, side, game)}.`;
  if ('win_in' in score) return `The computer sees its win in ${score.win_in}.`;
  if ('loss_in' in score) return `The computer sees that you can win in ${score.loss_in}.`;
  const words = scoreText(negated(score), 'You', game);
  return words.startsWith('You') ? `The computer thinks you${words.slice(3)}.` : 'The computer thinks it is even.';
}

/** @param {SessionState} state */
export function statusText(state) {
  if (isOver(state)) return resultText(state);
  const name = sideOf(state.snapshot.to_move, state.info.sides);
  if (mover(state) !== PERSON)
    return state.paused ? `${name} (computer) waits. Press Space to let it move.` : `${name} (computer) is thinking`;
  const alone = state.players[other(state.snapshot.to_move)] === PERSON;
  const check = state.snapshot.check?.length ? ' Check!' : '';
  return (alone ? `${name} to move.` : `Your turn: ${name}.`) + check;
}

/** Who won, seen by the person where there is one. @param {SessionState} state */
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
  if (ahead) return ahead === 1 ? 'Waiting: one search is before this one' : `Waiting: ${ahead} searches are before this one`;
  const doing = who === 'hint' ? 'Looking for a hint' : 'Thinking';
  if (!progress) return `${doing}…`;
  const parts = [`depth ${progress.depth}`, `${count(progress.nodes)} nodes`, duration(progress.seconds)];
  if (progress.seconds > 0.2) parts.push(`${count(progress.nodes / progress.seconds)}/s`);
  const score = progress.score
    ? `. ${scoreText(progress.score, sideOf(state.snapshot.to_move, state.info.sides), state.info.name)}`
    : '';
  return `${doing}: ${parts.join(' · ')}${score}`;
}
