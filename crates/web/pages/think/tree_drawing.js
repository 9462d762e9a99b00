// @ts-check
// Draws a search tree with a column per ply. The tree has one tab stop and arrow-key navigation;
// the current node is previewed on the board and explained below.
import { fill, h, svg } from '../lib/dom.js';
import { shortScore } from '../lib/format.js';
import { counted, grouped, scoreNumber } from './rows.js';
import { activeAt, placesAt, shapeOf, stepsTo, valueAt } from './tree_shape.js';
/** @import { Branch, Context, Place, Shape, Tree } from './types.js' */

const COLUMN = 92;
const ROW = 26;
const BOX = { width: 80, height: 20 };
/** The space right of the last column. */
const TAIL = 56;
const LONGEST_NAME = 7;

/** @param {Context} context */
export function createTree({ board, state }) {
  const leave = () => board.preview(null);
  const events = { onkeydown: walk, onmousedown: press, onmouseover: point, onfocusin: point, onmouseleave: leave, onfocusout: leave };
  const picture = svg('svg', { class: 'tree', role: 'tree', 'aria-label': 'search tree', ...events });
  const scroll = h('div', { class: 'tree-scroll' }, picture);
  const about = h('p', { class: 'tree-about small' });
  /** @type {Shape | null} */
  let shape = null;
  let complete = true;
  let clock = 0;
  let chosen = '';
  /** @type {Place[]} */
  let places = [];
  /** The branches opened or closed by the user, and those that show all children. @type {Map<number, boolean>} */
  let opened = new Map();
  /** @type {Set<number>} */
  let whole = new Set();

  /** Loads a tree. @param {Tree} tree @returns {number} steps of its search */
  function set(tree) {
    shape = shapeOf(tree);
    complete = tree.complete;
    opened = new Map();
    whole = new Set();
    return shape?.end ?? 0;
  }

  /** Draws the tree at a moment of the search. @param {number} [moment] */
  function at(moment = clock) {
    if (!shape) return;
    clock = moment;
    const laid = placesAt(shape, clock, opened, whole);
    places = laid.places;
    const active = clock < shape.end ? activeAt(shape.root, clock) : null;
    const focused = picture.contains(document.activeElement);
    if (!focused && !scroll.matches(':hover')) chosen = `node ${(active ?? shape.root).id}`;
    const index = Math.max(
      0,
      places.findIndex(({ key }) => key === chosen),
    );
    chosen = places[index].key;
    picture.setAttribute('width', String(COLUMN * (1 + Math.max(...places.map(({ column }) => column))) + TAIL));
    picture.setAttribute('height', String(ROW * laid.rows + 8));
    picture.dataset.complete = String(!active);
    fill(
      picture,
      places.map((place) => item(place, active)),
    );
    if (focused) focus(index);
    if (active) keepInSight(ROW * (placeOf(active)?.row ?? 0));
    about.textContent = explained(places[index]);
  }

  /** @param {number} top */
  function keepInSight(top) {
    const room = scroll.clientHeight - 3 * ROW;
    if (top < scroll.scrollTop || top > scroll.scrollTop + room) scroll.scrollTop = top - room;
  }

  /** @param {Place} place @param {Branch | null} active */
  function item(place, active) {
    const { key, branch, kind, column, row, from, open, count } = place;
    const { id, step, left, cut, skipped, below } = branch;
    const is = kind === 'node';
    const value = is ? valueAt(branch, clock) : null;
    const best = is && !active && shape?.best.has(id);
    const names = ['tree-item', kind, is && cut && left <= clock && 'cut', is && branch === active && 'active', left > clock && 'unfinished', best && 'best'];
    const tail = open || !is ? '' : `${count ? `▸${grouped(below)} ` : ''}${cut && left <= clock ? `✂${grouped(skipped)}` : ''}`;
    return svg(
      'g',
      {
        class: names.filter(Boolean).join(' '),
        transform: `translate(${column * COLUMN + 4} ${row * ROW + 4})`,
        role: 'treeitem',
        tabindex: key === chosen ? 0 : -1,
        'aria-level': column + 1,
        'aria-expanded': is && count ? String(open) : null,
        'aria-label': explained(place),
        'data-node': is ? id : null,
        'data-value': is ? value && scoreNumber(value) : count,
      },
      column > 0 && svg('path', { d: `M${BOX.width - COLUMN} ${(from - row) * ROW + 10}h6V10H0` }),
      svg('rect', { ...BOX, rx: step?.side === 'second' ? 10 : 3 }),
      svg('text', { x: 5, y: 14 }, written(place)),
      svg('text', { class: 'worth', x: BOX.width - 5, y: 14 }, is && worth(branch)),
      svg('text', { class: 'tail', x: BOX.width + 4, y: 14 }, tail),
    );
  }

  /** The value of a branch; a bound if it was cut off. @param {Branch} branch */
  function worth(branch) {
    const value = valueAt(branch, clock);
    const short = value ? shortScore(value) : '…';
    if (!branch.cut || branch.left > clock) return short;
    return (branch.children[0]?.step?.side === 'second' ? '≤' : '≥') + short.replace('=', '0');
  }

  /** Describes an item. @param {Place} place */
  function explained({ branch, kind, count }) {
    if (kind === 'more') return `${counted(count, 'more searched move')}.`;
    if (kind === 'skipped') return `${counted(count, 'move')} skipped: this branch is already refuted.`;
    const { alpha, beta, cut, left, skipped, column } = branch;
    const [first, second] = state().info.sides;
    const moves = stepsTo(branch).map(({ move }) => move);
    const sentences = [
      `${moves.join(' ') || 'This position'}: ${valueAt(branch, clock) ? `${worth(branch)} for ${first}` : 'not finished'}.`,
      alpha && `Alpha ${shortScore(alpha)}: ${first} gets at least this elsewhere.`,
      beta && `Beta ${shortScore(beta)}: ${second} allows at most this elsewhere.`,
      cut && left <= clock && `Alpha ≥ beta: cutoff, ${counted(skipped, 'move')} skipped.`,
      column === 0 && !complete && 'Only a part of the tree is drawn.',
    ];
    return sentences.filter(Boolean).join(' ');
  }

  /** @param {Branch | null} branch */
  const placeOf = (branch) => places.find((place) => place.kind === 'node' && place.branch === branch);

  /** @param {EventTarget | null} target */
  const indexOf = (target) => (target instanceof Element ? [...picture.children].indexOf(target.closest('g') ?? picture) : -1);

  /** @param {number} index */
  const focus = (index) => /** @type {SVGElement | undefined} */ (picture.children[index])?.focus();

  /** @param {Event} event */
  function point({ target }) {
    const index = indexOf(target);
    if (index < 0) return;
    picture.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
    picture.children[index].setAttribute('tabindex', '0');
    chosen = places[index].key;
    board.preview(stepsTo(places[index].branch));
    about.textContent = explained(places[index]);
  }

  /** Focuses first, as redrawing keeps the focus. @param {MouseEvent} event */
  function press(event) {
    const index = indexOf(event.target);
    if (index < 0) return;
    event.preventDefault();
    focus(index);
    act(places[index]);
  }

  /** Opens or closes a branch, or shows all of its children. @param {Place} place */
  function act({ kind, branch, open, count }) {
    if (kind === 'more') whole.add(branch.id);
    if (kind === 'node' && count > 0) opened.set(branch.id, !open);
    at();
  }

  /** @param {KeyboardEvent} event */
  function walk(event) {
    const index = places.findIndex(({ key }) => key === chosen);
    if (index < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = target(event.key, index);
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    focus(Math.min(places.length - 1, Math.max(0, to)));
  }

  /** The target of a key; it may also open or close a branch. @param {string} key @param {number} index */
  function target(key, index) {
    const { branch, kind, open } = places[index];
    if (key === 'ArrowDown' || (key === 'ArrowRight' && open)) return index + 1;
    if (key === 'ArrowUp') return index - 1;
    if (key === 'Home') return 0;
    if (key === 'End') return places.length - 1;
    if (key === 'ArrowLeft' && !open) return places.findIndex((place) => place === placeOf(kind === 'node' ? branch.above : branch));
    if (!['Enter', ' ', 'ArrowLeft', 'ArrowRight'].includes(key)) return null;
    act(places[index]);
    return index;
  }

  return { element: h('div', null, scroll, about), set, at };
}

/** @param {Place} place */
function written({ branch, kind, count }) {
  if (kind !== 'node') return kind === 'more' ? `+${grouped(count)} more` : `✂ ${grouped(count)} cut`;
  const move = branch.step?.move ?? 'now';
  return move.length > LONGEST_NAME ? `${move.slice(0, LONGEST_NAME - 1)}…` : move;
}
