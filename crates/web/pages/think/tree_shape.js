// @ts-check
// The layout of the alpha-beta tree at a moment of the search: known nodes, their values and rows.
/** @import { Branch, Place, Score, Shape, Tree } from './types.js' */

/** The most children drawn individually. */
const MOST_CHILDREN = 8;
/** Above every estimate. */
const CERTAIN = 1e9;

/** Orders scores of the first side. @param {Score} score */
const rank = (score) => ('win_in' in score ? CERTAIN - score.win_in : 'loss_in' in score ? score.loss_in - CERTAIN : score.estimate);

/** @param {Tree} tree @returns {Shape | null} */
export function shapeOf(tree) {
  /** @type {Map<number | null, Branch>} */
  const branches = new Map();
  for (const node of tree.nodes) {
    const above = branches.get(node.parent) ?? null;
    const branch = { ...node, children: [], above, column: above ? above.column + 1 : 0, below: 0 };
    branches.set(node.id, branch);
    above?.children.push(branch);
    for (const up of wayTo(above)) up.below += 1;
  }
  const root = branches.get(tree.nodes[0]?.id);
  return root ? { root, best: new Set([root.id, ...tree.best]), end: root.left } : null;
}

/** The branch and its ancestors. @param {Branch | null} branch @returns {Branch[]} */
const wayTo = (branch) => (branch ? [branch, ...wayTo(branch.above)] : []);

/** The moves that lead to a branch. @param {Branch} branch */
export const stepsTo = (branch) =>
  wayTo(branch)
    .reverse()
    .flatMap(({ step }) => step ?? []);

/** The value of a branch at a moment: the best of its completed children. @param {Branch} branch @param {number} clock */
export function valueAt(branch, clock) {
  if (branch.left <= clock) return branch.value;
  /** @type {Score | null} */
  let best = null;
  for (const { left, value, step } of branch.children) {
    if (left > clock || !value) continue;
    const sign = step?.side === 'second' ? -1 : 1;
    if (!best || sign * rank(value) > sign * rank(best)) best = value;
  }
  return best;
}

/** The active branch of the search. @param {Branch} branch @param {number} clock @returns {Branch} */
export function activeAt(branch, clock) {
  const inside = branch.children.find(({ entered, left }) => entered <= clock && clock < left);
  return inside ? activeAt(inside, clock) : branch;
}

/**
 * Computes the layout. A branch is on the row of its first child. Branches opened or closed by the user take precedence
 * over the default: the path of the search, and the best line at its end. `whole` branches show all children.
 * @param {Shape} shape @param {number} clock @param {Map<number, boolean>} opened @param {Set<number>} whole
 */
export function placesAt({ root, best, end }, clock, opened, whole) {
  const pinned = clock >= end ? best : new Set(wayTo(activeAt(root, clock)).map(({ id }) => id));
  /** @type {Place[]} */
  const places = [];

  /** @param {Branch} branch @param {number} row @param {number} from @returns {number} the next free row */
  function place(branch, row, from) {
    const { id, column, skipped } = branch;
    const known = branch.children.filter((child) => child.entered <= clock);
    const open = known.length > 0 && (opened.get(id) ?? pinned.has(id));
    places.push({ key: `node ${id}`, branch, kind: 'node', count: known.length, column, row, from, open });
    if (!open) return row + 1;
    const shown = known.filter((child, i) => i < MOST_CHILDREN || whole.has(id) || pinned.has(child.id));
    let next = row;
    for (const child of shown) next = place(child, next, row);
    const rest = { branch, column: column + 1, from: row, open: false };
    const hidden = known.length - shown.length + (branch.left <= clock ? branch.undrawn : 0);
    if (hidden > 0) places.push({ key: `more ${id}`, kind: 'more', count: hidden, row: next++, ...rest });
    if (skipped > 0 && branch.left <= clock) places.push({ key: `skipped ${id}`, kind: 'skipped', count: skipped, row: next++, ...rest });
    return next;
  }

  const rows = place(root, 0, 0);
  return { places, rows };
}
