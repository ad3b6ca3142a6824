/**
 * The contents of a table as one viewer sees it, and the changes that diffs make (D1–D13). While a prediction is shown, every
 * change is recorded with its inverse, so that it can be rolled back without a copy of the state.
 */

import {
  COLLECTIONS_MAX, ITEMS_PER_TABLE_MAX, OPENED_HANDLES_MAX, POSITIONS_MAX, POSITIONS_REVISIONS_MAX, PROVISIONAL,
  PROVISIONAL_HANDLES, SEATS_MAX, VARIABLES_MAX,
} from './limits.js';
import { Position } from './positions.js';

/** A diff or a snapshot that does not fit the state: the client requests a snapshot instead of guessing (D1). */
export class Mismatch extends Error {
  constructor(detail) {
    super(detail);
    this.name = 'Mismatch';
  }
}

/** An item with its face. It never changes: a new face makes a new `Item`. */
export class Item {
  constructor({
    id, key = String(id), hidden = false, pinned = false, faceUp = !hidden, opens = 0, aliasOf = 0, attributes,
    representations,
  }) {
    /** The id: the daemon's, or a provisional one until the operation that makes the item is answered (O10). */
    this.id = id;
    /** A text that stays the same when the provisional id becomes the daemon's: the key of a list in a user interface. */
    this.key = key;
    /** Whether this viewer may not see the face. */
    this.hidden = hidden;
    this.pinned = pinned;
    /** Whether the item was face up before the rule of its collection, where that leaves it open. */
    this.faceUp = faceUp;
    /** The handle of the collection that the item opens; 0 for most items (Q1). */
    this.opens = opens;
    /** The id of the item that this one is an alias of, whose face it has; 0 for an item of its own (Y1). */
    this.aliasOf = aliasOf;
    /** The attributes by name: numbers, BigInts where a number cannot hold them, and texts. */
    this.attributes = attributes ?? new Map();
    /** The representations, most preferred first. */
    this.representations = representations ?? [];
    Object.freeze(this);
  }

  /** Returns an attribute; `undefined` if the item has none of that name. */
  get(name) {
    return this.attributes.get(name);
  }

  /** Returns the item with other properties. */
  with(properties) {
    return new Item({ ...this, ...properties });
  }
}

/** Returns attributes of the wire by name. Those without a value are left out. */
export function attributeMap(attributes) {
  const map = new Map();
  for (const { name, number, text } of attributes) if ((number ?? text) !== undefined) map.set(name, number ?? text);
  return map;
}

/** Merges attributes of the wire by name: one without a value deletes (O7). */
export function mergeAttributes(map, attributes) {
  const merged = new Map(map);
  for (const { name, number, text } of attributes) {
    merged.delete(name);
    if ((number ?? text) !== undefined) merged.set(name, number ?? text);
  }
  return merged;
}

/** Returns a new collection; `item` opens it, or is 0. */
function emptyCollection(values) {
  const collection = { items: [], hiddenCount: 0, enabled: true, item: 0, ...values };
  collection.boundary = new Position(collection);
  return collection;
}

export class TableState {
  constructor() {
    this.epoch = 0;
    this.revision = 0;
    this.status = '';
    this.variables = new Map();
    this.seats = [];
    /** In the order of their handles: `{ handle, id, items, hiddenCount, enabled, item, boundary }` (see `positions.js`). */
    this.collections = [];
    this.byHandle = new Map();
    /** The number of collections that the table type has; the others are opened by items. */
    this.ownCount = 0;
    /** The kind of the collections that the items of a collection open, by the name or the kind of that. */
    this.openings = new Map();
    /** The handles of collections by name. */
    this.handles = new Map();
    this.items = new Map();
    /** The aliases of the items that have some, as sets of ids. */
    this.aliases = new Map();
    this.aliasCount = 0;
    /** The last position of each item: the one where it stands or, if it is not on the table, the one that it has left. */
    this.positions = new Map();
    /** The vacant positions, in the order in which they were vacated. */
    this.vacant = [];
    /** The session whose operation is carried out, and the revision that it leads to, or would lead to. */
    this.author = 0;
    this.upcoming = 0;
    /** The keys of items that this client made, by their ids. */
    this.keys = new Map();
    this.log = null;
    this.touched = { items: new Set(), collections: new Set() };
  }

  /** The seats that take part in turns and in what every seat has to fulfil: those that are not absent, or all if all are (J22). */
  get activeSeats() {
    const active = this.seats.filter(({ absent }) => !absent);
    return active.length ? active : this.seats;
  }

