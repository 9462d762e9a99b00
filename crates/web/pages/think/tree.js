// @ts-check
// The alpha-beta tree: a playback of the search with values and cutoffs, and the node counts of
// other algorithms.
import { fill, h } from '../lib/dom.js';
import { createFrame } from './frame.js';
import { createPlayback } from './playback.js';
import { barRow, choice, counted, grouped } from './rows.js';
import { createTree } from './tree_drawing.js';
/** @import { DrawFunction, Tree } from './types.js' */

export const title = 'The search tree';
const SENTENCE =
  'The computer searches every move, every answer to it, and so on. A position has the value of its best move, so values move from right to left. ' +
  'Branches that cannot matter are cut off (✂).';
  /** With more moves than this, the tree starts with depth 2 and move ordering. */
const MANY_MOVES = 12;
const ALGORITHMS = { minimax: 'minimax', alphabeta: 'alpha-beta', ordered: '+ move ordering', table: '+ transposition table' };

/** @type {DrawFunction} */
export function draw(host, context) {
  const many = context.state().snapshot.moves.length > MANY_MOVES;
  let depth = many ? '2' : '3';
  const sorted = h('input', { type: 'checkbox', checked: many, onchange: refresh });
  const depths = choice('Depth', ['1', '2', '3', '4'], depth, (chosen) => ((depth = chosen), refresh()));
  const frame = createFrame(host, context, SENTENCE, depths, h('label', { class: 'check' }, sorted, 'Move ordering'));
  const tree = createTree(context);
  const playback = createPlayback(tree.at);
  const counts = h('div', { class: 'tree-counts' });
  frame.body.append(playback.element, tree.element, counts);

  function refresh() {
    playback.pause();
    frame.load('/api/think/tree', { depth, ordered: sorted.checked }, (answer) => {
      drawCounts(counts, answer);
      playback.set(tree.set(answer));
    });
  }

  return frame.picture(refresh, playback.pause);
}

/** @param {HTMLElement} host @param {Tree} tree */
function drawCounts(host, { depth, counts }) {
  const most = Math.max(1, ...counts.map(({ nodes }) => nodes ?? 0));
  const rows = counts.map(({ algorithm, nodes }) => {
    const share = nodes === null ? 1 : Math.log(1 + nodes) / Math.log(1 + most);
    const row = barRow({ label: ALGORITHMS[algorithm], share, value: nodes, shown: nodes === null ? 'limit' : grouped(nodes) });
    row.dataset.algorithm = algorithm;
    row.classList.toggle('unknown', nodes === null);
    return row;
  });
  const note = h('p', { class: 'small muted' }, 'Logarithmic scale.');
  fill(host, h('h3', null, `Searched positions, depth ${depth}`), rows, note);
}
