// The operator's page. Everything that comes from clients reaches it as text. The token stays in this module's memory and goes
// into a header field: not into a URL, a cookie or the page's storage.
import { join, MemorySessionStore } from './baize.js';
import { count, language, say } from './words.js';

const element = (id) => document.getElementById(id);
const pageSize = 100;
let token = '';
let offset = 0;
let total = 0;
let chosen;
let watched;
let timer;
let frame;

/** Asks the daemon, and throws what it answers unless that is good. */
async function ask(path, method = 'GET') {
  const response = await fetch(path, { method, cache: 'no-store', headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error((await response.text()).trim() || say('The daemon answers with status {status}.', { status: response.status }));
  return response;
}

const tablePath = (name, action = '') => `/tables/${encodeURIComponent(name)}${action && `/${action}`}`;

/** Returns a cell; on a narrow screen its label stands before it in place of the column's head. */
function cell(label, text) {
  const data = document.createElement('td');
  data.dataset.label = say(label);
  data.textContent = text;
  return data;
}

function row(table) {
  const line = document.createElement('tr');
  const open = document.createElement('button');
  open.type = 'button';
  open.textContent = table.name;
  open.onclick = () => choose(table.name);
  const name = cell('Table', '');
  name.append(open);
  const rate = table.operationsPerSecond;
  line.append(
    name, cell('Type', table.olderDocument ? say('{type} (older document)', { type: table.type }) : table.type), cell('Status', table.status),
    cell('Members', count(table.members)), cell('Sessions', count(table.sessions)), cell('Items', count(table.items)),
    cell('Revision', count(table.revision)), cell('Op/s', rate === undefined ? '' : count(rate, 1)), cell('KiB', count(Math.ceil(table.bytes / 1024))));
  return line;
}

async function list() {
  const query = new URLSearchParams({
    search: element('search').value, sort: element('sort').value, offset, limit: pageSize,
  });
  const page = await (await ask(`/tables?${query}`)).json();
  ({ total, offset } = page);
  element('rows').replaceChildren(...page.tables.map(row));
  const last = offset + page.tables.length;
  element('summary').textContent = total === 0 ? say('no tables in memory') : say('tables {first} to {last} of {total}', { first: count(offset + 1), last: count(last), total: count(total) });
  element('previous').disabled = offset === 0;
  element('next').disabled = last >= total;
  await showPressure();
}

const megabytes = (bytes) => `${count(bytes / 2 ** 20, bytes < 10 * 2 ** 20 ? 1 : 0)} MiB`;

/** Shows how much memory clients take, and which addresses take the most. */
async function showPressure() {
  const response = await fetch('/healthz', { cache: 'no-store', headers: { Authorization: `Bearer ${token}` } });
  const { memory, connections, accounts } = await response.json();
  const most = accounts.slice(0, 3).map((account) => say('{address}: {memory}, tables: {tables}, written: {written}, connections: {connections}', {
    address: account.address, memory: megabytes(account.bytes), tables: count(account.tables), written: megabytes(account.writtenBytes), connections: count(account.connections),
  }));
  const taken = say('{memory} of {limit} taken ({mark}); connections: {connections}.', {
    memory: megabytes(memory.bytes), limit: megabytes(memory.limit), mark: say(memory.mark), connections: count(connections),
  });
  element('pressure').textContent = [taken, ...most].join(' ');
}

/** Runs an action and shows what went wrong, if anything did. */
async function attempt(action) {
  try {
    await action();
    element('message').textContent = '';
  } catch (error) {
    element('message').textContent = error.message;
  }
}

// MARK: One table

async function choose(name) {
  await leave();
  chosen = name;
  element('table').hidden = false;
  element('tableName').textContent = name;
  element('view').replaceChildren();
  await attempt(showSeats);
}

async function showSeats() {
  const table = await (await ask(tablePath(chosen))).json();
  element('seats').replaceChildren(...table.seats.map((seat) => {
    const line = document.createElement('li');
    const kick = document.createElement('button');
    kick.type = 'button';
    kick.className = 'danger';
    kick.textContent = say('Kick');
    kick.setAttribute('aria-label', say('Kick seat {number}, {name}', seat));
    kick.onclick = () => act(`kick?seat=${seat.number}`, say('End the session of {name}?', seat));
    line.append(`${say('Seat {number}: {name}', seat)} `, kick);
    return line;
  }));
}

async function act(action, question) {
  if (!confirm(question)) return;
  await attempt(async () => {
    await ask(tablePath(chosen, action), 'POST');
    if (action === 'delete') {
      await leave();
      element('table').hidden = true;
    } else {
      await showSeats();
    }
    await list();
  });
}

async function exportTable() {
  const blob = await (await ask(tablePath(chosen, 'export'))).blob();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = 'table.json';
  link.click();
  URL.revokeObjectURL(link.href);
}

async function watch() {
  await leave();
  const { ticket, invite } = await (await ask(tablePath(chosen, 'ticket'), 'POST')).json();
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
  const url = `${scheme}//${location.host}/ws?ticket=${encodeURIComponent(ticket)}`;
  const store = new MemorySessionStore();
  watched = await join(url, { table: chosen, name: 'operator', role: 'spectator', invite, store });
  watched.on('change', drawSoon);
  watched.on('connection', ({ connection }) => {
    if (connection !== 'reconnecting') return;
    // A ticket is good for one connection.
    watched?.close();
    watched = undefined;
    element('message').textContent = say('The connection to the table was lost. Watch it again to go on.');
  });
  draw();
}

async function leave() {
  await watched?.leave();
  watched = undefined;
}

/** Draws before the next frame, once for all changes until then. */
function drawSoon() {
  if (frame !== undefined) return;
  frame = requestAnimationFrame(() => {
    frame = undefined;
    draw();
  });
}

function draw() {
  if (!watched) return;
  element('view').replaceChildren(...watched.collections.map((collection) => {
    const column = document.createElement('section');
    const title = document.createElement('h3');
    title.textContent = `${collection.id} (${collection.count})`;
    const items = document.createElement('ol');
    items.append(...collection.items.slice(0, 200).map((item) => {
      const line = document.createElement('li');
      const parts = [...item.attributes].map(([name, value]) => `${name}: ${value}`);
      line.textContent = item.hidden ? say('hidden') : parts.join(', ') || say('item {id}', { id: item.id });
      return line;
    }));
    column.append(title, items);
    return column;
  }));
}

// MARK: Events

document.documentElement.lang = language;
for (const one of document.querySelectorAll('[data-say]')) one.textContent = say(one.textContent);

element('login').onsubmit = async (event) => {
  event.preventDefault();
  token = element('token').value;
  try {
    await list();
  } catch (error) {
    token = '';
    element('loginError').textContent = error.message;
    return;
  }
  element('token').value = '';
  element('login').hidden = true;
  element('main').hidden = false;
  element('search').focus();
  timer = setInterval(() => document.hidden || attempt(list), 3000);
};
element('filter').onsubmit = (event) => event.preventDefault();
for (const id of ['search', 'sort']) {
  element(id).oninput = () => {
    offset = 0;
    attempt(list);
  };
}
element('previous').onclick = () => {
  offset = Math.max(0, offset - pageSize);
  attempt(list);
};
element('next').onclick = () => {
  offset += pageSize;
  attempt(list);
};
element('drain').onclick = () => {
  if (!confirm(say('Stop the daemon? Every client is asked to come back in a moment.'))) return;
  clearInterval(timer);
  attempt(() => ask('/drain', 'POST'));
};
element('watch').onclick = () => attempt(watch);
element('export').onclick = () => attempt(exportTable);
element('close').onclick = () => act('close', say('End all sessions of {name}?', { name: chosen }));
element('delete').onclick = () => act('delete', say('Delete {name} with its history?', { name: chosen }));
