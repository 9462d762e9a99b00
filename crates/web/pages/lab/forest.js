// @ts-check
// Draws forests as small multiples: the cells of each survivor's patterns, and the rules of a
// forest's trees.

import { fill, h, svg } from '../lib/dom.js';

/** @typedef {import('./types.js').Population} Population */
/** @typedef {import('./types.js').Member} Member */
/** @typedef {{class: string, fields: string}} Rule `fields`: X own stone, O other stone, . empty, ? any */
/** @typedef {{number: number, cells: number[], error: number | null, rules: Rule[]}} TreePicture */
/** @typedef {{window: any, tree_count: number, mean_error: number | null, trees: TreePicture[]}} Picture */

const CELL = 12;

/** @param {HTMLElement} host @param {Population | null} population */
export function drawPopulation(host, population) {
  host.hidden = !population;
  if (!population) return;
  const { members, side, iteration } = population;
  fill(host, h('h2', null, 'Population'),
    h('p', { class: 'muted small' }, `The ${members.length} survivors of iteration ${iteration}, best first. Darker cells around the last stone are in more patterns.`),
    h('ol', { class: 'multiples' }, members.map((member, i) => memberPicture(member, i, population, side))));
}

/** @param {Member} member @param {number} place @param {Population} population @param {number} side */
function memberPicture(member, place, { patterns }, side) {
  const looks = new Array(side * side).fill(0);
  for (const tree of member.trees) for (const cell of patterns[tree] ?? []) if (cell < looks.length) looks[cell] += 1;
  const most = Math.max(1, ...looks);
  const { points, won, drawn, lost } = member.standing;
  const picture = grid(side, `Forest ${place + 1}`, looks.map((n) => ({ weight: n / most, sign: '?' })));
  return h('li', null, picture, h('span', { class: 'small' }, h('b', null, points), ' points'),
    h('span', { class: 'small muted', title: 'won, drawn, lost' }, `${won}–${drawn}–${lost}`), h('span', { class: 'small muted' }, `born ${member.born}`));
}

/** @param {HTMLElement} host @param {Picture} picture */
export function drawPatterns(host, picture) {
  const more = picture.tree_count - picture.trees.length;
  const side = typeof picture.window === 'number' ? picture.window : picture.window.side;
  fill(host, h('ol', { class: 'multiples', 'data-value': picture.trees.length }, picture.trees.map((tree) => treePicture(tree, side))),
    more > 0 ? h('p', { class: 'small muted' }, more === 1 ? 'and one more tree' : `and ${more} more trees`) : null);
}

/** @param {TreePicture} tree @param {number} side */
function treePicture(tree, side) {
  const rules = tree.rules.length ? tree.rules : [{ class: 'draw', fields: '?'.repeat(tree.cells.length) }];
  const drawings = rules.map((rule) => {
    const cells = Array.from({ length: side * side }, () => ({ weight: 0, sign: '' }));
    tree.cells.forEach((cell, i) => {
      if (cells[cell]) cells[cell] = { weight: 0.35, sign: rule.fields[i] ?? '?' };
    });
    const name = `Tree ${tree.number}, a rule for a ${rule.class}`;
    return h('figure', { class: `rule ${rule.class}` }, grid(side, name, cells), h('figcaption', { class: 'small' }, rule.class));
  });
  const error = tree.error === null ? '' : `${(100 * tree.error).toFixed(0)} % wrong`;
  return h('li', null, h('div', { class: 'pair' }, drawings), h('span', { class: 'small muted' }, `tree ${tree.number}${error ? ` · ${error}` : ''}`));
}

/** @param {number} side @param {string} name @param {{weight: number, sign: string}[]} cells */
function grid(side, name, cells) {
  const size = side * CELL;
  const picture = svg('svg', { class: 'window', viewBox: `-1 -1 ${size + 2} ${size + 2}`, role: 'img', 'aria-label': name });
  cells.forEach(({ weight, sign }, i) => {
    const [x, y] = [(i % side) * CELL, Math.floor(i / side) * CELL];
    picture.append(svg('rect', { x, y, width: CELL, height: CELL, class: 'cell' }), svg('rect', { x, y, width: CELL, height: CELL, class: 'weight', opacity: weight.toFixed(2) }));
    const [cx, cy] = [x + CELL / 2, y + CELL / 2];
    if (sign === 'X') picture.append(svg('circle', { cx, cy, r: 4, class: 'own' }));
    if (sign === 'O') picture.append(svg('circle', { cx, cy, r: 3.4, class: 'other' }));
    if (sign === '.') picture.append(svg('circle', { cx, cy, r: 1.3, class: 'own' }));
  });
  return picture;
}