  collection(handle) {
    return this.byHandle.get(handle);
  }

  /** Returns a collection that a message names. */
  known(handle) {
    const collection = this.byHandle.get(handle);
    if (!collection) throw new Mismatch(`collection ${handle} is not there`);
    return collection;
  }

  addCollection(id, enabled, hiddenCount = 0) {
    const handle = this.collections.length + 1;
    const collection = emptyCollection({ handle, id, hiddenCount, enabled });
    this.collections.push(collection);
    this.byHandle.set(handle, collection);
    this.handles.set(id, handle);
    this.ownCount = handle;
    return handle;
  }

  /** Opens the collection of an item that is put into another one (Q1). While predicting its handle is one of this client's (Q8). */
  open(handle, item, parent) {
    const isGiven = handle > this.ownCount && handle <= this.ownCount + OPENED_HANDLES_MAX;
    const isNew = (isGiven || (this.log && handle >= PROVISIONAL_HANDLES)) && !this.byHandle.has(handle);
    if (!isNew) throw new Mismatch(`item ${item} cannot open collection ${handle}`);
    const kind = this.openings.get(parent.id) ?? this.openings.get(parent.id.split('/')[0]) ?? '';
    const collection = emptyCollection({ handle, id: `${kind}/${handle}`, kind, item });
    let index = this.collections.length;
    while (this.collections[index - 1].handle > handle) index -= 1;
    this.collections.splice(index, 0, collection);
    this.byHandle.set(handle, collection);
    this.handles.set(collection.id, handle);
    this.touch([], collection);
    this.log?.push(() => {
      this.collections.splice(this.collections.indexOf(collection), 1);
      this.byHandle.delete(handle);
      this.handles.delete(collection.id);
      this.touch([], collection);
    });
  }

  /** Forgets the collection of an item that left the table. */
  close(handle) {
    const collection = this.known(handle);
    if (collection.items.length > 0) throw new Mismatch(`collection ${handle} is gone and has items`);
    const index = this.collections.indexOf(collection);
    this.collections.splice(index, 1);
    this.byHandle.delete(handle);
    this.handles.delete(collection.id);
    this.touch([], collection);
    this.log?.push(() => {
      this.collections.splice(index, 0, collection);
      this.byHandle.set(handle, collection);
      this.handles.set(collection.id, handle);
      this.touch([], collection);
    });
  }

  /** The number of items in a collection, those included that this viewer does not receive (S11). */
  count(handle) {
    const collection = this.collection(handle);
    return collection ? collection.items.length + collection.hiddenCount : 0;
  }

  /** Returns the collection of an item; `undefined` if it is not on the table. */
  placeOf(id) {
    const position = this.positions.get(id);
    return position?.isVacant === false ? position.collection : undefined;
  }

  /** Returns the aliases of an item, ascending by id. */
  aliasesOf(id) {
    return [...(this.aliases.get(id) ?? [])].sort((left, right) => left - right);
  }

  /** Returns the item that an alias stands for; of any other item, itself. */
  originalOf(id) {
    const { aliasOf } = this.items.get(id);
    return this.items.has(aliasOf) ? aliasOf : id;
  }

