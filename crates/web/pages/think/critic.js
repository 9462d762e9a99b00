// @ts-check
// The critic: its input activations as a table, its output as a bar, and the effect of each move on
// both.
import { fill, h } from '../lib/dom.js';
import { sideOf } from '../lib/format.js';
import { createFrame } from './frame.js';
import { arrival, barRow, percent, scaled } from './rows.js';
/** @import { Critic, CriticMove, DrawFunction, Input } from './types.js' */

export const title = 'Inputs of the critic';
const SENTENCE =
  'The critic is a small network. Its inputs are counts of patterns of each side, its output is the winning probability of the side to move.';
/** Input units per pattern: for the counts one, two, three, and more. */
const UNITS_PER_PATTERN = 4;
/** The number of listed moves; the board shows all considered moves. */
const LISTED = 16;

/** @type {DrawFunction} */
export function draw(host, context) {
  const frame = createFrame(host, context, SENTENCE);
  const refresh = () => frame.load('/api/think/critic', {}, show);

  /** @param {Critic} critic */
  function show({ inputs, value, moves }) {
    const { snapshot, info } = context.state();
    const units = inputs.map(() => h('span', { class: 'input-unit', role: 'img' }));
    const bars = h('div', { class: 'bars' });
    const changes = h('p', { class: 'critic-changes small', 'aria-live': 'polite' });
    const buttons = moves.slice(0, LISTED).map((move) => moveButton(move, () => choose(chosen === move ? null : move)));
    /** @type {CriticMove | null} */
    let chosen = null;

    /** @param {CriticMove | null} move */
    function choose(move) {
      chosen = move;
      units.forEach((unit, i) => updateUnit(unit, inputs[i], info.sides, move?.changed.find(({ input }) => input === i)?.to ?? null));
      buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(moves[i] === move)));
      fill(bars, valueBar(`${sideOf(snapshot.to_move, info.sides)} wins`, value), valueBar(`after ${move?.move ?? '…'}`, move?.value ?? null));
      changes.textContent = move ? changesText(move, inputs, info.sides) : 'Choose a move to see the inputs that it changes.';
      context.board.preview(move && [{ move: move.move, side: snapshot.to_move, cells: move.cells }]);
    }

    const list = h('div', { class: 'choices', role: 'group', 'aria-label': 'moves' }, buttons);
    fill(frame.body, bars, unitTable(inputs, units, info.sides), h('h3', null, 'Moves, best first'), list, changes);
    choose(null);
    const considered = moves.filter((move) => move.considered);
    const sizes = scaled(considered.map((move) => move.value));
    context.board.annotate(
      considered.map((move, i) => ({
        cell: arrival(move),
        kind: 'info',
        weight: 0.15 + 0.85 * sizes[i],
        tone: move.value,
        title: `${move.move}: ${percent(move.value)}`,
      })),
    );
  }

  return frame.picture(refresh);
}

/** @param {string} label @param {number | null} value */
const valueBar = (label, value) => barRow({ label, share: value ?? 0, value, shown: value === null ? '' : percent(value), tone: value ?? 0 });

/** @param {CriticMove} move @param {() => void} onclick */
const moveButton = ({ move, value }, onclick) =>
  h('button', { type: 'button', 'data-move': move, 'data-value': value, onclick }, h('b', null, move), ` ${percent(value)}`);

/** @param {number} value */
const shown = (value) => String(Math.round(value * 100) / 100);

/** Shows the activation of an input unit, or its activation after a move. @param {HTMLElement} unit @param {Input} input @param {[string, string]} sides @param {number | null} then */
function updateUnit(unit, input, sides, then) {
  const { value } = input;
  const now = then ?? value;
  unit.style.setProperty('--lit', percent(Math.min(1, now)));
  unit.classList.toggle('lit', now > 0);
  unit.classList.toggle('changed', then !== null);
  const words = `${shown(value)}${then === null ? '' : `, then ${shown(then)}`}`;
  unit.title = `${input.name}: ${words}`;
  unit.setAttribute('aria-label', `${nameOf(input, sides)}: ${words}`);
  unit.dataset.value = String(now);
  unit.textContent = now > 0 && now !== 1 ? shown(now) : '';
}

/** A table of the input units with a row per pattern and a column per side; other units come last. @param {Input[]} inputs @param {HTMLElement[]} units @param {[string, string]} sides */
function unitTable(inputs, units, sides) {
  const columns = ['first', 'second'].map((side) => inputs.flatMap((input, i) => (input.side === side ? i : [])));
  const paired = Math.min(...columns.map(({ length }) => length - (length % UNITS_PER_PATTERN)));
  const rows = [];
  for (let from = 0; from < paired; from += UNITS_PER_PATTERN) {
    const parts = columns.map((column) => column.slice(from, from + UNITS_PER_PATTERN));
    const name = commonWords(parts.flat().map((i) => inputs[i].name));
    rows.push(
      h(
        'tr',
        null,
        h('th', { scope: 'row' }, name),
        parts.map((part) =>
          h(
            'td',
            null,
            part.map((i) => units[i]),
          ),
        ),
      ),
    );
  }
  const placed = new Set(columns.flatMap((column) => column.slice(0, paired)));
  const others = inputs.flatMap((input, i) => (placed.has(i) ? [] : h('p', { class: 'small' }, units[i], ` ${nameOf(input, sides)}`)));
  const heads = ['pattern', ...sides].map((name) => h('th', { scope: 'col' }, name));
  return h('div', { class: 'input-units' }, h('table', null, h('thead', null, h('tr', null, heads)), h('tbody', null, rows)), others);
}

/** @param {string[]} names */
function commonWords(names) {
  const split = names.map((name) => name.split(/[\s,:]+/));
  return split[0].filter((word) => split.every((words) => words.includes(word))).join(' ') || names[0];
}

/** @param {Input} input @param {[string, string]} sides */
const nameOf = ({ name, side }, sides) => `${sideOf(side, sides)} ${name}`;

/** @param {CriticMove} move @param {Input[]} inputs @param {[string, string]} sides */
function changesText({ move, changed }, inputs, sides) {
  const each = changed.map(({ input, from, to }) => `${nameOf(inputs[input], sides)} ${shown(from)} → ${shown(to)}`);
  return `${move} changes ${each.join('; ') || 'no input'}.`;
}
