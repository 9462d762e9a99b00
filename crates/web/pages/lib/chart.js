// @ts-check
// Line charts in SVG: one or several series on common axes, with optional error bars.

import { svg } from './dom.js';

/** @typedef {{x: number, y: number, low?: number, high?: number, title?: string, kind?: string}} ChartDot */
/** @typedef {{name: string, points: ChartDot[], dots?: boolean, area?: boolean}} Series */
/**
 * @typedef {object} ChartOptions
 * @property {string} label the accessible description
 * @property {number} [width] in units of the picture
 * @property {number} [height]
 * @property {[number, number]} [x] range; by default from the data
 * @property {[number, number]} [y]
 * @property {(value: number) => string} [xText]
 * @property {(value: number) => string} [yText]
 * @property {number[]} [yTicks]
 * @property {number[]} [xTicks] the labeled values of the x axis
 * @property {string} [xTitle] what the x axis shows
 * @property {number | null} [here] an x to mark
 * @property {number} [zero] a y to draw a line at
 * @property {(x: number) => void} [onPick] a click next to this x of the first series
 */

const EDGE = { left: 40, right: 8, top: 8, bottom: 20 };

/**
 * @param {Series[]} series
 * @param {ChartOptions} options
 * @returns {SVGSVGElement}
 */
export function lineChart(series, options) {
  const { width = 360, height = 150 } = options;
  const points = series.flatMap((one) => one.points);
  const [x0, x1] = options.x ?? range(points.map(({ x }) => x));
  const [y0, y1] = options.y ?? range(points.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]));
  const bottom = EDGE.bottom + (options.xTitle ? 16 : 0);
  const inner = { width: width - EDGE.left - EDGE.right, height: height - EDGE.top - bottom };
  const px = (/** @type {number} */ x) => EDGE.left + (inner.width * (x - x0)) / (x1 - x0 || 1);
  const py = (/** @type {number} */ y) => EDGE.top + inner.height * (1 - (y - y0) / (y1 - y0 || 1));
  const picture = svg('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': options.label });
  picture.append(...axes());
  series.forEach((one, i) => picture.append(curve(one, i)));
  if (options.here !== null && options.here !== undefined) {
    picture.append(svg('path', { class: 'here', d: `M${px(options.here)} ${EDGE.top}v${inner.height}` }));
  }
  if (options.onPick) picture.addEventListener('click', (event) => options.onPick?.(pickedX(event)));
  return picture;

  function axes() {
    const yTicks = options.yTicks ?? ticks(y0, y1, Math.max(2, Math.round(height / 45)));
    const whole = points.every(({ x }) => Number.isInteger(x));
    const xTicks = options.xTicks ?? ticks(x0, x1, whole ? Math.min(5, Math.max(1, x1 - x0)) : 5);
    const lines = yTicks.map((y) => `M${EDGE.left} ${py(y)}h${inner.width}`).join('');
    const parts = [svg('path', { class: 'axis', d: lines })];
    if (options.zero !== undefined)
      parts.push(svg('path', { class: 'zero', d: `M${EDGE.left} ${py(options.zero)}h${inner.width}` }));
    const yText = options.yText ?? compact;
    const xText = options.xText ?? compact;
    return [
      ...parts,
      ...yTicks.map((y) => svg('text', { x: EDGE.left - 5, y: py(y) + 4, 'text-anchor': 'end' }, yText(y))),
      ...xTicks.map((x) => svg('text', { x: px(x), y: EDGE.top + inner.height + 15, 'text-anchor': 'middle' }, xText(x))),
      ...(options.xTitle ? [svg('text', { class: 'title', x: EDGE.left + inner.width / 2, y: height - 4, 'text-anchor': 'middle' }, options.xTitle)] : []),
    ];
  }

  /** @param {Series} one @param {number} i */
  function curve(one, i) {
    const group = svg('g', { class: `series-${i}`, 'data-series': one.name });
    const path = one.points.map(({ x, y }, n) => `${n === 0 ? 'M' : 'L'}${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join('');
    const [start, end] = [one.points[0], one.points[one.points.length - 1]];
    if (one.area && start) {
      const base = py(options.zero ?? y0);
      group.append(svg('path', { class: 'area', d: `${path}L${px(end.x)} ${base}L${px(start.x)} ${base}Z` }));
    }
    group.append(svg('path', { class: 'line', d: path }));
    for (const point of one.points) group.append(...pointShapes(point, one));
    return group;
  }

  /** @param {ChartDot} point @param {Series} one */
  function pointShapes(point, one) {
    /** @type {SVGElement[]} */
    const parts = [];
    if (point.low !== undefined && point.high !== undefined) {
      const [x, low, high] = [px(point.x), py(point.low), py(point.high)].map((place) => place.toFixed(1));
      parts.push(svg('path', { class: 'whisker', d: `M${x} ${low}V${high}m-3 0h6M${x} ${low}m-3 0h6` }));
    }
    if (one.dots || point.kind || one.points.length === 1) {
      const title = point.title ? svg('title', null, point.title) : null;
      parts.push(
        svg(
          'circle',
          {
            class: `dot ${point.kind ?? ''}`,
            cx: px(point.x),
            cy: py(point.y),
            r: point.kind ? 4.5 : 2.6,
            'data-value': point.y,
          },
          title,
        ),
      );
    }
    return parts;
  }

  /** @param {MouseEvent} event */
  function pickedX(event) {
    const box = picture.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    const x = x0 + ((at - EDGE.left) / inner.width) * (x1 - x0);
    const candidates = series[0]?.points ?? [];
    return candidates.reduce(
      (best, point) => (Math.abs(point.x - x) < Math.abs(best - x) ? point.x : best),
      candidates[0]?.x ?? 0,
    );
  }
}

/** @param {number[]} values @returns {[number, number]} */
function range(values) {
  if (values.length === 0) return [0, 1];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? [low - 1, high + 1] : [low, high];
}

/** Round numbers in a range. @param {number} low @param {number} high @param {number} wanted */
export function ticks(low, high, wanted) {
  const rough = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((size) => size >= rough) ?? rough;
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step / 1e6; value += step)
    found.push(Number(value.toPrecision(12)));
  return found;
}

/** @param {number} value */
function compact(value) {
  if (Math.abs(value) >= 1e6) return `${value / 1e6} M`;
  if (Math.abs(value) >= 1e4) return `${value / 1e3} k`;
  return String(value);
}