  /** Sets, replaces or forgets an item, with the index of aliases. */
  #store(id, item) {
    const old = this.items.get(id);
    if (old?.aliasOf) {
      const aliases = this.aliases.get(old.aliasOf);
      aliases.delete(id);
      if (aliases.size === 0) this.aliases.delete(old.aliasOf);
      this.aliasCount -= 1;
    }
    if (item?.aliasOf) {
      if (!this.aliases.has(item.aliasOf)) this.aliases.set(item.aliasOf, new Set());
      this.aliases.get(item.aliasOf).add(id);
      this.aliasCount += 1;
    }
    if (item) this.items.set(id, item);
    else this.items.delete(id);
  }

  /** Adds an item of a message. */
  add(item) {
    this.#store(item.id, item);
  }

  // ---- Positions

  /** Returns the position of an item in a collection, the boundary for 0; `undefined` if the item is not there. */
  position(id, collection) {
    const position = id ? this.positions.get(id) : collection.boundary;
    return position?.isVacant === false && position.collection === collection ? position : undefined;
  }

  /** The positions that an item has and had, the last one first, as far as they are not forgotten. */
  *history(id) {
    for (let position = this.positions.get(id); position?.next; position = position.former) yield position;
  }

  /** Returns the position that an item had at a revision in a collection; `undefined` if it was not there. */
  positionAt(id, revision, collection) {
    for (const position of this.history(id)) {
      if (position.placed > revision) continue;
      return position.collection === collection && !(position.vacated <= revision) ? position : undefined;
    }
    return undefined;
  }

  /** Returns the last of an item's vacant positions that is directly in front of an occupied one, or of vacant ones there. */
  #vacancy(id, anchor, isSought) {
    const isOne = (position) => position.isVacant && position.occupied() === anchor && isSought(position);
    return [...this.history(id)].find(isOne);
  }

  /** Forgets the positions that no operation can name any more (N6). */
  #forget() {
    const isOld = ({ vacated }) => vacated <= this.revision - POSITIONS_REVISIONS_MAX;
    while (this.vacant.length > POSITIONS_MAX || (this.vacant.length > 0 && isOld(this.vacant[0]))) {
      const position = this.vacant.shift();
      if (this.positions.get(position.item) === position) this.positions.delete(position.item);
      position.remove();
    }
  }

  // ---- Prediction

  /** Begins to record the changes of an operation of a session's. */
  beginPrediction(session) {
    if (!this.log) [this.log, this.upcoming] = [[], this.revision];
    this.upcoming += 1;
    this.author = session;
  }

  /** The number of changes recorded, for `rollBack`. */
  get mark() {
    return this.log?.length ?? 0;
  }

  /** Takes back the changes since a mark; without one, all, and ends the prediction. */
  rollBack(mark) {
    const log = this.log;
    if (!log) return;
    this.log = null;
    while (log.length > (mark ?? 0)) log.pop()();
    if (mark !== undefined) this.log = log;
  }

  /** Lets a function predict something of a session's operation, and takes that back; returns what it returns. */
  tries(session, predict) {
    const { log, upcoming, author, mark } = this;
    this.beginPrediction(session);
    try {
      return predict();
    } finally {
      this.rollBack(log ? mark : undefined);
      Object.assign(this, { upcoming, author });
    }
  }

  // ---- Touched items and collections

  touch(ids, collection) {
    for (const id of ids) this.touched.items.add(id);
    if (collection) this.touched.collections.add(collection.id);
  }

  /** Returns at least the items and the collections that have changed since the last call. */
  takeTouched() {
    const { touched } = this;
    this.touched = { items: new Set(), collections: new Set() };
    return touched;
  }

  // ---- Changes, each with its inverse

  take(id) {
    const collection = this.placeOf(id);
    if (!collection) throw new Mismatch(`item ${id} is not there`);
    const { items } = collection;
    const index = items.indexOf(id);
    items.splice(index, 1);
    const position = this.positions.get(id);
    [position.vacated, position.takenBy] = [this.upcoming, this.author];
    this.vacant.push(position);
    this.touch([id], collection);
    this.log?.push(() => {
      this.touch([id], collection);
      items.splice(index, 0, id);
      [position.vacated, position.takenBy] = [];
      this.vacant.pop();
    });
  }

  /**
   * Puts items that are in no collection into one, as one block.
   *
   * @param before the item that the block is put before, 0 for the end, or the position
   * @param left the position behind which the item returns, with which its new one counts as one (N5)
   */
  put(ids, collection, before, left) {
    const { items } = collection;
    const place = before instanceof Position ? before : this.position(before, collection);
    if (!place) throw new Mismatch(`the anchor ${before} is not there`);
    const anchor = place.occupied();
    const index = anchor.item ? items.indexOf(anchor.item) : items.length;
    items.splice(index, 0, ...ids);
    const made = this.#makePositions(ids, collection, place, left);
    this.touch(ids, collection);
    this.log?.push(() => {
      this.touch(ids, collection);
      items.splice(index, ids.length);
      for (const position of made) {
        if (position.former) this.positions.set(position.item, position.former);
        else this.positions.delete(position.item);
        position.remove();
      }
    });
  }

  /** N1, N4: makes the positions of a block, of the run beside it that is the author's, or else of a new one. */
  #makePositions(ids, collection, place, left) {
    const session = left ? left.session : this.author;
    const joined = left ?? [place.previous, place].find((position) => position.session === session && position.run);
    const run = session ? (joined?.run ?? this.upcoming) : 0;
    return ids.map((item) => {
      const former = this.positions.get(item);
      const position = new Position(collection, item, { session, placed: this.upcoming, run, former });
      position.insert(place);
      this.positions.set(item, position);
      if (left) left.successor = position;
      return position;
    });
  }

  /** Sets or replaces an item; `undefined` forgets it. */
  setItem(id, item) {
    const old = this.items.get(id);
    this.#store(id, item);
    this.touch([id]);
    this.log?.push(() => {
      this.touch([id]);
      this.#store(id, old);
    });
  }

  setVariable(name, value) {
    const old = this.variables.get(name);
    const set = (content) => void (content === undefined ? this.variables.delete(name) : this.variables.set(name, content));
    set(value);
    this.log?.push(() => set(old));
  }

  /** Sets a property of the table, or of a collection. */
  set(target, property, value) {
    const old = target[property];
    target[property] = value;
    if (target !== this) this.touch([], target);
    this.log?.push(() => {
      target[property] = old;
    });
  }

  // ---- Messages

  /** Makes an item of a message. */
  make(wire) {
    if (wire.id < 1 || wire.id >= PROVISIONAL) throw new Mismatch(`${wire.id} is no item's id`);
    return new Item({
      id: wire.id,
      key: this.keys.get(wire.id),
      hidden: wire.hidden,
      pinned: wire.pinned,
      opens: wire.opens,
      aliasOf: wire.aliasOf,
      attributes: wire.hidden ? undefined : attributeMap(wire.attributes),
      representations: wire.hidden ? undefined : wire.representations,
    });
  }

  /**
   * Applies a diff.
   *
   * @throws {Mismatch} if it does not follow the state or does not fit. A part of it may have been applied then.
   */
  apply(diff) {
    if (diff.revision !== this.revision + 1) {
      throw new Mismatch(`diff ${diff.revision} does not follow revision ${this.revision}`);
    }
    [this.author, this.upcoming] = [diff.author, diff.revision];
    // What an undo puts back stands behind the position that it had left (N5).
    const isReturn = diff.operation === 0 && diff.author !== 0;
    for (const change of diff.changes) this.#change(change, isReturn);
    this.revision = diff.revision;
    this.#forget();
  }

  #change({ moved, inserted, removed, faced, status, enabled, counted, variables, seats }, isReturn) {
    if (moved) this.#place(moved, moved.items, isReturn, () => moved.items.forEach((id) => this.take(id)));
    else if (inserted) this.#insert(inserted, isReturn);
    else if (removed) this.#remove(removed.items);
    else if (faced) this.#face(faced.items);
    else if (status) this.status = status.status;
    else if (enabled) this.set(this.known(enabled.collection), 'enabled', enabled.enabled);
    else if (counted) this.#count(counted);
    else if (variables) this.#setVariables(variables.set);
    else if (seats) this.seats = checkedSeats(seats.seats);
  }

  #place({ destination }, ids, isReturn, takeOut) {
    if (!destination) throw new Mismatch('a change without a destination');
    const { before, gone, goneRevision } = destination;
    const collection = this.known(destination.collection);
    takeOut();
    const anchor = this.position(before, collection);
    const wasLeft = ({ successor, takenBy, vacated }) => !successor && takenBy === this.author && vacated < this.upcoming;
    const left = isReturn && anchor ? ids.map((id) => this.#vacancy(id, anchor, wasLeft)) : [undefined];
    const isReturning = left.every((one, k) => one && (k === 0 || left[k - 1].isInFrontOf(one)));
    if (isReturning) return left.forEach((one) => this.put([one.item], collection, one.next, one));
    const isNamed = ({ vacated }) => vacated === goneRevision;
    return this.put(ids, collection, (gone && anchor && this.#vacancy(gone, anchor, isNamed)) || before);
  }

  #insert(inserted, isReturn) {
    const ids = inserted.items.map(({ id }) => id);
    if (new Set(ids).size < ids.length || ids.some((id) => this.items.has(id))) {
      throw new Mismatch('an item that is inserted is there already');
    }
    if (this.items.size + ids.length > ITEMS_PER_TABLE_MAX) throw new Mismatch('more items than a table may have');
    const made = inserted.items.map((item) => this.make(item));
    this.#place(inserted, ids, isReturn, () => {});
    for (const item of made) {
      this.add(item);
      if (item.opens) this.open(item.opens, item.id, this.placeOf(item.id));
    }
  }

  #remove(ids) {
    const opened = ids.map((id) => this.items.get(id)?.opens).filter(Boolean);
    for (const id of ids) {
      this.take(id);
      this.#store(id, undefined);
      this.keys.delete(id);
    }
    for (const handle of opened) this.close(handle);
  }

  #face(items) {
    for (const item of items) {
      if (!this.items.has(item.id)) throw new Mismatch(`a face for item ${item.id}, which is not there`);
      // What an item is an alias of never changes.
      this.add(this.make({ ...item, aliasOf: this.items.get(item.id).aliasOf }));
      this.touch([item.id], this.placeOf(item.id));
    }
  }

  #count({ collection: handle, count }) {
    const collection = this.known(handle);
    if (collection.items.length > 0) throw new Mismatch(`a count of collection ${handle}, whose items are received`);
    this.set(collection, 'hiddenCount', count);
  }

  #setVariables(variables) {
    this.variables = mergeAttributes(this.variables, variables);
    if (this.variables.size > VARIABLES_MAX) throw new Mismatch('too many variables');
  }
}

