/**
 * A client's copy of a table: the confirmed state, the pending operations, and the visible state that both give
 * (Protocol/client.md; its sections are named in comments).
 */

import { attributeMap, Item } from './state.js';
import { firstStaying } from './drop.js';
import { PROVISIONAL_NUMBERS_MAX, PROVISIONAL } from './limits.js';
import { PendingOperation, provisional } from './pending.js';
import { contendedItems, prepare } from './plan.js';
import { predict } from './predict.js';

const COPY = 1;
/** The number of provisional ids whose items are remembered: the daemon's own bound on what it remembers. */
const IDS_MAX = 65_536;

export class Replica {
  /**
   * @param state the state of a snapshot
   * @param author `{ session, seat }`
   * @param rules the compiled rules; `undefined` if the document is not understood
   * @param lastSeq the last operation of this session that the state contains
   */
  constructor(state, author, rules, lastSeq) {
    this.state = state;
    this.epoch = state.epoch;
    this.confirmedRevision = state.revision;
    this.session = author.session;
    this.seat = author.seat;
    this.rules = rules;
    this.pending = [];
    this.nextSeq = lastSeq + 1;
    /** The daemon's ids of the items that own operations made, by their provisional ids (D3). */
    this.ids = new Map();
    /** Who placed an item last since the snapshot: `{ session, revision }`. */
    this.placements = new Map();
    /** The ids that have become others since the app was told: the daemon's, by provisional ones. */
    this.renamed = new Map();
  }

  named = (id) => this.ids.get(id) ?? id;

  isOwn(id) {
    return this.placements.get(id)?.session === this.session || this.state.predicted.has(id);
  }

  /** The request of a plan on the visible state. */
  request(values) {
    return prepare({ state: this.state, rules: this.rules, seat: this.seat, session: this.session, ...values });
  }

  // ---- Operations

  /**
   * Applies an operation to the visible state and numbers it for sending.
   *
   * @param sendsRefused whether to number and keep one that the rules refuse here
   * @returns the pending operation; not kept if its `prediction.outcome` is `refused` and `sendsRefused` is not set
   */
  submit(kind, body, sendsRefused = false) {
    const { epoch, pending } = this;
    const numbers = { seq: this.nextSeq, baseRevision: this.confirmedRevision, epoch, unanswered: pending.length };
    const op = new PendingOperation(kind, body, numbers);
    op.rename(this.named);
    if (kind === 'perform' && body.items.length === 0 && this.rules) {
      body.items = contendedItems(this.request(), body.action).filter((id) => id < PROVISIONAL);
    }
    this.complete(op, pending.length > 0);
    this.predict(op);
    if (op.prediction.outcome === 'refused' && !sendsRefused) return op;
    op.retry = pending.find(({ retry }) => retry)?.retry ?? '';
    pending.push(op);
    this.nextSeq += 1;
    return op;
  }

  /** Adds to a destination what only its author knows (O11, O16). */
  complete(op, hasEarlier) {
    const { destination, sources = [] } = op.body;
    const collection = destination && this.state.collection(destination.collection);
    if (!collection || op.kind === 'perform') return;
    const { items, hiddenCount } = collection;
    const leaving = new Set(sources);
    [destination.then, destination.after, destination.start] = [0, undefined, undefined];
    let index = destination.before ? items.indexOf(destination.before) : items.length;
    if (index >= 0 && !leaving.has(destination.before) && hiddenCount === 0) {
      let ahead = index - 1;
      while (ahead >= 0 && leaving.has(items[ahead])) ahead -= 1;
      if (ahead >= 0) destination.after = items[ahead];
      else destination.start = true;
    }
    if (hasEarlier && destination.before && index >= 0) {
      while (index < items.length && (leaving.has(items[index]) || this.state.predicted.has(items[index]))) index += 1;
      destination.then = items[index] ?? 0;
    }
    op.gap = { ...destination };
  }

  // ---- Diffs

