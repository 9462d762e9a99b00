// @ts-check
// Runs the searches of computers and hints. Every change of the position stops a running search.

import { stream } from '../lib/api.js';
import { PERSON, isOver, mover } from './state.js';

/** @import { Session, SessionState } from './state.js' */
/** @import { MoveResponse, Progress } from '../lib/api.js' */
/** @typedef {{who: "computer" | "hint", ahead?: number, progress?: Progress}} Thinking */
/**
 * @typedef {object} ThinkerEvents
 * @property {(thinking: Thinking | null) => void} onThinking
 * @property {(answer: MoveResponse, state: SessionState) => void} onMove a computer moved
 * @property {(answer: MoveResponse) => void} onHint
 * @property {(message: string) => void} onProblem
 */

/** The least time per move, in milliseconds, so that moves can be followed. */
const PACE = 450;
const HINT_SECONDS = 2;

/** @param {Session} session @param {ThinkerEvents} events */
export function createThinker(session, events) {
  /** @type {{close(): void} | null} */
  let running = null;
  let task = '';
  let waiting = 0;

  session.subscribe((state) => {
    const wanted = computerTask(state);
    if (wanted === task && wanted !== '') return;
    stop();
    task = wanted;
    if (wanted) think(state);
  });

  function stop() {
    running?.close();
    running = null;
    task = '';
    clearTimeout(waiting);
    events.onThinking(null);
  }

  /** @param {SessionState} state */
  function think(state) {
    const began = performance.now();
    begin(state, { player: mover(state), seconds: state.seconds, seed: state.seed }, 'computer', (answer) => {
      const rest = Math.max(0, PACE - (performance.now() - began));
      waiting = window.setTimeout(() => {
        running = null;
        events.onMove(answer, state);
        session.go({ snapshot: answer.position, paused: false }, 'replace');
      }, rest);
    });
  }

  /**
   * @param {SessionState} state
   * @param {{player: string, seconds: number | null, seed?: number}} question
   * @param {"computer" | "hint"} who
   * @param {(answer: MoveResponse) => void} then
   */
  function begin(state, question, who, then) {
    events.onThinking({ who });
    running = stream(
      '/api/thinking',
      { game: state.game, moves: state.snapshot.position, ...question },
      {
        queued: ({ ahead }) => events.onThinking({ who, ahead }),
        progress: (progress) => events.onThinking({ who, progress }),
        move: (answer) => {
          events.onThinking(null);
          then(answer);
        },
        problem: ({ error }) => {
          stop();
          events.onProblem(error);
          if (who === 'computer') session.go({ paused: true }, 'keep');
        },
      },
    );
  }

  return {
    stop,
    hint() {
      const { state } = session;
      if (isOver(state) || mover(state) !== PERSON) return;
      stop();
      begin(state, { player: state.info.best, seconds: HINT_SECONDS }, 'hint', (answer) => {
        running = null;
        events.onHint(answer);
      });
    },
    get busy() {
      return running !== null;
    },
  };
}

/** A key of the search that should be running; empty if none. */
function computerTask(/** @type {SessionState} */ state) {
  const idle = isOver(state) || state.paused || mover(state) === PERSON;
  return idle ? '' : JSON.stringify([state.game, state.snapshot.position, mover(state), state.seconds, state.seed]);
}
