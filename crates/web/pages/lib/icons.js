// @ts-check
// Small line drawings for buttons.

import { svg } from './dom.js';

const PATHS = {
  undo: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  redo: 'm15 14 5-5-5-5M20 9H10a6 6 0 0 0 0 12h3',
  first: 'M6 5v14M19 5l-9 7 9 7',
  last: 'M18 5v14M5 5l9 7-9 7',
  back: 'm15 5-8 7 8 7',
  forward: 'm9 5 8 7-8 7',
  hint: 'M9 18h6M10 21h4M12 3a6 6 0 0 0-3.5 10.9c.6.5 1 1.2 1 2.1h5c0-.9.4-1.6 1-2.1A6 6 0 0 0 12 3Z',
  flip: 'M7 4v15m0 0-3-3m3 3 3-3M17 20V5m0 0-3 3m3-3 3 3',
  plus: 'M12 5v14M5 12h14',
  share: 'M12 15V4m0 0L8 8m4-4 4 4M5 12v7h14v-7',
  flag: 'M6 21V4m0 0h11l-2.5 4 2.5 4H6',
  play: 'M8 5v14l11-7Z',
  pause: 'M8 5v14M16 5v14',
  swap: 'M4 8h14m0 0-3-3m3 3-3 3M20 16H6m0 0 3-3m-3 3 3 3',
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  return svg('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg('path', { d: PATHS[name] }));
}
