/** The page: from the start page to a table and back. */

// First: the connection is opened before the other modules run.
import { openSocket } from './early.js';
import { join } from '../baize.js';
import { readAddress, showTable, socketAddress, storeTable, storeTexts, takeStoredTexts } from './address.js';
import { loadWords, say } from './language.js';
import { forgetSeen, loadSeen } from './last-seen.js';
import { isFromWorker, keepPage, lookForNewer, lookSoon } from './newer.js';
import { announce, keepText, takeKeptTexts } from './notices.js';
import { Start } from './start.js';
import { changeTable, findTable, forgetTable, joinedAtOnce, joinedBy, rememberTable } from './tables.js';
import { TableView } from './view.js';
import { goodbyeText } from './words.js';

const root = document.getElementById('table');
/** Why a table that this browser knows may be gone for good. */
const GONE = new Set(['UNKNOWN_TABLE', 'INVITE_INVALID']);
/** The ends of a connection behind which the person is none of the table's. */
const FOR_GOOD = new Set(['LEAVING', 'KICKED']);

let start;
let view;
/** The number of tables that were asked for: only the last one is shown. */
let asked = 0;

async function enter({ table, type, name, role = 'player', invite }) {
  asked += 1;
  const own = asked;
  let client;
  try {
    const lastSeen = async () => (type || findTable(table)?.hasLeft !== false ? undefined : loadSeen(table));
    // At a full table, one who wants to play watches and waits.
    client = await join(socketAddress(), { table, type, name, role: role === 'player' ? 'waiting' : role, invite, WebSocket: openSocket, lastSeen });
  } catch (error) {
    return own === asked && showFailure(error, { table, type, invite });
  }
  if (own !== asked) return client.close();
  let isSeen = client.seenAt !== undefined;
  const remember = () => rememberTable({ table, type: client.type.name, title: client.type.title, name, isPlayer: role === 'player' });
  if (!isSeen) remember();
  storeTable({ table, name, role });
  showTable(table, role === 'spectator');
  start.hide();
  const play = () => {
    close({ keepsSeat: true });
    enter({ table, name, invite });
  };
  const commands = { table, leave, again: (type) => playAgain(table, type, name), play: role === 'player' ? undefined : play };
  view = new TableView(root, client, commands);
  const isFull = () => client.seats.length >= view.look.seatsMax;
  commands.isWaiting = role === 'player' && client.seat === 0 && isFull();
  client.on('change', () => {
    if (!commands.isWaiting || client.connection !== 'live' || (client.seat === 0 && isFull())) return;
    commands.isWaiting = false;
    if (client.seat === 0) play();
  });
  client.on('end', (goodbye) => {
    if (client.seenAt === undefined || FOR_GOOD.has(goodbye.reason)) return leave(goodbye);
    close({ keepsSeat: true });
    return showFailure(goodbye, { table, invite });
  });
  client.on('connection', ({ connection }) => {
    if (connection !== 'live') return;
    if (isSeen) {
      remember();
      announce(say('You are at the table {table}.', { table }));
    }
    isSeen = false;
    lookSoon();
  });
  view.show();
  return keepPage();
}

/** Says why a table could not be joined: of one that this browser knows, in its list, if it is gone or the daemon cannot be reached. */
function showFailure({ reason = 'TIMEOUT', detail }, { table, type, invite }) {
  storeTable(undefined);
  const isSecret = reason === 'INVITE_INVALID';
  const problem = goodbyeText({ reason, detail });
  const isGone = GONE.has(reason);
  if (isGone) forgetSeen(table);
  if (type || !(isGone || reason === 'TIMEOUT') || !findTable(table)) return start.show({ table: type ? '' : table, invite: isSecret ? '' : invite, problem });
  showTable('');
  return start.show({ trouble: { table, isGone, text: isSecret ? say('You need a new link for this table, or it does not exist any more.') : problem } });
}

/** Leaves a table for a new one of the same type: `klondike-x.2` after `klondike-x`. */
function playAgain(table, type, name) {
  close();
  const [, base, number] = /^(.*?)(?:\.(\d+))?$/.exec(table);
  enter({ table: `${base.slice(0, 56)}.${Number(number ?? 1) + 1}`, type, name });
}

/** Ends a table; what this browser knows of it stays, unless only a new invite would bring the person back. */
function close({ keepsSeat = false } = {}) {
  const closed = view;
  view = undefined;
  storeTable(undefined);
  if (!closed) return;
  const { table } = closed.commands;
  if (!keepsSeat && closed.table.invite) forgetTable(table);
  else changeTable(table, { hasLeft: !keepsSeat, at: Date.now() });
  closed.close({ keepsSeat });
  if (!keepsSeat) forgetSeen(table);
}

/** Goes to the start page, and says why if it was not the person's wish. */
function leave(goodbye, { keepsSeat = goodbye !== undefined && !FOR_GOOD.has(goodbye.reason) } = {}) {
  if (!view) return;
  const isOwn = goodbye === undefined || goodbye.reason === 'LEAVING' || goodbye.reason === 'CLOSED';
  close({ keepsSeat });
  showTable('');
  start.show({ problem: isOwn ? '' : goodbyeText(goodbye) });
}

addEventListener('beforeunload', (event) => view?.saving.isAtRisk && event.preventDefault());
// What is written and not sent survives that the page is loaded again.
addEventListener('pagehide', () => {
  storeTexts([...(view?.unsavedTexts ?? []), ...takeKeptTexts()]);
  if (view) changeTable(view.commands.table, { at: Date.now() });
});
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
  if (isFromWorker()) look();
  const address = readAddress();
  open(address, joinedAtOnce(address));
}

/** Opens what the address names: at once, where one is at the table already. */
function open(address, joined = joinedBy(address)) {
  if (joined) {
    start.wait();
    enter(joined);
  } else {
    start.show(address);
    keepPage();
  }
}

const look = () => lookForNewer((isReached) => start.setReached(isReached));

addEventListener('online', look);
addEventListener('offline', () => start?.setReached(false));

loadWords().then(begin);
addEventListener('hashchange', () => {
  const address = readAddress();
  if (!address.table || !start) return;
  // The other table is not left for good by that.
  close({ keepsSeat: true });
  open(address);
});