  /**
   * Applies a diff below the pending operations.
   *
   * @returns the operation that it answers, if any
   * @throws {Mismatch} if it does not fit; the operation is settled all the same
   */
  receiveDiff(diff) {
    const own = this.answered(diff);
    this.hide();
    try {
      if (diff.author !== this.session) for (const op of this.pending) this.carry(op, diff);
      if (own) diff.minted.forEach((id, k) => id && this.state.keys.set(id, own.keyOf(k)));
      this.state.apply(diff);
      this.confirmedRevision = diff.revision;
      this.notePlacements(diff);
      return own;
    } finally {
      if (own) this.settle(own, diff.minted, diff.redirected);
      this.show();
    }
  }

  /** Takes the answer from a diff without applying it: a snapshot with its effect is on its way (C3). */
  settleDiff(diff) {
    const own = this.answered(diff);
    if (own) this.settle(own, diff.minted, false);
    return own;
  }

  answered({ author, seq }) {
    return author === this.session ? this.pending.find((op) => op.seq === seq) : undefined;
  }

  notePlacements({ author, revision, changes }) {
    for (const { moved, inserted, removed } of changes) {
      const placement = { session: author, revision };
      for (const id of moved?.items ?? []) this.placements.set(id, placement);
      for (const { id } of inserted?.items ?? []) this.placements.set(id, placement);
      for (const id of removed?.items ?? []) this.placements.delete(id);
    }
  }

  // ---- Answers

  /**
   * Applies an outcome.
   *
   * @returns the operation that it answers, if any
   */
  receiveOutcome(outcome, isRetry, isRefused) {
    const op = this.pending.find(({ seq }) => seq === outcome.seq);
    if (!op) return undefined;
    if (isRetry) {
      op.retry = outcome.reason || 'STALE_BASE';
      return op;
    }
    this.hide();
    this.settle(op, outcome.minted, isRefused || outcome.redirected);
    this.show();
    return op;
  }

  /** @param isElsewhere whether the items that it was to place are not where their author put them (R15, R17) */
  settle(op, minted, isElsewhere) {
    this.pending = this.pending.filter((other) => other !== op);
    minted.forEach((id, k) => {
      if (id === 0 || k >= PROVISIONAL_NUMBERS_MAX) return;
      this.ids.set(provisional(op.seq, k), id);
      this.renamed.set(provisional(op.seq, k), id);
    });
    for (const id of this.ids.keys()) {
      if (this.ids.size <= IDS_MAX) break;
      this.ids.delete(id);
    }
    if (isElsewhere) this.useThen(op);
  }

  /** The gaps before what an operation was to place are before its successor instead. */
  useThen(op) {
    const placed = new Set(op.kind === 'reorder' && op.body.suggested !== COPY ? op.body.sources : []);
    for (let k = 0; k < op.madeCount; k++) placed.add(provisional(op.seq, k));
    for (const { gap } of this.pending) {
      if (gap && placed.has(gap.before)) gap.before = gap.then;
      if (gap?.after !== undefined && placed.has(gap.after)) gap.after = undefined;
    }
  }

  // ---- Retry

  /** The reason to send everything again; empty unless each pending operation has one, or is in the state (C6). */
  get retryReason() {
    const waiting = this.pending.filter(({ inState }) => !inState);
    return waiting.length > 0 && waiting.every(({ retry }) => retry) ? waiting[0].retry : '';
  }

  /** Expresses the pending operations on the present state, and returns those to send (A7, C6). */
  express() {
    this.hide();
    this.pending.forEach((op, index) => {
      if (op.inState) return;
      op.rename(this.named);
      Object.assign(op, { baseRevision: this.confirmedRevision, epoch: this.epoch, unanswered: index, retry: '' });
      if (op.gap && op.kind !== 'perform') {
        op.body.destination.before = this.place(op.gap, this.leaving(op));
        this.complete(op, index > 0);
      }
      this.predict(op);
    });
    return this.pending.filter(({ inState }) => !inState);
  }

  // ---- Snapshots

