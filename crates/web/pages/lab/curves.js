// @ts-check
// Charts of runs and ratings.

import { lineChart, ticks } from '../lib/chart.js';
import { h, svg } from '../lib/dom.js';

/** @typedef {import('./types.js').Curve} Curve */
/** @typedef {import('./types.js').RatingRow} RatingRow */

/**
 * @typedef {object} CurveOptions
 * @property {number} [width]
 * @property {number} [height]
 * @property {number | null} [here] an x to mark
 * @property {string} [xTitle] what the x axis shows
 * @property {number[]} [xTicks] the labeled values
 * @property {(x: number) => string} [xText]
 */

/**
 * @param {Curve[]} curves
 * @param {string} label what the chart shows
 * @param {CurveOptions} [options]
 */
export function curveChart(curves, label, options = {}) {
  const series = curves.map(({ label: name, points, errors }) => ({
    name,
    points: points.map(([x, y], i) => dot(name, x, y, errors?.[i] ?? null, options.xText)),
    dots: points.length < 12 || errors !== null,
  }));
  const range = curves.length > 0 && curves.every(({ errors }) => errors !== null) ? { y: shares(series) } : {};
  const picture = lineChart(series, { label: `${label}: ${series.map(summary).join('; ')}`, yText: short, ...range, ...options });
  keepInside(picture, options.width ?? 360);
  picture.setAttribute('data-series', curves.map(({ name }) => name).join(' '));
  picture.querySelectorAll('[data-series]').forEach((group, i) => {
    group.setAttribute('data-name', curves[i].name);
    group.setAttribute('data-points', String(curves[i].points.length));
  });
  return picture;
}

/**
 * A point with an error bar, clipped to the range of scores.
 * @param {string} name @param {number} x @param {number} y @param {number | null} error @param {(x: number) => string} [xText]
 */
function dot(name, x, y, error, xText = short) {
  if (error === null) return { x, y };
  return { x, y, low: Math.max(Math.min(0, y), y - error), high: Math.min(Math.max(1, y), y + error), title: `${name}, ${xText(x)}: ${short(y)} ± ${short(error)}` };
}

/** The range of scores with margins. @param {{points: {y: number, low?: number, high?: number}[]}[]} series @returns {[number, number]} */
function shares(series) {
  const ends = series.flatMap(({ points }) => points.flatMap(({ y, low, high }) => [low ?? y, high ?? y]));
  const [low, high] = [Math.min(0.5, ...ends), Math.max(0.5, ...ends)];
  return [Math.floor(10 * low) / 10, Math.ceil(10 * high) / 10];
}

/** Keeps labels at the right end inside of the picture. @param {SVGSVGElement} picture @param {number} width */
function keepInside(picture, width) {
  for (const text of picture.querySelectorAll('text[text-anchor="middle"]')) {
    if (Number(text.getAttribute('x')) < width - 18) continue;
    text.setAttribute('text-anchor', 'end');
    text.setAttribute('x', String(width - 1));
  }
}

/** @param {{name: string, points: {x: number, y: number}[]}} one */
function summary({ name, points }) {
  const last = points[points.length - 1];
  return last ? `${name} from ${short(points[0].y)} to ${short(last.y)} over ${points.length} points` : `${name} has no points`;
}

/** A number for an axis or a legend. @param {number} value @returns {string} */
export function short(value) {
  if (value < 0) return `−${short(-value)}`;
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))} k`;
  return String(Number(value.toPrecision(3)));
}

/** A legend with the names and the last values of the curves. @param {Curve[]} curves */
export function legend(curves) {
  return h('ul', { class: 'legend' }, curves.map(({ name, label, points, errors }, i) => {
    const last = points[points.length - 1];
    return h('li', { class: `series-${i}`, 'data-last': name }, h('span', { class: 'swatch', 'aria-hidden': 'true' }), label, ' ', h('b', null, last ? short(last[1]) : '–'),
      errors?.length ? ` ± ${short(errors[errors.length - 1])}` : '');
  }));
}

const ROW = 26;
const LEFT = 190;

/**
 * Ratings with error bars, one row per player.
 * @param {RatingRow[]} rows
 * @param {{names?: boolean}} [options]
 */
export function ratingChart(rows, { names = true } = {}) {
  const rated = rows.filter((row) => row.elo !== null);
  const ends = rated.flatMap(({ elo, low, high }) => [elo ?? 0, low ?? elo ?? 0, high ?? elo ?? 0]);
  const [left, width] = [names ? LEFT : 8, names ? 760 : 300];
  const low = Math.min(0, ...ends);
  const high = Math.max(1, ...ends);
  const x = (/** @type {number} */ elo) => left + 10 + ((width - left - 30) * (elo - low)) / (high - low || 1);
  const height = ROW * rated.length + 24;
  const marks = ticks(low, high, names ? 5 : 3);
  const picture = svg('svg', { class: 'chart ratings', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `Elo: ${rated.map(words).join('; ')}`, 'data-series': 'elo' });
  picture.append(...marks.map((mark) => svg('path', { class: 'axis', d: `M${x(mark)} 4V${height - 20}` })),
    ...marks.map((mark) => svg('text', { x: x(mark), y: height - 6, 'text-anchor': 'middle' }, short(mark))));
  const group = svg('g', { 'data-points': rated.length });
  rated.forEach((row, i) => group.append(...ratingRow(row, ROW * i + ROW / 2 + 2)));
  picture.append(group);
  return picture;

  /** @param {RatingRow} row @param {number} y */
  function ratingRow(row, y) {
    const elo = row.elo ?? 0;
    const [from, to] = [row.low ?? low, row.high ?? high];
    const open = row.low === null || row.high === null;
    const name = row.name.length > 28 ? `${row.name.slice(0, 27)}…` : row.name;
    return [
      ...(names ? [svg('text', { class: 'strong', x: left - 4, y: y + 4, 'text-anchor': 'end' }, name, svg('title', null, row.name))] : []),
      svg('path', { class: open ? 'bar open' : 'bar', d: `M${x(from)} ${y}H${x(to)}` }),
      svg('circle', { class: 'dot', cx: x(elo), cy: y, r: 4.5, 'data-value': elo }, svg('title', null, words(row))),
    ];
  }
}

/** @param {RatingRow} row */
function words({ name, elo, low, high }) {
  const bar = low !== null && high !== null ? ` (${Math.round(low)} to ${Math.round(high)})` : '';
  return `${name} ${elo === null ? 'unrated' : Math.round(elo)}${bar}`;
}
