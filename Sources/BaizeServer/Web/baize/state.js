/**
 * The contents of a table as one viewer sees it, and the changes that diffs make (D1–D13). While a prediction is shown, every
 * change is recorded with its inverse, so that it can be rolled back without a copy of the state.
 */

import {
  COLLECTIONS_MAX, ITEMS_PER_TABLE_MAX, OPENED_HANDLES_MAX, PROVISIONAL, PROVISIONAL_HANDLES, SEATS_MAX, VARIABLES_MAX,
} from './limits.js';

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

export class TableState {
  constructor() {
    this.epoch = 0;
    this.revision = 0;
    this.status = '';
    this.variables = new Map();
    this.seats = [];
    /** In the order of their handles: `{ handle, id, items, hiddenCount, enabled, item }`; `item` opens it, or is 0. */
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
    /** The collection of each item. */
    this.places = new Map();
    /** The keys of items that this client made, by their ids. */
    this.keys = new Map();
    this.log = null;
    /** The items that the prediction has moved or made. */
    this.predicted = new Set();
    this.touched = { items: new Set(), collections: new Set() };
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
    const collection = { handle, id, items: [], hiddenCount, enabled, item: 0 };
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
    const collection = { handle, id: `${kind}/${handle}`, kind, items: [], hiddenCount: 0, enabled: true, item };
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
    return this.places.get(id);
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

  // ---- Prediction

  /** Begins to record changes. */
  beginPrediction() {
    this.log ??= [];
  }

  /** The number of changes recorded, for `rollBack`. */
  get mark() {
    return this.log?.length ?? 0;
  }

  /** Takes back the changes since a mark; all of them end the prediction. */
  rollBack(mark = 0) {
    const log = this.log;
    if (!log) return;
    this.log = null;
    while (log.length > mark) log.pop()();
    if (mark > 0) this.log = log;
    else this.predicted.clear();
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
    const collection = this.places.get(id);
    if (!collection) throw new Mismatch(`item ${id} is not there`);
    const { items } = collection;
    const index = items.indexOf(id);
    items.splice(index, 1);
    this.places.delete(id);
    this.touch([id], collection);
    this.log?.push(() => {
      this.touch([id], collection);
      items.splice(index, 0, id);
      this.places.set(id, collection);
    });
  }

  /** Puts items that are in no collection into one, as one block before the anchor; 0 is the end. */
  put(ids, collection, before) {
    const { items } = collection;
    const index = before ? items.indexOf(before) : items.length;
    if (index < 0) throw new Mismatch(`the anchor ${before} is not there`);
    items.splice(index, 0, ...ids);
    for (const id of ids) this.places.set(id, collection);
    this.touch(ids, collection);
    if (this.log) for (const id of ids) this.predicted.add(id);
    this.log?.push(() => {
      this.touch(ids, collection);
      items.splice(index, ids.length);
      for (const id of ids) this.places.delete(id);
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
    for (const change of diff.changes) this.#change(change);
    this.revision = diff.revision;
  }

  #change({ moved, inserted, removed, faced, status, enabled, counted, variables, seats }) {
    if (moved) this.#place(moved, moved.items, () => moved.items.forEach((id) => this.take(id)));
    else if (inserted) this.#insert(inserted);
    else if (removed) this.#remove(removed.items);
    else if (faced) this.#face(faced.items);
    else if (status) this.status = status.status;
    else if (enabled) this.set(this.known(enabled.collection), 'enabled', enabled.enabled);
    else if (counted) this.#count(counted);
    else if (variables) this.#setVariables(variables.set);
    else if (seats) this.seats = checkedSeats(seats.seats);
  }

  #place({ destination }, ids, takeOut) {
    if (!destination) throw new Mismatch('a change without a destination');
    const collection = this.known(destination.collection);
    takeOut();
    this.put(ids, collection, destination.before);
  }

  #insert(inserted) {
    const ids = inserted.items.map(({ id }) => id);
    if (new Set(ids).size < ids.length || ids.some((id) => this.items.has(id))) {
      throw new Mismatch('an item that is inserted is there already');
    }
    if (this.items.size + ids.length > ITEMS_PER_TABLE_MAX) throw new Mismatch('more items than a table may have');
    const made = inserted.items.map((item) => this.make(item));
    this.#place(inserted, ids, () => {});
    for (const item of made) {
      this.add(item);
      if (item.opens) this.open(item.opens, item.id, this.places.get(item.id));
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
      this.touch([item.id], this.places.get(item.id));
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
      state.places.set(wire.id, collection);
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