  /** Takes over the pending operations of the session's previous replica. */
  adopt({ pending, epoch, ids, renamed, nextSeq }) {
    const lastSeq = this.nextSeq - 1;
    this.ids = ids;
    this.renamed = renamed;
    this.pending = pending;
    if (epoch === this.epoch) {
      for (const op of pending) op.inState = op.seq <= lastSeq;
      this.nextSeq = Math.max(this.nextSeq, nextSeq);
      this.show();
    } else {
      this.renumber(lastSeq);
    }
  }

  /** Another epoch: operations that were not judged are numbered anew, and expressed on this state (C8). */
  renumber(lastSeq) {
    const numbers = new Map();
    const name = (id) => {
      if (id < PROVISIONAL) return id;
      const k = (id - PROVISIONAL) % PROVISIONAL_NUMBERS_MAX;
      const seq = numbers.get((id - PROVISIONAL - k) / PROVISIONAL_NUMBERS_MAX);
      return seq === undefined ? id : provisional(seq, k);
    };
    for (const op of this.pending) {
      op.retry = '';
      op.inState = op.seq <= lastSeq;
      if (op.inState) continue;
      for (let k = 0; k < op.madeCount; k++) this.renamed.set(provisional(op.seq, k), provisional(this.nextSeq, k));
      numbers.set(op.seq, this.nextSeq);
      op.seq = this.nextSeq;
      this.nextSeq += 1;
      op.rename((id) => name(this.named(id)));
      if (op.kind === 'undo') op.body.seq = numbers.get(op.body.seq) ?? 0;
    }
    this.express();
  }

  // ---- Prediction

  hide() {
    this.state.rollBack();
    this.state.revision = this.confirmedRevision;
  }

  show() {
    this.hide();
    for (const op of this.pending) if (!op.inState) this.predict(op);
  }

  predict(op) {
    op.prediction = predict(this, op);
  }

  /** Returns the items that leave their places before those of an operation land. */
  leaving(op) {
    return new Set(op.kind === 'reorder' && op.body.suggested !== COPY ? op.body.sources.map(this.named) : []);
  }

  /** Returns the item that a gap is before in the visible state, never one that leaves; 0 for the end. */
  place(gap, leaving) {
    const collection = this.state.collection(gap.collection);
    if (!collection) return 0;
    const { items } = collection;
    const [before, then, after] = [gap.before, gap.then, gap.after].map((id) => this.named(id ?? 0));
    const isHere = (id) => this.state.placeOf(id) === collection;
    if ((gap.start || (after && isHere(after) && !leaving.has(after))) && !leaving.has(before)) {
      let index = gap.start ? 0 : items.indexOf(after) + 1;
      while (index < items.length && leaving.has(items[index])) index += 1;
      const next = items[index] ?? 0;
      if (next === before || (!gap.start && this.isOwn(after))) return next; // N1, N2
    }
    if (!before) return 0;
    const anchor = [before, then].find(isHere) ?? 0; // N3
    return firstStaying(this, gap.collection, anchor, leaving);
  }

  /** Carries the gap of a pending operation through a diff of others, on the state before it (R2–R8). */
  carry({ gap }, { changes }) {
    const collection = gap && this.state.collection(gap.collection);
    if (!collection) return;
    for (const { moved, removed } of changes) {
      const gone = new Set((moved ?? removed)?.items);
      for (const end of ['before', 'then']) {
        const item = this.named(gap[end]);
        if (!gone.has(item) || this.state.placeOf(item) !== collection) continue;
        const { items } = collection;
        let index = items.indexOf(item);
        while (index < items.length && gone.has(items[index])) index += 1;
        gap[end] = items[index] ?? 0;
      }
    }
  }

  /** Returns the new items of an insertion under provisional ids. */
  made(op) {
    return op.body.items.map(
      ({ attributes, representations }, k) =>
        new Item({ id: provisional(op.seq, k), key: op.keyOf(k), attributes: attributeMap(attributes), representations }),
    );
  }
}

