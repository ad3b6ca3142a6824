/** The link that others join with. */

import { MemorySessionStore, join } from '../baize.js';
import { socketAddress } from './address.js';
import { make } from './dom.js';
import { say } from './language.js';
import { copyField } from './notices.js';

/** A type that no daemon has. */
const NO_TYPE = '-';
/** A daemon that takes longer than this, in milliseconds, is not waited for. */
const ANSWER_MILLISECONDS = 3_000;

/** @param linkTo makes a link of a table's name and an invite */
export function openShare(page, linkTo) {
  const { table, commands } = page;
  const input = make('input', { type: 'text', readonly: true, 'aria-label': say('Link to this table'), on: { focus: () => input.select() } });
  const words = make('p', { role: 'status' });
  const show = (text, hasLink) => {
    words.textContent = text;
    input.value = hasLink ? linkTo(commands.table, table.invite) : '';
    input.hidden = copy.hidden = !hasLink;
  };
  const showLink = () => show(table.invite ? say('Anyone with this link can join. A new invite makes earlier links useless.') : say('Send this link to those who should join.'), true);
  const copy = make('button.primary', { type: 'button', text: say('Copy the link'), on: { click: () => copyField(input) } });
  const close = make('button', { type: 'button', text: say('Close'), on: { click: () => dialog.close() } });
  const renew = make('button', { type: 'button', text: say('Make a new invite'), on: { click: () => renewInvite(table, showLink) } });
  const buttons = make('p.buttons', {}, copy, ...(table.isHost ? [renew] : []), close);
  const dialog = make('dialog', { 'aria-label': say('Invite others'), on: { close: () => dialog.remove() } }, make('h2', { text: say('Invite others') }), words, input, buttons);
  document.body.append(dialog);
  const { invite } = table;
  if (invite) show(say('Asking the server…'), false);
  else showLink();
  dialog.showModal();
  if (invite) isVoid(commands.table, invite).then((isSo) => (isSo && table.invite === invite ? show(voidText(table), false) : showLink()));
}

const voidText = ({ isHost }) => isHost
  ? say('The invite that is known here no longer works. Make a new one.')
  : say('The host has made a new invite, and the link that you came with no longer works. The host can give you the new one.');

/**
 * Returns whether the daemon does not accept an invite any more, as a stranger who asks with it for a table of a type that it is not: the
 * daemon looks at the invite first (J8), and admits nobody.
 */
async function isVoid(table, invite) {
  try {
    const client = await join(socketAddress(), { table, invite, type: NO_TYPE, role: 'spectator', store: new MemorySessionStore(), timeout: ANSWER_MILLISECONDS });
    client.leave();
    return false;
  } catch ({ reason }) {
    return reason === 'INVITE_INVALID';
  }
}

async function renewInvite(table, show) {
  const { verdict } = await table.perform('host/invite/player').outcome;
  if (verdict === 'unchanged') show();
}
