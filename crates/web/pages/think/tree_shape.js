// @ts-check
// The alpha-beta tree at a moment of the search: which nodes are known, what they are worth so far, and on which row each is
// drawn. Nothing is drawn here.
/** @import { Branch, Place, Score, Shape, Tree } from './types.js' */

/** So many children of a node are drawn before the rest is summed up in one row. */
const MOST_CHILDREN = 8;
/** Above every estimate. */
const CERTAIN = 1e9;

/** Grows with what the first side has. @param {Score} score */
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

/** The branch and all above it. @param {Branch | null} branch @returns {Branch[]} */
const wayTo = (branch) => (branch ? [branch, ...wayTo(branch.above)] : []);

/** The moves that lead to a branch. @param {Branch} branch */
export const stepsTo = (branch) =>
  wayTo(branch)
    .reverse()
    .flatMap(({ step }) => step ?? []);

/** What the branch is worth at that moment: the best of the replies that are finished. @param {Branch} branch @param {number} clock */
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

/** The branch that the search is in. @param {Branch} branch @param {number} clock @returns {Branch} */
export function activeAt(branch, clock) {
  const inside = branch.children.find(({ entered, left }) => entered <= clock && clock < left);
  return inside ? activeAt(inside, clock) : branch;
}

/**
 * Where everything is drawn. A branch stands on the row of its first reply. What the reader opened or shut goes before what
 * is open by itself: the way to where the search is, and the best line once it is over. `whole` are branches that show all
 * their replies.
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
