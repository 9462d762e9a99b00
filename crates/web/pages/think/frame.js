// @ts-check
// The frame of all visualizations: a description, a status line, the drawing, and its data.
import { address, get, stream } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
/** @import { Context, Extra, Handlers } from './types.js' */

/** The longest JSON shown as text; the link has all of it. */
const LONGEST_TEXT = 100_000;
const OVER = 'The game is over. Take back a move to see a search.';

/** @param {HTMLElement} host @param {Context} context @param {string} sentence @param {...Node} controls */
export function createFrame(host, { board, state }, sentence, ...controls) {
  const status = h('p', { class: 'think-status', role: 'status' });
  const body = h('div', { class: 'think-body' });
  const text = h('pre', { tabindex: 0 });
  const link = h('a', { target: '_blank', rel: 'noopener' }, 'Open data');
  const details = h('details', { ontoggle: write }, h('summary', null, 'JSON data'), text);
  const top = controls.length > 0 && h('div', { class: 'row' }, controls);
  fill(host, h('p', { class: 'small muted' }, sentence), top, status, body, h('div', { class: 'think-foot' }, details, link));
  /** Counts requests, so that late responses to earlier ones are dropped. */
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

  /** Cancels the request and clears the board. */
  function stop() {
    asked += 1;
    open?.close();
    board.annotate([]);
    board.arrows([]);
    board.preview(null);
  }

  /** Starts a request, unless the game is over. @param {string} path @param {Extra} extra @param {(query: Extra, fresh: () => boolean) => void} ask */
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

  /** Sends a request and draws the response. @param {string} path @param {Extra} extra @param {(answer: any) => void} draw */
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

  /** Opens a stream; handles waiting and errors. @param {string} path @param {Extra} extra @param {Handlers} handlers */
  function follow(path, extra, handlers) {
    begin(path, extra, (query, fresh) => {
      /** @type {Handlers} */
      const all = {
        queued: ({ ahead }) => say('queued', ahead > 0 ? `Waiting: ${ahead} ahead …` : 'Waiting …'),
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

  /** The interface for the panel. @param {() => void} refresh @param {() => void} [leave] */
  const picture = (refresh, leave) => ({ refresh, close: () => (stop(), leave?.()) });

  return { body, say, data, load, follow, picture };
}
