/**
 * The address of a table: `/#table=NAME`, and `&invite=…` where one is needed. The fragment is not sent to any server; the invite
 * is removed from the address, and from the tab's history, as soon as it is read.
 */

const NAME_KEY = 'baize name';
const TAB_KEY = 'baize tab';
const TABS_KEY = 'baize tabs';
const TABS_MAX = 20;
const TAB_MILLISECONDS_MAX = 24 * 60 * 60 * 1_000;
const NAME_CHARACTERS_MAX = 24;

/** Returns what the address asks for, `{ table, invite, name, isWatching }`. */
export function parseAddress() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  return {
    table: fragment.get('table') ?? '',
    invite: fragment.get('invite') ?? '',
    name: fragment.get('name') ?? '',
    isWatching: fragment.has('watch'),
  };
}

/** Returns what the address asks for, and hides the invite. */
export function readAddress() {
  const address = parseAddress();
  if (address.table) showTable(address.table, address.isWatching);
  return address;
}

/** Shows the table in the address bar; without a table, the start page. */
export function showTable(table, isWatching = false) {
  const fragment = table ? `#${new URLSearchParams({ table, ...(isWatching && { watch: '' }) })}` : '';
  history.replaceState(null, '', location.pathname + fragment);
}

/** Returns the link that others join with. It holds the invite: who has the link can join. */
export function linkTo(table, invite) {
  return `${here('')}#${new URLSearchParams({ table, ...(invite && { invite }) })}`;
}

/** What is beside the page, which a proxy may serve below a path. */
export const here = (path) => `${location.origin}${location.pathname.replace(/[^/]*$/, '')}${path}`;

/** The address of the daemon's WebSocket. */
export function socketAddress() {
  return here('ws').replace(/^http/, 'ws');
}

/** Returns a name for a new table that nobody guesses. */
export function newTableName(type) {
  const letters = 'bcdfghjkmnpqrstvwxz23456789';
  const numbers = crypto.getRandomValues(new Uint32Array(10));
  const random = [...numbers].map((number) => letters[number % letters.length]).join('');
  return `${type.replace(/[^A-Za-z0-9._-]/g, '').slice(0, 40)}-${random}`;
}

/** Returns the name that the person used last, on this machine. */
export const storedName = () => read(() => localStorage.getItem(NAME_KEY)) ?? '';

export const storeName = (name) => read(() => localStorage.setItem(NAME_KEY, name));

/** Returns the table at which this tab sits, so that a page that is loaded again comes back to it. */
export const storedTable = () => readTabs()[tabNumber()]?.table;

/** Keeps that; `undefined` for none. */
export const storeTable = (table) => changeTab({ table });

/** Keeps the texts that the person has written and not sent, for this tab. */
export const storeTexts = (texts) => changeTab({ texts: texts.length > 0 ? texts : undefined });

/** Returns those texts, once. */
export function takeStoredTexts() {
  const { texts } = readTabs()[tabNumber()] ?? {};
  storeTexts([]);
  return Array.isArray(texts) ? texts.filter((text) => typeof text === 'string') : [];
}

/*
 * They are under the tab's number in what all tabs share. Of what a tab keeps for itself, Chromium may give a page what another page of
 * the tab had before, if that page's process is still there: a table that is left since, or texts that were discarded.
 */

function tabNumber() {
  const number = readTab(TAB_KEY) ?? String(Math.random());
  storeTab(TAB_KEY, number);
  return number;
}

/** Returns what is kept of the tabs by their numbers, and not for too long. */
function readTabs() {
  const kept = read(() => Object.entries(JSON.parse(readSetting(TABS_KEY)))) ?? [];
  return Object.fromEntries(kept.filter(([, one]) => Date.now() - one?.at < TAB_MILLISECONDS_MAX));
}

function changeTab(changes) {
  const tabs = readTabs();
  const number = tabNumber();
  tabs[number] = { ...tabs[number], ...changes, at: Date.now() };
  const latest = Object.entries(tabs).sort(([, one], [, other]) => other.at - one.at).slice(0, TABS_MAX);
  storeSetting(TABS_KEY, JSON.stringify(Object.fromEntries(latest)));
}

/** A setting of this browser; `null` if it has none. */
export const readSetting = (key) => read(() => localStorage.getItem(key)) ?? null;

export const storeSetting = (key, value) => read(() => localStorage.setItem(key, value));

/** What this tab keeps under a key; `null` for nothing. */
export const readTab = (key) => read(() => sessionStorage.getItem(key)) ?? null;

/** Keeps a text for this tab; `undefined` forgets it. */
export const storeTab = (key, text) => read(() => (text === undefined ? sessionStorage.removeItem(key) : sessionStorage.setItem(key, text)));

/** Under what this tab keeps the robots that it has at a table. */
export const robotsKey = (table) => `baize robots ${table}`;

/** Returns a name as the daemon accepts it. */
export const cleanName = (name) => [...name.trim()].slice(0, NAME_CHARACTERS_MAX).join('');

/** Without storage, in a private window perhaps, nothing is remembered. */
function read(access) {
  try {
    return access();
  } catch {
    return undefined;
  }
}
