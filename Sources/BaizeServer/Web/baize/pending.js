/** An operation of this client without a final answer (client.md, "What a client keeps"). */

import { encode, decode } from './codec.js';
import { keepsSources } from './drop.js';
import { PROVISIONAL, PROVISIONAL_HANDLES, PROVISIONAL_NUMBERS_MAX } from './limits.js';
import { Operation } from './schema.js';

const COPY = 1;
const ALIAS = 4;

/** Returns the provisional id of the k-th item that an operation makes (O10). */
export const provisional = (seq, k) => PROVISIONAL + seq * PROVISIONAL_NUMBERS_MAX + k;

/** Returns the number of the operation that was to make the item with a provisional id. */
export const makerOf = (id) => Math.floor((id - PROVISIONAL) / PROVISIONAL_NUMBERS_MAX);

/** Returns the handle of the collection that an item with a provisional id opens (Q8). */
export const provisionalHandle = (id) => PROVISIONAL_HANDLES + (id % PROVISIONAL_HANDLES);

let keys = 0;

/** Returns a key for an item that is made here: no id is such a text. */
const newKey = () => `new-${(keys += 1)}`;

export class PendingOperation {
  /**
   * @param {string} kind the member of the operation's `oneof`
   * @param {object} body the message of that member
   */
  constructor(kind, body, { seq, baseRevision, epoch, unanswered, madeAs, baseLost }) {
    Object.assign(this, { kind, body, seq, baseRevision, epoch, unanswered });
    /** The seat under which it was made, if the author has lost that since. */
    this.madeAs = madeAs;
    /** Whether it is expressed on a state in which others may have changed what it is about. */
    this.baseLost = baseLost;
    /** Whether it will be, if it is expressed anew. */
    this.mayBeLost = false;
    /** The reason of the `RETRY` that it got, or why it was not sent (A5). */
    this.retry = '';
    /** Whether a snapshot contains its effect, so that only the answer is outstanding (S4). */
    this.inState = false;
    this.prediction = { outcome: 'unknown' };
    /** What is shown of a drop (see `Replica.outcomeOf`). */
    this.shown = undefined;
    /** The keys of the items that it makes, in their order. */
    this.keys = [];
    /** Resolves the app's promise; `undefined` for an operation that a store has brought back. */
    this.submission = undefined;
  }

  /** The gap that it is to put items into; `undefined` for an operation that is no drop. */
  get destination() {
    return this.kind === 'reorder' || this.kind === 'insert' ? this.body.destination : undefined;
  }

  /** The items that it is to put there, as it names them. */
  get sources() {
    return this.kind === 'reorder' ? this.body.sources : [];
  }

  /** Whether the operation leaves its sources where they are, as far as that is known. */
  get isCopy() {
    if (this.kind !== 'reorder') return false;
    const { suggested } = this.body;
    return suggested === COPY || suggested === ALIAS || keepsSources(this.prediction.operation);
  }

  /** The number of items that the operation may make. */
  get madeCount() {
    if (this.kind === 'insert') return this.body.items.length;
    return this.isCopy ? this.body.sources.length : 0;
  }

  /** Returns whether it moves, makes or removes an item. An undo may be about any. */
  isAbout(item, name) {
    const { kind, body } = this;
    if (kind === 'undo' || (item >= PROVISIONAL && makerOf(item) === this.seq)) return true;
    const items = kind === 'remove' || kind === 'perform' ? body.items : this.sources;
    return items.some((id) => name(id) === item);
  }

  keyOf(k) {
    while (this.keys.length <= k) this.keys.push(newKey());
    return this.keys[k];
  }

  /** The provisional id and the key of the k-th item that it makes. */
  identity(k) {
    return { id: provisional(this.seq, k), key: this.keyOf(k) };
  }

  get message() {
    const { kind, body, seq, baseRevision, epoch, unanswered, madeAs, baseLost } = this;
    return { seq, baseRevision, epoch, unanswered, madeAs, baseLost, [kind]: body };
  }

  encoded() {
    return encode(Operation, this.message);
  }

  /** Returns the operation that was encoded; throws if there is none. */
  static decoding(bytes) {
    const message = decode(Operation, bytes);
    const kind = ['reorder', 'insert', 'remove', 'update', 'perform', 'undo'].find((one) => message[one] !== undefined);
    if (kind === undefined || message.seq === 0) throw new RangeError('no operation');
    return new PendingOperation(kind, message[kind], message);
  }

  /** Replaces ids. */
  rename(name) {
    const { body, kind } = this;
    if (kind === 'reorder') body.sources = body.sources.map(name);
    if (kind === 'remove' || kind === 'perform') body.items = body.items.map(name);
    if (kind === 'update') body.item = name(body.item);
    const { destination } = body;
    const ends = ['before', 'after', 'container'].filter((end) => destination?.[end]);
    for (const end of ends) destination[end] = name(destination[end]);
  }
}
