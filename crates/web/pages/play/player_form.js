// @ts-check
// A form for a player: its name, a field for each option, and the resulting text. The fields follow
// the option declarations of the server.

import { get } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';

/** @import { PlayerListed, PlayerOption } from '../lib/api.js' */

/** Types of options without a field: guests may not name files, and lists of numbers are long. */
const WITHOUT_FIELD = ['file', 'numbers'];

/**
 * Creates fields that write into a text input, which can also be edited directly.
 * @param {string[]} names the players that can be chosen
 * @param {HTMLInputElement} text
 */
export function playerFields(names, text) {
  const fields = h('div', { class: 'options fields small' });
  const chooser = h('select', { name: 'name', 'aria-label': 'Player name' });
  const summary = h('p', { class: 'muted small' });
  /** @type {Map<string, PlayerListed>} */
  let known = new Map();

  get('/api/games').then(
    ({ players }) => {
      known = new Map(players.map((/** @type {PlayerListed} */ player) => [player.name, player]));
      const listed = names.filter((name) => known.has(name));
      fill(chooser, h('option', { value: '' }, 'Choose…'), listed.map((name) => h('option', { value: name }, name)));
    },
    () => chooser.remove(),
  );

  chooser.addEventListener('change', () => {
    const player = known.get(chooser.value);
    summary.textContent = player?.summary ?? '';
    const shown = player?.options.filter(({ takes }) => !WITHOUT_FIELD.includes(takes.type)) ?? [];
    fill(fields, shown.map((option) => [h('label', { class: 'code', for: id(option), title: option.help }, option.key), field(option)]).flat());
    write();
  });
  fields.addEventListener('input', write);

  function write() {
    const inputs = /** @type {NodeListOf<HTMLInputElement | HTMLSelectElement>} */ (fields.querySelectorAll('[data-key]'));
    const given = [...inputs].filter(({ value }) => value !== '').map(({ dataset, value }) => `${dataset.key}=${quoted(value)}`);
    text.value = given.length ? `${chooser.value}:${given.join(',')}` : chooser.value;
  }

  return [chooser, summary, fields];
}

/** @param {PlayerOption} option */
function field(option) {
  const { key, takes, help } = option;
  const common = { id: id(option), 'data-key': key, title: help, 'aria-label': `${key}: ${help}` };
  const words = takes.type === 'switch' ? ['on', 'off'] : takes.type === 'word' ? (takes.words ?? []) : null;
  if (words) {
    const choices = words.map((/** @type {string} */ word) => h('option', { value: word }, word));
    return h('select', common, h('option', { value: '' }, 'default'), choices);
  }
  const isNumber = takes.type === 'number' || takes.type === 'decimal';
  const bounds = isNumber ? { type: 'number', min: takes.low, max: takes.high, step: takes.type === 'number' ? 1 : 'any' } : {};
  return h('input', { ...common, ...bounds, placeholder: help, autocomplete: 'off', spellcheck: 'false' });
}

/** @param {PlayerOption} option */
function id({ key }) {
  return `option-${key}`;
}

/** Quotes a value with a comma. @param {string} value */
function quoted(value) {
  return value.includes(',') ? `"${value}"` : value;
}
