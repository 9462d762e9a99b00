// @ts-check
// Animates a turn: the swap, then each pass. The first pass takes about a quarter of a second, and
// later ones are faster.

import { animate, middle } from './scene.js';
import { grouped } from './types.js';

/** @typedef {import('./scene.js').Scene} Scene */
/** @typedef {import('./types.js').Cell} Cell */
/** @typedef {import('./types.js').Swap} Swap */
/** @typedef {import('./types.js').Turn} Turn */
/** @typedef {import('./types.js').Frame} Frame */

const SWAP = 150;
const FIRST_PASS = 260;
const QUICKENING = 0.88;
const SHORTEST_PASS = 120;

/**
 * Swaps two gems.
 * @param {Scene} scene @param {Swap} swap @param {number} pace 1 for normal speed, 2 for half speed
 */
export async function exchange(scene, { first, second }, pace = 1) {
  const [one, two] = [scene.lift(first), scene.lift(second)];
  if (!one.sprite || !two.sprite) return;
  scene.settle(second, one.sprite, one.gem);
  scene.settle(first, two.sprite, two.gem);
  const options = { duration: SWAP * pace, easing: 'ease-in-out' };
  await Promise.all([slide(one.sprite, first, second, options), slide(two.sprite, second, first, options)]);
}

/** Animates an illegal swap. @param {Scene} scene @param {Swap} swap */
export async function refuse(scene, { first, second }) {
  const options = { duration: 260, easing: 'ease-in-out' };
  const lean = (/** @type {Cell} */ from, /** @type {Cell} */ to) => {
    const sprite = scene.sprite(from);
    const halfway = middle(from).map((at, n) => at + 0.45 * (middle(to)[n] - at));
    return sprite && animate(sprite, [moved(middle(from)), moved(halfway), moved(middle(from))], options);
  };
  await Promise.all([lean(first, second), lean(second, first)]);
}

/**
 * Animates the passes after a swap. Calls `onPass` at the start of each.
 * @param {Scene} scene
 * @param {Turn} turn
 * @param {number} pace
 * @param {(frame: Frame) => void} onPass
 */
export async function cascade(scene, turn, pace, onPass) {
  for (const [n, frame] of turn.frames.entries()) {
    const duration = pace * Math.max(SHORTEST_PASS, FIRST_PASS * QUICKENING ** n);
    onPass(frame);
    await vanish(scene, frame, duration, pace);
    await fall(scene, frame, duration);
  }
  if (turn.reshuffled) reshuffle(scene, turn.reshuffled, pace);
  scene.describe();
}

/** @param {Scene} scene @param {Frame} frame @param {number} duration @param {number} pace */
async function vanish(scene, frame, duration, pace) {
  const going = frame.removals.map(({ cell }) => {
    const { sprite } = scene.lift(cell);
    const body = sprite?.firstElementChild;
    if (!sprite || !body) return Promise.resolve();
    const frames = [{ transform: 'scale(1)', opacity: 1 }, { transform: 'scale(1.14)', opacity: 1, offset: 0.3 }, { transform: 'scale(.2)', opacity: 0 }];
    return animate(body, frames, { duration: 0.5 * duration, easing: 'ease-in', fill: 'forwards' }).then(() => sprite.remove());
  });
  for (const { cell, part } of frame.parts) scene.showMedal(cell, part);
  for (const { cell, layers } of frame.ice) if (layers === 0) scene.breakIce(cell, 2 * duration);
  for (const corner of frame.medals) scene.freeMedal(corner, 900 * pace);
  for (const { cell, gem } of frame.created) {
    const body = scene.place(cell, gem).firstElementChild;
    if (body) animate(body, [{ transform: 'scale(.3)' }, { transform: 'scale(1.2)', offset: 0.7 }, { transform: 'none' }], { duration });
  }
  scene.float(frame.removals.map(({ cell }) => cell), `+${grouped(frame.score)}`, 900 * Math.max(pace, 0.4));
  await Promise.all(going);
}

/** @param {Scene} scene @param {Frame} frame @param {number} duration */
async function fall(scene, frame, duration) {
  const options = { duration: 0.62 * duration, easing: 'cubic-bezier(.45,.05,.75,1)' };
  const falling = frame.falls.map(({ from, to }) => {
    const { sprite, gem } = scene.lift(from);
    if (!sprite) return Promise.resolve();
    scene.settle(to, sprite, gem);
    return slide(sprite, from, to, options);
  });
  const depth = new Map();
  for (const { cell } of frame.refills) depth.set(cell.column, Math.max(depth.get(cell.column) ?? 0, cell.row + 1));
  const coming = frame.refills.map(({ cell, gem }) => {
    const from = { row: cell.row - depth.get(cell.column), column: cell.column };
    return slide(scene.place(cell, gem), from, cell, options);
  });
  await Promise.all([...falling, ...coming]);
}

/** @param {Scene} scene @param {import('./types.js').Gem[][]} gems @param {number} pace */
function reshuffle(scene, gems, pace) {
  for (const [row, line] of gems.entries()) {
    for (const [column, gem] of line.entries()) {
      const body = scene.place({ row, column }, gem).firstElementChild;
      if (body) animate(body, [{ transform: 'scale(0)' }, { transform: 'none' }], { duration: 300 * pace });
    }
  }
}

/** Moves a gem; above the board it is clipped. @param {SVGGElement} sprite @param {Cell} from @param {Cell} to @param {KeyframeAnimationOptions & {duration: number}} options */
function slide(sprite, from, to, options) {
  return animate(sprite, [moved(middle(from)), moved(middle(to))], options);
}

/** @param {number[]} at */
function moved([x, y]) {
  return { transform: `translate(${x}px, ${y}px)` };
}
