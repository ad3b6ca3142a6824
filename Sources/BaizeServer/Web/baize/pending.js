/** An operation of this client without a final answer (client.md, "What a client keeps"), and the gaps that operations name. */

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
  constructor(kind, body, { seq, baseRevision, epoch, unanswered }) {
    Object.assign(this, { kind, body, seq, baseRevision, epoch, unanswered });
    /** The gap as it is carried through the diffs of others, while the message stays as it was sent (C2, C4). */
    this.gap = undefined;
    this.resetGap();
    /** The reason of the `RETRY` that it got (A5). */
    this.retry = '';
    /** Whether a snapshot contains its effect, so that only the answer is outstanding (S4). */
    this.inState = false;
    this.prediction = { outcome: 'unknown' };
    /** The keys of the items that it makes, in their order. */
    this.keys = [];
    /** Resolves the app's promise; `undefined` for an operation that a store has brought back. */
    this.submission = undefined;
  }

  /**
   * Begins to carry the gap of the message: `{ collection, container, before, then, behind, isTaken, isDisplaced }`. `container`
   * is the item that opens the collection, if the message names that, and `behind` is what stood
   * in front of it, 0 for nothing and `undefined` for not given; `isTaken` is whether others took out the item that it is
   * before, and `isDisplaced` whether an own operation did not put that where it was to be.
   */
  resetGap() {
    const { destination } = this.body;
    if (!destination) return;
    const { collection, container, before, then, after, start } = destination;
    this.gap = { collection, container, before, then, behind: start ? 0 : after, isTaken: false, isDisplaced: false };
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

  /** The items that are elsewhere than their author sees them, or not there, if the operation is refused (R15–R23). */
  get placed() {
    const { kind, body, seq } = this;
    const moved = kind === 'reorder' && !this.isCopy ? body.sources : [];
    const named = kind === 'remove' || kind === 'perform' ? body.items : moved;
    return [...named, ...Array.from({ length: this.madeCount }, (_, k) => provisional(seq, k))];
  }

  /** Returns whether the operation is predicted not to put an item where its author said. */
  misplaces(id) {
    const { outcome, isRedirected, accepted } = this.prediction;
    if (outcome === 'refused' || isRedirected) return true;
    const index = this.placed.indexOf(id);
    return outcome === 'shown' && accepted !== undefined && index >= accepted;
  }

  keyOf(k) {
    while (this.keys.length <= k) this.keys.push(newKey());
    return this.keys[k];
  }

  get message() {
    const { kind, body, seq, baseRevision, epoch, unanswered } = this;
    return { seq, baseRevision, epoch, unanswered, [kind]: body };
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

  /** Replaces ids, in the message and in the gap. */
  rename(name) {
    const { body, kind } = this;
    if (kind === 'reorder') body.sources = body.sources.map(name);
    if (kind === 'remove' || kind === 'perform') body.items = body.items.map(name);
    if (kind === 'update') body.item = name(body.item);
    for (const gap of [body.destination, this.gap]) {
      for (const end of ['before', 'then', 'after', 'behind', 'container']) if (gap?.[end]) gap[end] = name(gap[end]);
    }
  }
}
