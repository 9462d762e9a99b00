// @ts-check
// The card at the end of a game: the result, the rank, the entry in the high scores, and the next
// actions.

import { post } from '../lib/api.js';
import { clear, fill, h } from '../lib/dom.js';
import { loadItem, saveItem } from '../lib/storage.js';
import { counted, grouped } from './types.js';

/** @typedef {import('./types.js').View} View */
/** @typedef {import('./types.js').Ending} Ending */

const NICKNAME = 'tesuji-nickname';

/**
 * @param {HTMLElement} host
 * @param {{again(): void, next(): void, replay(): void, entered(level: number): void}} actions
 */
export function createEndCard(host, actions) {
  function hide() {
    clear(host);
    host.hidden = true;
  }

  /** @param {string} id @param {View} view @param {Ending} ending */
  function show(id, view, ending) {
    const won = view.status === 'won';
    host.hidden = false;
    fill(host, h('div', { class: 'card end-card', role: 'group', 'aria-labelledby': 'end-title' },
      h('h2', { id: 'end-title' }, won ? 'All medals freed!' : view.status === 'lost' ? 'No moves left' : 'No legal swap left'),
      h('p', { class: 'end-score' }, grouped(view.score)),
      h('p', { class: 'muted' }, summary(view)),
      ending.yours === false ? null : entry(id, view, ending),
      h('div', { class: 'row centered' },
        h('button', { id: 'replay', type: 'button', onclick: actions.replay }, 'Replay'),
        won && view.level < 3 && h('button', { id: 'next-level', type: 'button', onclick: actions.next }, `Level ${view.level + 1}`),
        h('button', { id: 'again', type: 'button', class: 'primary', onclick: actions.again }, 'New game'))));
  }

  /** @param {string} id @param {View} view @param {Ending} ending */
  function entry(id, view, ending) {
    const section = h('div', { class: 'entry' });
    const table = h('a', { href: `/scores?level=${view.level}` }, `high scores of level ${view.level}`);
    if (ending.entered) {
      fill(section, h('p', null, 'This game is in the ', table, '.'));
      return section;
    }
    const name = h('input', { id: 'nickname', name: 'nickname', maxlength: 20, pattern: '[A-Za-z0-9_ ]{1,20}', required: true, autocomplete: 'nickname', placeholder: 'Nickname', 'aria-label': 'Nickname', value: loadItem(NICKNAME) ?? '' });
    const button = h('button', { id: 'enter-score', type: 'submit' }, 'Enter');
    const said = h('p', { class: 'small', role: 'status' }, view.helped ? 'It will be marked “with help”.' : '');
    const rank = ending.rank ? `Rank ${ending.rank} on level ${view.level}.` : `Not among the top fifty of level ${view.level}.`;
    const form = h('form', { class: 'row centered', onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); send(); } }, name, button);
    fill(section, h('p', null, rank), form, said);

    async function send() {
      button.disabled = true;
      try {
        const entered = await post(`/api/gems/${id}/score`, { nickname: name.value });
        saveItem(NICKNAME, entered.nickname);
        ending.entered = true;
        const place = entered.rank ? `${entered.nickname} has rank ${entered.rank} in the ` : `${entered.nickname} has a better score; see the `;
        fill(section, h('p', { id: 'entered', role: 'status' }, place, table, '.'));
        actions.entered(view.level);
      } catch (problem) {
        said.textContent = /** @type {Error} */ (problem).message;
        button.disabled = false;
      }
    }
    return section;
  }

  return { show, hide };
}

/** @param {View} view */
function summary({ status, moves_made, moves_left, medals, medals_left, score, bonus }) {
  if (status !== 'won') return `${medals - medals_left} of ${counted(medals, 'medal')} in ${counted(moves_made, 'move')}.`;
  const spare = moves_left > 0 ? `, ${grouped(score - bonus)} and ${grouped(bonus)} for ${counted(moves_left, 'move')} left` : '';
  return `In ${counted(moves_made, 'move')}${spare}.`;
}