/** Returns the seats of a message, ascending. */
export function checkedSeats(seats) {
  if (seats.length > SEATS_MAX) throw new Mismatch('too many seats');
  return [...seats].sort((left, right) => left.seat - right.seat);
}

/**
 * Returns the kind of the collections that items open, by the name of the collection that they are in or by its kind, as a table
 * type's document says. Of a document that says nothing of the kind nothing is known.
 *
 * @param {Map<string, number | string>} options the value of each option
 */
export function openings(document, options = new Map()) {
  const kinds = new Map();
  let type;
  try {
    type = JSON.parse(document);
  } catch {
    return kinds; // The daemon alone decides by a document that cannot be read (C7).
  }
  for (const entry of [type?.collections, type?.opened].flat()) {
    const opened = entry?.opens?.kind ?? entry?.opens;
    if (typeof opened !== 'string' || !isIncluded(entry.if, options)) continue;
    for (const name of [entry.ids ?? entry.kind].flat()) kinds.set(name, opened);
  }
  return kinds;
}

/** Returns whether the options include what has this `if`; there may be none. */
export function isIncluded(guard, options) {
  if (typeof guard !== 'object' || guard === null) return true;
  const isEqual = String(options.get(guard.option)) === String(guard.is ?? guard.isNot);
  return isEqual === (guard.is !== undefined);
}

