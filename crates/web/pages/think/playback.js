// @ts-check
// Playback controls for a clock from 0 to an end: play, pause, steps, position and speed. With
// reduced motion it starts at the end.
import { fill, h } from '../lib/dom.js';
import { icon } from '../lib/icons.js';
import { counted } from './rows.js';

/** The approximate duration at the initial speed. */
const SECONDS = 8;
/** The maximum of the speed slider; steps per second are 2 to its power. */
const FASTEST = 12;

/** @param {(clock: number) => void} onTick */
export function createPlayback(onTick) {
  let [end, clock, frame, before] = [0, 0, 0, 0];
  /** @param {Parameters<typeof icon>[0]} sign @param {string} name @param {() => void} onclick */
  const button = (sign, name, onclick) => h('button', { type: 'button', 'aria-label': name, title: name, onclick }, icon(sign));
  /** @param {string} name @param {number} max @param {() => void} oninput */
  const slider = (name, max, oninput) => h('input', { type: 'range', min: 0, max, 'aria-label': name, oninput });
  const play = button('play', 'Play or pause', () => (frame ? pause() : run()));
  const back = button('back', 'Back one step', () => jump(clock - 1));
  const on = button('forward', 'Forward one step', () => jump(clock + 1));
  const last = button('last', 'Go to end', () => jump(end));
  const moment = slider('Step of the search', 0, () => jump(Number(moment.value)));
  const speed = slider('Speed', FASTEST, saySpeed);
  const said = h('output');
  const element = h(
    'div',
    { class: 'playback', role: 'group', 'aria-label': 'Playback' },
    back,
    play,
    on,
    last,
    moment,
    h('label', null, 'Speed ', speed, said),
  );

  const stepsASecond = () => 2 ** Number(speed.value);

  function saySpeed() {
    said.textContent = `${counted(stepsASecond(), 'step')}/s`;
  }

  /** @param {number} to */
  function go(to) {
    clock = Math.min(end, Math.max(0, to));
    moment.value = String(Math.floor(clock));
    onTick(Math.floor(clock));
  }

  /** @param {number} to */
  function jump(to) {
    pause();
    go(Math.floor(to));
  }

  function run() {
    if (clock >= end) go(0);
    before = performance.now();
    frame = requestAnimationFrame(tick);
    fill(play, icon('pause'));
  }

  /** @param {number} now */
  function tick(now) {
    go(clock + (Math.max(0, now - before) / 1000) * stepsASecond());
    before = now;
    if (clock >= end) pause();
    else frame = requestAnimationFrame(tick);
  }

  function pause() {
    cancelAnimationFrame(frame);
    frame = 0;
    fill(play, icon('play'));
  }

  /** Loads a search with this many steps. @param {number} steps */
  function set(steps) {
    end = steps;
    moment.max = String(steps);
    speed.value = String(Math.max(0, Math.round(Math.log2(Math.max(1, steps) / SECONDS))));
    saySpeed();
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    jump(still ? end : 0);
    if (!still) run();
  }

  return { element, set, pause };
}
