/**
 * What a client has seen last of a table, as the messages with which a daemon would tell it: a welcome, without its secrets, and a
 * snapshot in parts. A client that cannot reach the daemon begins with them (`ClientMachine.showSeen`).
 */

import { decode, encode } from './codec.js';
import { ServerMessage } from './schema.js';
import { Mismatch, openings, StateLoader } from './state.js';

/** The number of items of a part: what is encoded at once. */
const ITEMS_PER_PART = 200;

/**
 * Returns an iterator of the messages. What they say is the confirmed state at this time, without the pending operations, whatever
 * happens before the last of them is taken. It takes time in proportion to the items, little for each, and each message as much for its
 * own.
 */
export function seenMessages(machine) {
  const { welcome, replica } = machine;
  const { session, person, tableType, options } = welcome;
  replica.hide();
  const { state, epoch, confirmedRevision: revision } = replica;
  const numbers = { epoch, revision, lastSeq: judgedSeq(replica) };
  const items = itemsOf(state);
  const first = {
    ...numbers, status: state.status, variables: attributesOf(state.variables), seats: state.seats,
    collections: state.collections.filter(({ item }) => !item).map(collectionOf),
  };
  const opened = state.collections.filter(({ item }) => item).map(collectionOf);
  replica.show();
  return encoded({ session, person, tableType, options }, first, items, opened);
}

function* encoded(welcome, first, items, opened) {
  yield encode(ServerMessage, { welcome });
  const { epoch, revision, lastSeq } = first;
  for (let at = 0; at === 0 || at < items.length; at += ITEMS_PER_PART) {
    const isLast = at + ITEMS_PER_PART >= items.length;
    const part = at === 0 ? { ...first, first: true } : { epoch, revision, lastSeq };
    const snapshot = { ...part, items: items.slice(at, at + ITEMS_PER_PART).map(itemOf), complete: isLast };
    if (isLast) snapshot.collections = [...(snapshot.collections ?? []), ...opened];
    yield encode(ServerMessage, { snapshot });
  }
}

/** The last operation of the session that is in the confirmed state, with all before it. */
function judgedSeq({ pending, nextSeq }) {
  const waiting = pending.find(({ inState }) => !inState);
  return (waiting?.seq ?? nextSeq) - 1;
}

/** Returns the items with the handles of their collections: what opens a collection is before what is in it (S2). */
function itemsOf(state) {
  const items = [];
  const collections = state.collections.filter(({ item }) => !item);
  for (const collection of collections) {
    for (const id of collection.items) {
      const item = state.items.get(id);
      items.push([item, collection.handle]);
      if (item.opens) collections.push(state.collection(item.opens));
    }
  }
  return items;
}

const collectionOf = ({ handle, id, items, hiddenCount, enabled, item }) => ({ handle, id, count: items.length + hiddenCount, enabled, item });

const itemOf = ([{ id, hidden, pinned, aliasOf, opens, attributes, representations }, collection]) =>
  ({ id, collection, hidden, pinned, aliasOf, opens, attributes: attributesOf(attributes), representations });

const attributesOf = (map) => [...map].map(([name, value]) => ({ name, [typeof value === 'string' ? 'text' : 'number']: value }));

/**
 * Returns `{ welcome, load }` of such messages: `load(options)` returns the state and the last operation in it, given the options of the
 * type by name.
 *
 * @throws {DecodeError | Mismatch} if they are none
 */
export function readSeen(messages) {
  const [{ welcome }, ...parts] = messages.map((bytes) => decode(ServerMessage, bytes));
  if (!welcome || !parts[0]?.snapshot?.first) throw new Mismatch('no welcome and snapshot');
  const load = (options) => {
    const loader = new StateLoader(parts[0].snapshot, undefined, openings(welcome.tableType, options));
    for (const { snapshot } of parts) loader.add(snapshot);
    if (!parts.at(-1).snapshot.complete) throw new Mismatch('the snapshot is not complete');
    return { state: loader.finish(), lastSeq: parts[0].snapshot.lastSeq };
  };
  return { welcome, load };
}