/** Builds a state from the parts of a snapshot (S1, S2, S11). */
export class StateLoader {
  constructor(first, keys = new Map(), openings = new Map()) {
    this.state = new TableState();
    Object.assign(this.state, { keys, openings });
    const own = first.collections.filter(({ item }) => !item);
    this.counts = new Map(own.map(({ handle, count }) => [handle, count]));
    const { state } = this;
    [state.epoch, state.revision, state.status] = [first.epoch, first.revision, first.status];
    state.variables = attributeMap(first.variables);
    state.seats = checkedSeats(first.seats);
    if (own.length > COLLECTIONS_MAX) throw new Mismatch('too many collections');
    own.forEach(({ handle, id, enabled }, index) => {
      if (handle !== index + 1) throw new Mismatch('the collections of a snapshot are not in the order of their handles');
      if (state.handles.has(id)) throw new Mismatch('a snapshot names a collection twice');
      state.addCollection(id, enabled);
    });
  }

  add(part) {
    const { state } = this;
    if (part.epoch !== state.epoch || part.revision !== state.revision) {
      throw new Mismatch('the parts of a snapshot are of different states');
    }
    if (state.items.size + part.items.length > ITEMS_PER_TABLE_MAX) throw new Mismatch('more items than a table may have');
    for (const wire of part.items) {
      const collection = state.known(wire.collection);
      if (state.items.has(wire.id)) throw new Mismatch(`item ${wire.id} is in a snapshot twice`);
      state.add(state.make(wire));
      collection.items.push(wire.id);
      const position = new Position(collection, wire.id);
      position.insert(collection.boundary);
      state.positions.set(wire.id, position);
      if (wire.opens) state.open(wire.opens, wire.id, collection);
    }
    // The items come first: they open some of the collections (S2).
    for (const { handle, id, count, enabled, item } of part.collections ?? []) {
      if (!item) continue;
      const collection = state.known(handle);
      if (collection.item !== item) throw new Mismatch(`collection ${handle} is opened by another item`);
      state.handles.delete(collection.id);
      if (state.handles.has(id)) throw new Mismatch('a snapshot names a collection twice');
      Object.assign(collection, { id, enabled });
      state.handles.set(id, handle);
      this.counts.set(handle, count);
    }
  }

  /** Returns the complete state. */
  finish() {
    for (const collection of this.state.collections) {
      const missing = this.counts.get(collection.handle) - collection.items.length;
      if (!(missing >= 0) || (missing > 0 && collection.items.length > 0)) {
        throw new Mismatch(`collection ${collection.handle} has another number of items than its snapshot says`);
      }
      collection.hiddenCount = missing;
    }
    for (const id of [...this.state.keys.keys()]) if (!this.state.items.has(id)) this.state.keys.delete(id);
    return this.state;
  }
}
