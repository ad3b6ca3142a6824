/** The link that others join with. */

import { make } from './dom.js';
import { say } from './language.js';
import { copyField } from './notices.js';

/** @param linkTo makes a link of a table's name and an invite */
export function openShare(page, linkTo) {
  const { table, commands } = page;
  const input = make('input', { type: 'text', readonly: true, 'aria-label': say('Link to this table'), on: { focus: () => input.select() } });
  const show = () => (input.value = linkTo(commands.table, table.invite));
  const copy = make('button.primary', { type: 'button', text: say('Copy the link'), on: { click: () => copyField(input) } });
  const close = make('button', { type: 'button', text: say('Close'), on: { click: () => dialog.close() } });
  const renew = make('button', { type: 'button', text: say('Make a new invite'), on: { click: () => renewInvite(table, show) } });
  const buttons = make('p.buttons', {}, copy, ...(table.isHost ? [renew] : []), close);
  const words = make('p', { text: table.invite ? say('Anyone with this link can join. A new invite makes earlier links useless.') : say('Send this link to those who should join.') });
  const dialog = make('dialog', { 'aria-label': say('Invite others'), on: { close: () => dialog.remove() } }, make('h2', { text: say('Invite others') }), words, input, buttons);
  document.body.append(dialog);
  show();
  dialog.showModal();
}

async function renewInvite(table, show) {
  const { verdict } = await table.perform('host/invite/player').outcome;
  if (verdict === 'unchanged') show();
}
