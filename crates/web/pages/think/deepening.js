// @ts-check
// Iterative deepening: the result at each depth as a growing list and as a curve of the score.
import { fill, h } from '../lib/dom.js';
import { lineChart } from '../lib/chart.js';
import { advantage, scoreText, shortScore } from '../lib/format.js';
import { createFrame } from './frame.js';
import { counted, lineOfMoves, scoreNumber, thinkingTime } from './rows.js';

/** @import { Deepening, DrawFunction } from './types.js' */

export const title = 'Iterative deepening';
const SENTENCE = 'The computer searches one ply deep, then two, then three, and so on. This is the result at each depth.';
/** The least number of depths on the x axis. */
const USUAL_DEPTHS = 8;
const HEIGHTS = ['loses', 'even', 'wins'];

/** @type {DrawFunction} */
export function draw(host, context) {
  let seconds = '3';
  const frame = createFrame(host, context, SENTENCE, ...thinkingTime((chosen) => ((seconds = chosen), refresh())));
  const chart = h('div');
  const list = h('ol', { class: 'deepening-list', tabindex: 0, 'aria-label': 'Best line at each depth' });
  frame.body.append(chart, list);
  /** @type {Map<number, Deepening>} */
  const depths = new Map();

  function refresh() {
    depths.clear();
    show();
    const done = () => depths.size === 0 && frame.say('empty', 'No depth was completed: the move was immediate or the time too short.');
    frame.follow('/api/think/deepening', { seconds }, { depth: (step) => (depths.set(step.depth, step), show()), done });
  }

  function show() {
    const steps = [...depths.values()];
    frame.data(steps);
    fill(
      list,
      steps.map((step, i) => rowOf(step, i > 0 && steps[i - 1].line[0]?.move !== step.line[0]?.move)),
    );
    list.scrollTop = list.scrollHeight;
    fill(chart, curveOf(steps, context.state().game));
  }

  /** @param {Deepening} step @param {boolean} changed */
  function rowOf({ depth, score, line, nodes }, changed) {
    return h(
      'li',
      { 'data-depth': depth },
      h('b', { title: 'Depth in plies' }, depth),
      h('span', { class: 'score', title: scoreText(score, undefined, context.state().game), 'data-value': scoreNumber(score) }, shortScore(score)),
      lineOfMoves(line, context.board.preview),
      h('small', { 'data-value': nodes }, counted(nodes, 'position'), changed && h('em', null, ' · new best move')),
    );
  }

  return frame.picture(refresh);
}

/** A curve of the score at each depth. @param {Deepening[]} steps @param {string} game */
function curveOf(steps, game) {
  const points = steps.map(({ depth, score }) => ({ x: depth, y: advantage(score, game), title: `depth ${depth}: ${shortScore(score)}` }));
  return lineChart([{ name: 'score', points, dots: true }], {
    label: 'Score at each depth, for the side to move',
    height: 120,
    x: [1, Math.max(USUAL_DEPTHS, ...steps.map(({ depth }) => depth))],
    y: [-1.05, 1.05],
    yTicks: [-1, 0, 1],
    yText: (y) => HEIGHTS[1 + y],
    zero: 0,
  });
}
