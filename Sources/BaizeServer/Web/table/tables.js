/** The tables that this browser has joined, the latest first, as it keeps them for the start page. Nothing in it is secret. */

import { readSetting, socketAddress, storedTable, storeSetting } from './address.js';

const TABLES_MAX = 50;
const NAME_CHARACTERS_MAX = 60;

/** Several daemons may be below one origin, each with tables of its own. */
export const tablesKey = () => `baize tables ${socketAddress()}`;

/**
 * Returns the tables: `{ table, type, title, given, name, isPlayer, hasLeft, at }` each. `given` is what the person calls it, `name` what
 * the person is called there, `at` when it was last open. What cannot be read is left out.
 */
export function readTables() {
  try {
    return tidy(JSON.parse(readSetting(tablesKey())).filter(isEntry));
  } catch {
    return [];
  }
}

const isEntry = (one) =>
  typeof one === 'object' && one !== null && /^[A-Za-z0-9._-]{1,64}$/.test(one.table) && Number.isFinite(one.at)
  && ['table', 'type', 'title', 'given', 'name'].every((key) => typeof one[key] === 'string');

/** Returns entries as they are kept: each table once, and of too many not the oldest. */
function tidy(entries) {
  const byTable = new Map([...entries].sort((one, other) => one.at - other.at).map((one) => [one.table, one]));
  return [...byTable.values()].reverse().slice(0, TABLES_MAX);
}

const write = (entries) => storeSetting(tablesKey(), JSON.stringify(tidy(entries)));

export const findTable = (table) => readTables().find((one) => one.table === table);

/** Returns as whom the table of an address is joined without a question, as one is known there or as the address says; else nothing. */
export function joinedBy({ table, name, invite, isWatching }) {
  if (table && (name || isWatching)) return { table, name, invite, role: isWatching ? 'spectator' : 'player' };
  const known = findTable(table);
  if (!known || known.hasLeft || (!known.isPlayer && invite)) return undefined;
  return { table, name: known.name, invite, role: known.isPlayer ? 'player' : 'spectator' };
}

/** Returns the same for a page that is loaded, whose tab may sit at a table. */
export function joinedAtOnce(address) {
  const last = storedTable();
  return last && (!address.table || address.table === last.table) ? last : joinedBy(address);
}

/** Remembers a table that is open now; a name that the person has given it stays. */
export function rememberTable({ table, type, title, name, isPlayer }) {
  const others = readTables();
  const given = others.find((one) => one.table === table)?.given ?? '';
  write([...others.filter((one) => one.table !== table), { table, type, title, given, name, isPlayer, hasLeft: false, at: Date.now() }]);
}

/** Changes what is kept of a table, if it is. */
export function changeTable(table, changes) {
  write(readTables().map((one) => (one.table === table ? { ...one, ...changes } : one)));
}

/** Gives a table a name; an empty one takes it away. */
export const nameTable = (table, given) => changeTable(table, { given: [...given.trim()].slice(0, NAME_CHARACTERS_MAX).join('') });

export const forgetTable = (table) => write(readTables().filter((one) => one.table !== table));

/** Puts an entry back. */
export const restoreTable = (entry) => write([...readTables().filter(({ table }) => table !== entry.table), entry]);
