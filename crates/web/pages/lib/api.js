// @ts-check
// The client of the API: JSON with `get` and `post`, server-sent events with `stream`; and the
// types of requests and responses.

/** @typedef {"first" | "second"} Side */
/** @typedef {{win: Side} | "draw"} Outcome */
/** @typedef {{win_in: number} | {loss_in: number} | {estimate: number}} Score For the side to move. */
/** @typedef {"empty" | "unused" | {piece: {side: Side, symbol: string}}} Cell */
/** @typedef {"paper" | "kaya" | "rack" | "felt" | "squares"} Material */
/**
 * @typedef {object} Diagram
 * @property {string[]} columns labels from the left
 * @property {string[]} rows labels from the top
 * @property {string[]} layers one empty label for a flat board
 * @property {number} layers_across
 * @property {Cell[]} cells layer by layer, row by row from the top, from the left
 */
/** @typedef {{move: string, side: Side, cells: number[]}} Step The destination is the last cell. */
/** @typedef {Step & {until: number}} PlayedStep `until`: the end of this move in the position's text. */
/** @typedef {{move: string, cells: number[]}} LegalMove */
/**
 * @typedef {object} Snapshot The view of a position.
 * @property {string} game
 * @property {string} position the text for `moves` in requests
 * @property {string | null} start
 * @property {Diagram} board
 * @property {Material} material
 * @property {Side | null} bottom the side whose pieces start in the last row; null if none
 * @property {Side} to_move
 * @property {Outcome | null} outcome
 * @property {PlayedStep[]} played
 * @property {LegalMove[]} moves
 * @property {number[]} winning
 * @property {number[]} forbidden
 * @property {[string, string]} [sides]
 * @property {number[]} [check]
 */
/**
 * @typedef {object} GameListed
 * @property {string} name
 * @property {string} spec
 * @property {string} title
 * @property {string} summary
 * @property {Material} material
 * @property {[string, string][]} options
 */
/** @typedef {{type: string, low?: number, high?: number, words?: string[]}} ValueType The values of an option. */
/** @typedef {{key: string, form: string, takes: ValueType, help: string}} PlayerOption */
/** @typedef {{name: string, summary: string, options: PlayerOption[]}} PlayerListed */
/** @typedef {{games: GameListed[], players: PlayerListed[], puzzles: Omit<GameListed, 'material'>[]}} GameList */
/**
 * @typedef {object} GameInfo
 * @property {string} name
 * @property {string} spec
 * @property {string} title
 * @property {string} summary
 * @property {string} rules
 * @property {Material} material
 * @property {[string, string]} sides
 * @property {string} [game] as requested
 * @property {[string, string][]} options
 * @property {{title: string, player: string}[]} opponents
 * @property {string} friendly
 * @property {string} best
 * @property {string[]} players
 * @property {string[]} pictures
 */
/**
 * @typedef {object} Choice
 * @property {string} move
 * @property {number[]} cells
 * @property {Score | null} score
 * @property {Step[]} line
 * @property {number} depth
 * @property {number} nodes
 * @property {number} seconds
 */
/** @typedef {{choice: Choice, receipt: string, position: Snapshot}} MoveResponse */
/** @typedef {{depth: number, nodes: number, seconds: number, score: Score | null}} Progress */
/** @typedef {{move: string, cells: number[], score: Score | null, line: Step[], visits?: number | null}} ScoredMove A move without a score was not searched. */
/** @typedef {{moves: ScoredMove[], depth: number, nodes: number, seconds: number, exact: boolean}} MoveTable */
/**
 * @typedef {object} ChartPoint
 * @property {number} ply
 * @property {Score | null} score for the first side
 * @property {{move: string, cells: number[], score: Score | null} | null} best
 * @property {{move: string, cells: number[], score: Score | null} | null} played
 * @property {number | null} mistake the cost of the played move, if it is a mistake
 */
/** @typedef {{game: string, moves: string, start: string | null, first: string, second: string, outcome: Outcome | null}} ImportedGame */
/** @typedef {{close(): void}} Stream */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Query */

/** An error response of the server; status 0 if it cannot be reached. */
export class ApiProblem extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
  }
}

/** An address with a query, for links. @param {string} path @param {Query} [query] */
export function address(path, query = {}) {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) parameters.set(key, String(value));
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

/**
 * @param {string} path
 * @param {Query} [query]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function get(path, query, signal) {
  return ask(address(path, query), { signal });
}

/**
 * @param {string} path
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function post(path, body, signal) {
  const headers = { 'content-type': 'application/json' };
  return ask(path, { method: 'POST', headers, body: JSON.stringify(body), signal });
}

/** The final events of a stream. */
const LAST_EVENTS = ['done', 'move', 'problem'];

/**
 * Receives server-sent events with JSON data, until `done`, `move`, `problem` or `close`. Closing stops the search on
 * the server. Unlike an EventSource this never reconnects, which would restart the search, and it can read errors.
 * @param {string} path
 * @param {Query} query
 * @param {Record<string, (data: any) => void>} handlers by event name; `problem` also gets connection errors
 * @returns {Stream}
 */
export function stream(path, query, handlers) {
  const controller = new AbortController();
  let open = true;
  const close = () => {
    open = false;
    controller.abort();
  };
  /** @param {string} event @param {any} data */
  const deliver = (event, data) => {
    if (!open) return;
    if (LAST_EVENTS.includes(event)) close();
    handlers[event]?.(data);
  };
  listen(address(path, query), controller.signal, deliver)
    .then(() => deliver('problem', { error: 'The connection to the server was lost.' }))
    .catch((/** @type {Error} */ problem) => deliver('problem', { error: problem.message }));
  return { close };
}

/** @param {string} url @param {RequestInit} init */
async function ask(url, init) {
  const response = await reach(url, init);
  if (!response.ok) throw await refusal(response);
  return response.json();
}

/** @param {string} url @param {RequestInit} init */
async function reach(url, init) {
  try {
    return await fetch(url, init);
  } catch (problem) {
    if (init.signal?.aborted) throw problem;
    throw new ApiProblem('The server cannot be reached.', 0);
  }
}

/** @param {Response} response */
async function refusal(response) {
  const body = await response.json().catch(() => null);
  const message = body?.error ?? `The server returned status ${response.status}.`;
  return new ApiProblem(message, response.status);
}

/**
 * @param {string} url
 * @param {AbortSignal} signal
 * @param {(event: string, data: any) => void} deliver
 */
async function listen(url, signal, deliver) {
  const response = await reach(url, { signal, headers: { accept: 'text/event-stream' } });
  if (!response.ok || !response.body) throw await refusal(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    waiting += value;
    const messages = waiting.split(/\r?\n\r?\n/);
    waiting = messages.pop() ?? '';
    for (const message of messages) readMessage(message, deliver);
  }
}

/** @param {string} message @param {(event: string, data: any) => void} deliver */
function readMessage(message, deliver) {
  let event = 'message';
  let data = '';
  for (const line of message.split(/\r?\n/)) {
    if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('data:')) data += line.slice(5);
  }
  if (data) deliver(event, JSON.parse(data));
}
