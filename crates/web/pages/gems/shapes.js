// @ts-check
// The drawings of gems, bonuses, ice and medals. Gems differ by outline as well as by color. Cells
// have 100 by 100 units.

import { svg } from '../lib/dom.js';

export const CELL = 100;

/** @typedef {[number, number]} Point */

/** @type {{name: string, color: Point3, outline: Point[]}[]} */
export const KINDS = [
  { name: 'red heart', color: [214, 44, 62], outline: heart() },
  { name: 'green square', color: [26, 148, 84], outline: [[-24, -37], [24, -37], [37, -24], [37, 24], [24, 37], [-24, 37], [-37, 24], [-37, -24]] },
  { name: 'yellow triangle', color: [245, 178, 26], outline: [[-7, -40], [7, -40], [44, 25], [37, 37], [-37, 37], [-44, 25]] },
  { name: 'purple hexagon', color: [134, 66, 196], outline: regular(6, 42, 0) },
  { name: 'blue diamond', color: [28, 132, 222], outline: [[0, -46], [37, 0], [0, 46], [-37, 0]] },
  { name: 'white pearl', color: [226, 222, 230], outline: regular(14, 38, 0) },
];
/** @typedef {[number, number, number]} Point3 */

/** The effects of bonuses. */
export const BONUSES = {
  cross: 'cross: removes a row or a column',
  star: 'star: removes all gems of its kind',
  diamond: 'burst: removes the gems around it',
};

const EMBLEMS = {
  cross: 'M-5-27 0-33 5-27V-5H27L33 0 27 5H5V27L0 33-5 27V5H-27L-33 0-27-5H-5Z',
  star: starPath(25, 11, 5),
  diamond: starPath(27, 15, 8),
};

/** The SVG definitions, once per page. */
export function definitions() {
  const gems = KINDS.map(({ color, outline }, kind) => svg('symbol', { id: `gem-${kind}`, overflow: 'visible' }, facets(outline, color)));
  const bonuses = Object.entries(EMBLEMS).map(([name, d]) => svg('symbol', { id: `bonus-${name}`, overflow: 'visible' }, svg('path', { d, class: 'emblem' })));
  return svg('defs', null, gems, bonuses,
    svg('symbol', { id: 'ice', overflow: 'visible' },
      svg('rect', { x: 2, y: 2, width: 96, height: 96, rx: 12, class: 'ice-block' }),
      svg('path', { d: 'M10 34V20Q10 10 20 10H52M66 10H72M90 58V80Q90 90 80 90H56', class: 'ice-shine' }),
      svg('path', { d: 'M14 88 30 72M8 74 18 64M70 28 86 12M82 34 92 24', class: 'ice-frost' })),
    svg('symbol', { id: 'medal', overflow: 'visible' }, medal()));
}

/** Draws a gem. @param {{kind: number, bonus: string | null}} gem */
export function gemOf({ kind, bonus }) {
  return svg('g', { class: bonus ? 'body charged' : 'body' },
    bonus && svg('circle', { r: 46, class: 'aura' }),
    svg('use', { href: `#gem-${kind}` }),
    bonus && svg('use', { href: `#bonus-${bonus}` }));
}

/** The name of a gem. @param {{kind: number, bonus: string | null}} gem */
export function gemName({ kind, bonus }) {
  return bonus ? `${KINDS[kind].name} with a ${bonus === 'diamond' ? 'burst' : bonus}` : KINDS[kind].name;
}

/** The facets of a gem, lit from the upper left. @param {Point[]} outline @param {Point3} color */
function facets(outline, color) {
  const table = outline.map(([x, y]) => /** @type {Point} */ ([x * 0.58, y * 0.58]));
  const sides = outline.map((point, n) => {
    const next = (n + 1) % outline.length;
    const [across, down] = [point[0] + outline[next][0], point[1] + outline[next][1]];
    const light = (-0.55 * across - 0.83 * down) / Math.hypot(across, down);
    return svg('path', { d: path([point, outline[next], table[next], table[n]]), fill: tinted(color, 0.5 * light) });
  });
  return [
    svg('path', { d: path(outline), fill: tinted(color, -0.1), stroke: tinted(color, -0.58), 'stroke-width': 6, 'stroke-linejoin': 'round' }),
    ...sides,
    svg('path', { d: path(table), fill: tinted(color, 0.2) }),
    svg('path', { d: path(table.map(([x, y]) => [x * 0.82 - 2, y * 0.6 - 6])), fill: '#fff', opacity: 0.22 }),
  ];
}

function medal() {
  return [
    svg('circle', { cx: 100, cy: 100, r: 92, class: 'medal-rim' }),
    svg('circle', { cx: 100, cy: 100, r: 74, class: 'medal-face' }),
    svg('path', { d: starPath(64, 27, 5), transform: 'translate(100 103)', class: 'medal-star' }),
    svg('path', { d: 'M28 74A76 76 0 0 1 74 28', class: 'medal-shine' }),
  ];
}

/** Lightens or darkens a color. @param {Point3} color @param {number} by from −1 (black) to 1 (white) */
function tinted(color, by) {
  const end = by > 0 ? 255 : 0;
  return `rgb(${color.map((part) => Math.round(part + (end - part) * Math.abs(by))).join(' ')})`;
}

/** @param {number[][]} points */
function path(points) {
  return `M${points.map((point) => point.map((number) => number.toFixed(1)).join(' ')).join('L')}Z`;
}

/** @param {number} corners @param {number} radius @param {number} turn @returns {Point[]} */
function regular(corners, radius, turn) {
  return Array.from({ length: corners }, (_, n) => {
    const angle = turn + (2 * Math.PI * n) / corners;
    return [radius * Math.sin(angle), -radius * Math.cos(angle)];
  });
}

/** @param {number} outer @param {number} inner @param {number} rays */
function starPath(outer, inner, rays) {
  return path(regular(2 * rays, 1, 0).map(([x, y], n) => (n % 2 ? [x * inner, y * inner] : [x * outer, y * outer])));
}

/** @returns {Point[]} */
function heart() {
  return Array.from({ length: 24 }, (_, n) => {
    const t = (2 * Math.PI * (n + 0.5)) / 24;
    const down = 13 * Math.cos(t) - 5 * Math.cos(2 * t) - 2 * Math.cos(3 * t) - Math.cos(4 * t);
    return [2.55 * 16 * Math.sin(t) ** 3, -2.6 * down - 6];
  });
}
