// @ts-check
// What all pictures share: a sentence that says what is shown, a line that says how it stands (thinking, waiting, failed,
// nothing to show), the place for the drawing, and the data behind it.
import { address, get, stream } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
/** @import { Context, Extra, Handlers } from './types.js' */

/** Longest JSON shown as text; the link has all of it. */
const LONGEST_TEXT = 100_000;
const OVER = 'The game is over: there is nothing left to think about. Take a move back to look again.';

/** @param {HTMLElement} host @param {Context} context @param {string} sentence @param {...Node} controls */
export function createFrame(host, { board, state }, sentence, ...controls) {
  const status = h('p', { class: 'think-status', role: 'status' });
  const body = h('div', { class: 'think-body' });
  const text = h('pre', { tabindex: 0 });
  const link = h('a', { target: '_blank', rel: 'noopener' }, 'data');
  const details = h('details', { ontoggle: write }, h('summary', null, 'Data of this picture'), text);
  const top = controls.length > 0 && h('div', { class: 'row' }, controls);
  fill(host, h('p', { class: 'small muted' }, sentence), top, status, body, h('div', { class: 'think-foot' }, details, link));
  /** Counts questions, so that a late answer to an earlier one is dropped. */
  let asked = 0;
  /** @type {{close(): void} | null} */
  let open = null;
  /** @type {unknown} */
  let shown = null;

  function write() {
    const whole = details.open ? JSON.stringify(shown) : '';
    text.textContent = whole.length > LONGEST_TEXT ? `${whole.slice(0, LONGEST_TEXT)}\n… (the link has all of it)` : whole;
  }

  /** @param {unknown} data */
  function data(data) {
    shown = data;
    write();
  }

  /** @param {'ready' | 'busy' | 'queued' | 'empty' | 'error'} how @param {string} [words] */
  function say(how, words = '') {
    host.dataset.state = how;
    if (status.textContent !== words) status.textContent = words;
    body.hidden = how === 'empty' || how === 'error';
  }

  /** Ends what is under way and takes the picture off the board. */
  function stop() {
    asked += 1;
    open?.close();
    board.annotate([]);
    board.arrows([]);
    board.preview(null);
  }

  /** Begins a question, unless the game is over. @param {string} path @param {Extra} extra @param {(query: Extra, fresh: () => boolean) => void} ask */
  function begin(path, extra, ask) {
    stop();
    const mine = asked;
    const { game, position, snapshot } = state();
    const query = { game, moves: position, ...extra };
    link.href = address(path, query);
    if (snapshot.outcome) return say('empty', OVER);
    say('busy', 'Thinking …');
    ask(query, () => mine === asked);
  }

  /** Asks once and draws the answer. @param {string} path @param {Extra} extra @param {(answer: any) => void} draw */
  function load(path, extra, draw) {
    begin(path, extra, (query, fresh) => {
      const controller = new AbortController();
      open = { close: () => controller.abort() };
      get(path, query, controller.signal).then(
        (answer) => fresh() && (say('ready'), data(answer), draw(answer)),
        (problem) => fresh() && say('error', problem.message),
      );
    });
  }

  /** Listens to events; waiting and failing are dealt with here. @param {string} path @param {Extra} extra @param {Handlers} handlers */
  function follow(path, extra, handlers) {
    begin(path, extra, (query, fresh) => {
      /** @type {Handlers} */
      const all = {
        queued: ({ ahead }) => say('queued', ahead > 0 ? `Waiting: ${ahead} before us …` : 'Waiting for a free place …'),
        problem: ({ error }) => say('error', error),
      };
      for (const [event, handler] of Object.entries(handlers)) {
        all[event] = (data) => {
          if (!fresh()) return;
          say(event === 'done' ? 'ready' : 'busy', event === 'done' ? '' : 'Thinking …');
          handler(data);
        };
      }
      open = stream(path, query, all);
    });
  }

  /** What the panel wants of a picture. @param {() => void} refresh @param {() => void} [leave] */
  const picture = (refresh, leave) => ({ refresh, close: () => (stop(), leave?.()) });

  return { body, say, data, load, follow, picture };
}
