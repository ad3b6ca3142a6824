/** The page: from the start page to a table and back. */

import { join } from '../baize.js';
import { readAddress, showTable, socketAddress, storedTable, storeTable, storeTexts, takeStoredTexts } from './address.js';
import { loadWords, say } from './language.js';
import { keepText, takeKeptTexts } from './notices.js';
import { Start } from './start.js';
import { TableView } from './view.js';
import { goodbyeText } from './words.js';

const root = document.getElementById('table');
let start;
let view;

async function enter({ table, type, name, role = 'player', invite }) {
  let client;
  try {
    client = await join(socketAddress(), { table, type, name, role, invite });
  } catch (error) {
    storeTable(undefined);
    const isSecret = error.reason === 'INVITE_INVALID';
    return start.show({ table: type ? '' : table, invite: isSecret ? '' : invite, problem: goodbyeText({ reason: error.reason ?? 'TIMEOUT', detail: error.detail }) });
  }
  storeTable({ table, name, role });
  showTable(table, role === 'spectator');
  start.hide();
  view = new TableView(root, client, { table, leave, again: (type) => playAgain(table, type, name) });
  client.on('end', (goodbye) => leave(goodbye));
  return view.show();
}

/** Leaves a table for a new one of the same type: `klondike-x.2` after `klondike-x`. */
function playAgain(table, type, name) {
  close();
  const [, base, number] = /^(.*?)(?:\.(\d+))?$/.exec(table);
  enter({ table: `${base.slice(0, 56)}.${Number(number ?? 1) + 1}`, type, name });
}

function close() {
  const closed = view;
  view = undefined;
  closed?.close();
  storeTable(undefined);
}

/** Ends a table, and says why if it was not the person's wish. */
function leave(goodbye) {
  if (!view) return;
  const isOwn = goodbye === undefined || goodbye.reason === 'LEAVING' || goodbye.reason === 'CLOSED';
  close();
  showTable('');
  start.show({ problem: isOwn ? '' : goodbyeText(goodbye) });
}

addEventListener('beforeunload', (event) => view?.saving.isAtRisk && event.preventDefault());
// What is written and not sent survives that the page is loaded again.
addEventListener('pagehide', () => storeTexts([...(view?.unsavedTexts ?? []), ...takeKeptTexts()]));
for (const text of takeStoredTexts()) keepText(text);

/** Says in the page's language what `index.html` has in English. */
function translate() {
  for (const element of document.querySelectorAll('[data-say]')) element.textContent = say(element.textContent.trim());
  for (const element of document.querySelectorAll('[aria-label]')) element.setAttribute('aria-label', say(element.getAttribute('aria-label')));
  for (const element of document.querySelectorAll('[placeholder]')) element.placeholder = say(element.placeholder);
}

function begin() {
  translate();
  start = new Start(enter);
  const address = readAddress();
  const last = storedTable();
  if (last && (!address.table || address.table === last.table)) {
    start.wait();
    enter(last);
  } else if (address.table && (address.name || address.isWatching)) {
    start.wait();
    enter({ ...address, role: address.isWatching ? 'spectator' : 'player' });
  } else {
    start.show(address);
  }
}

loadWords().then(begin);
addEventListener('hashchange', () => {
  const { table, invite } = readAddress();
  if (!table) return;
  close();
  start?.show({ table, invite });
});
