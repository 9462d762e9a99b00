// @ts-check
// Iterative deepening: what the computer thinks best after looking one move ahead, two, three …, as a list that grows and a
// curve of the score.
import { fill, h } from '../lib/dom.js';
import { lineChart } from '../lib/chart.js';
import { advantage, scoreText, shortScore } from '../lib/format.js';
import { createFrame } from './frame.js';
import { counted, lineOfMoves, scoreNumber, thinkingTime } from './rows.js';

/** @import { Deepening, DrawFunction } from './types.js' */

export const title = 'Deeper and deeper';
const SENTENCE = 'The computer looks one move ahead, then two, then three, and may change its mind on the way: this is what it thought at each depth.';
/** The curve has room for so many depths before it becomes denser. */
const USUAL_DEPTHS = 8;
const HEIGHTS = ['loses', 'even', 'wins'];

/** @type {DrawFunction} */
export function draw(host, context) {
  let seconds = '3';
  const frame = createFrame(host, context, SENTENCE, ...thinkingTime((chosen) => ((seconds = chosen), refresh())));
  const chart = h('div');
  const list = h('ol', { class: 'deepening-list', tabindex: 0, 'aria-label': 'best line at each depth' });
  frame.body.append(chart, list);
  /** @type {Map<number, Deepening>} */
  const depths = new Map();

  function refresh() {
    depths.clear();
    show();
    const done = () => depths.size === 0 && frame.say('empty', 'No depth was finished: the move was plain at once, or the time too short.');
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
      h('b', { title: 'moves looked ahead' }, depth),
      h('span', { class: 'score', title: scoreText(score, undefined, context.state().game), 'data-value': scoreNumber(score) }, shortScore(score)),
      lineOfMoves(line, context.board.preview),
      h('small', { 'data-value': nodes }, counted(nodes, 'position'), changed && h('em', null, ' · changed its mind')),
    );
  }

  return frame.picture(refresh);
}

/** How good each depth thinks the position is. @param {Deepening[]} steps @param {string} game */
function curveOf(steps, game) {
  const points = steps.map(({ depth, score }) => ({ x: depth, y: advantage(score, game), title: `depth ${depth}: ${shortScore(score)}` }));
  return lineChart([{ name: 'score', points, dots: true }], {
    label: 'score at each depth, for the side to move',
    height: 120,
    x: [1, Math.max(USUAL_DEPTHS, ...steps.map(({ depth }) => depth))],
    y: [-1.05, 1.05],
    yTicks: [-1, 0, 1],
    yText: (y) => HEIGHTS[1 + y],
    zero: 0,
  });
}
