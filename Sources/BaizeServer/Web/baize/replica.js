/**
 * A client's copy of a table: the confirmed state, the pending operations, and the visible state that both give
 * (Protocol/client.md; its sections are named in comments).
 */

import { attributeMap, Item } from './state.js';
import { PROVISIONAL_HANDLES, PROVISIONAL_NUMBERS_MAX, PROVISIONAL } from './limits.js';
import { makerOf, PendingOperation, provisional } from './pending.js';
import { contendedItems, prepare } from './plan.js';
import { predict } from './predict.js';
import { agrees, placeOf } from './rebase.js';

/** Why an operation is not sent yet: one behind an undo would name positions that only the answer tells. */
export const BEHIND_UNDO = 'BEHIND_UNDO';
/** The number of provisional ids whose items are remembered: the daemon's own bound on what it remembers. */
const IDS_MAX = 65_536;
/** The number of operations of which is remembered what became of them: more than may be pending at once. */
const OUTCOMES_MAX = 4_096;

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
    /** What became of the drops since the snapshot that pending operations may name, by their numbers. */
    this.outcomes = new Map();
    /** The items renamed since the last event: the daemon's ids, by provisional ones. */
    this.renamed = new Map();
  }

  named = (id) => this.ids.get(id) ?? id;

  /**
   * Returns what became of one of the own drops, or is shown of it: `{ destination, revision, isUnchanged }`, without a revision if
   * it was refused.
   */
  outcomeOf(seq) {
    return this.outcomes.get(seq) ?? this.pending.find((op) => op.seq === seq)?.shown;
  }

  /** Returns the collection of a gap, which may be named by the item that opens it. */
  collectionOf({ container, collection }) {
    return this.state.collection(container ? this.state.items.get(this.named(container))?.opens : collection);
  }

  /** Returns whether others have moved an item since a revision. */
  wasMoved(id, revision) {
    const since = [...this.state.history(id)].filter(({ placed }) => placed > revision);
    return since.some(({ former, session }) => (former?.takenBy ?? session) !== this.session);
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
   * @returns the pending operation. Not kept is one whose `prediction.outcome` is `refused`, if `sendsRefused` is not set, and one
   *   of number 0: a drop that changes nothing that is shown, of items that no pending operation is about (N1).
   */
  submit(kind, body, sendsRefused = false) {
    const { epoch, pending } = this;
    const numbers = { seq: this.nextSeq, baseRevision: this.confirmedRevision, epoch, unanswered: pending.length };
    const op = new PendingOperation(kind, body, numbers);
    op.rename(this.named);
    this.name(body.destination);
    if (kind === 'perform' && body.items.length === 0 && this.rules) {
      body.items = contendedItems(this.request(), body.action).filter((id) => id < PROVISIONAL);
    }
    this.complete(op);
    this.predict(op);
    const isAbout = (id) => pending.some((one) => one.isAbout(id, this.named));
    const changesNothing = op.prediction.isInPlace && !op.sources.some(isAbout);
    if (changesNothing) Object.assign(op, { seq: 0, prediction: { outcome: 'unchanged' } });
    if (changesNothing || (op.prediction.outcome === 'refused' && !sendsRefused)) {
      this.show();
      return op;
    }
    pending.push(op);
    op.retry = pending.find(({ retry }) => retry)?.retry ?? (this.sendable.includes(op) ? '' : BEHIND_UNDO);
    this.nextSeq += 1;
    return op;
  }

  /** Names a collection that the daemon knows under another handle by the item that opens it (Q8). */
  name(destination) {
    if (!(destination?.collection >= PROVISIONAL_HANDLES)) return;
    destination.container = this.state.collection(destination.collection)?.item ?? 0;
    destination.collection = 0;
  }

  /** Adds to a destination what only its author knows: the neighbors of the gap, and what put them there (O11). */
  complete({ destination, sources }) {
    const collection = destination && this.collectionOf(destination);
    if (!collection) return;
    const { before, after } = destination;
    Object.assign(destination, { after: undefined, start: undefined, beforeBy: undefined, afterBy: undefined });
    const anchor = this.state.position(before, collection);
    if (!anchor || collection.hiddenCount > 0) return;
    const leaving = new Set(sources);
    // A source that stands where it does at the base names the next item that is none (N2).
    if (leaving.has(before) && this.numberOf(anchor) === undefined) return;
    const right = anchor.occupied('next', leaving);
    const left = this.seenBeside(after, right, leaving) ?? right.previous.occupied('previous', leaving);
    destination.before = right.item;
    if (left.item) destination.after = left.item;
    else destination.start = true;
    [destination.beforeBy, destination.afterBy] = [right, left].map((position) => this.numberOf(position));
  }

  /**
   * Returns the position of the item that the app shows in front of a gap, where it shows others between not; `undefined` for none, or if
   * it is not there any more.
   */
  seenBeside(item, right, leaving) {
    const position = item && !leaving.has(item) ? this.state.positions.get(item) : undefined;
    const isThere = position && !position.isVacant && position.collection === right.collection && position.isInFrontOf(right);
    return isThere ? position : undefined;
  }

  /** Returns the pending operation that put an item where it is shown, 0 for none; `undefined` if none is about it. */
  numberOf({ item, placed }) {
    const about = this.pending.filter((op) => item && op.isAbout(item, this.named));
    // What leaves the item where it is may move it after all, if others come first.
    const last = about.findLast(({ shown }) => shown?.isUnchanged || shown?.revision === placed);
    return about.length > 0 ? (last?.seq ?? 0) : undefined;
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
      if (own) diff.minted.forEach((id, k) => id && this.state.keys.set(id, own.keyOf(k)));
      this.state.apply(diff);
      this.confirmedRevision = diff.revision;
      return own;
    } finally {
      if (own) this.settle(own, diff.minted, { revision: diff.revision });
      this.show();
    }
  }

  /** Takes the answer from a diff without applying it: a snapshot with its effect is on its way (C3). */
  settleDiff(diff) {
    const own = this.answered(diff);
    if (own) this.settle(own, diff.minted, { revision: diff.revision });
    return own;
  }

  answered({ author, seq }) {
    return author === this.session ? this.pending.find((op) => op.seq === seq) : undefined;
  }

  // ---- Answers

  /**
   * Applies an outcome.
   *
   * @param verdict its verdict's name
   * @returns the operation that it answers, if any
   */
  receiveOutcome(outcome, verdict) {
    const op = this.pending.find(({ seq }) => seq === outcome.seq);
    if (!op) return undefined;
    if (verdict === 'RETRY') {
      op.retry = outcome.reason || 'STALE_BASE';
      return op;
    }
    this.hide();
    const revision = verdict === 'REFUSED' ? undefined : outcome.revision;
    this.settle(op, outcome.minted, { revision, isUnchanged: verdict === 'UNCHANGED' });
    this.show();
    return op;
  }

  /** Takes an answer, and what became of the operation by it. */
  settle(op, minted, outcome) {
    this.pending = this.pending.filter((other) => other !== op);
    const { destination, epoch, seq, inState } = op;
    // What a snapshot contains is where it is now.
    const isNamed = destination && epoch === this.epoch && !(inState && outcome.revision !== undefined);
    if (isNamed) this.outcomes.set(seq, { ...outcome, destination });
    this.outcomes.delete(seq - OUTCOMES_MAX);
    minted.forEach((id, k) => {
      if (id === 0 || k >= PROVISIONAL_NUMBERS_MAX) return;
      this.ids.set(provisional(op.seq, k), id);
      this.renamed.set(provisional(op.seq, k), id);
    });
    for (const id of this.ids.keys()) {
      if (this.ids.size <= IDS_MAX) break;
      this.ids.delete(id);
    }
  }

  // ---- Retry

  /** The reason to send everything that waits; empty unless each pending operation does, or is in the state (C6). */
  get retryReason() {
    if (this.pending.some(({ kind, inState }) => kind === 'undo' && inState)) return '';
    const waiting = this.pending.filter(({ inState }) => !inState);
    return waiting.length > 0 && waiting.every(({ retry }) => retry) ? waiting[0].retry : '';
  }

  /** Expresses the pending operations on the present state, and returns those to send (A7, C6). */
  express() {
    this.hide();
    this.pending.forEach((op, index) => {
      if (op.inState) return;
      const { destination } = op;
      op.rename(this.named);
      this.leaveOutGone(op);
      if (destination && !this.isUnanswered(destination.before)) {
        destination.before = placeOf(this, op)?.occupied('next', new Set(op.sources)).item ?? 0;
        this.complete(op);
      }
      op.baseLost ||= op.mayBeLost;
      Object.assign(op, { baseRevision: this.confirmedRevision, epoch: this.epoch, unanswered: index });
      this.predict(op);
    });
    return this.release().filter(({ inState }) => !inState);
  }

  /** The pending operations that may be sent: up to the first undo (O11). */
  get sendable() {
    return this.pending.slice(0, this.pending.findIndex(({ kind }) => kind === 'undo') + 1 || undefined);
  }

  /** Returns the pending operations to send now. The others wait. */
  release() {
    for (const op of this.pending) op.retry = BEHIND_UNDO;
    for (const op of this.sendable) op.retry = '';
    return this.sendable;
  }

  /** Leaves out items that others took off the table: with a new base the daemon would refuse the whole operation (G6). */
  leaveOutGone({ kind, body, isCopy }) {
    const field = { reorder: 'sources', remove: 'items' }[kind];
    if (!field || isCopy || !this.rules?.partialMoves) return;
    const left = body[field].filter((id) => id >= PROVISIONAL || this.state.placeOf(id) !== undefined);
    if (left.length > 0) body[field] = left;
  }

  /** Returns whether an item is on the table, but under an id that only the daemon knows, since the answer has not come (K7). */
  isUnanswered(id) {
    return id >= PROVISIONAL && this.pending.some((op) => op.inState && op.seq === makerOf(id));
  }

  // ---- Snapshots

  /** Takes over the pending operations of the session's previous replica, or of its store. */
  adopt(older) {
    const { pending, epoch, seat, ids, renamed, nextSeq, outcomes = new Map() } = older;
    const lastSeq = this.nextSeq - 1;
    const seen = older.seen?.(lastSeq);
    for (const op of pending) op.mayBeLost ||= !agrees(seen, this.state, op, this.rules);
    if (seat !== this.seat) for (const op of pending) op.madeAs ??= seat;
    this.ids = ids;
    this.renamed = renamed;
    this.pending = pending;
    if (epoch === this.epoch) {
      for (const [seq, outcome] of outcomes) if (outcome.revision === undefined) this.outcomes.set(seq, outcome);
      for (const op of pending) op.inState = op.seq <= lastSeq;
      this.nextSeq = Math.max(this.nextSeq, nextSeq);
      this.show();
    } else {
      this.renumber(lastSeq);
    }
  }

  /** Returns the confirmed state with those pending operations that a newer state contains, up to a number. */
  seen(last) {
    this.hide();
    for (const op of this.pending) if (!op.inState && op.seq <= last) this.predict(op);
    return this.state;
  }

  /** Another epoch: operations that were not judged are numbered anew, and expressed on this state (C8). */
  renumber(lastSeq) {
    // What was answered beyond that the daemon has lost (K2), and its numbers are given again: operation 0 made nothing.
    for (const id of this.ids.keys()) if (makerOf(id) > lastSeq) this.ids.delete(id);
    const numbers = new Map();
    const numberOf = (seq) => numbers.get(seq) ?? (seq > lastSeq ? 0 : seq);
    const name = (id) => (id < PROVISIONAL ? id : provisional(numberOf(makerOf(id)), (id - PROVISIONAL) % PROVISIONAL_NUMBERS_MAX));
    for (const op of this.pending) {
      op.inState = op.seq <= lastSeq;
      if (op.inState) continue;
      for (let k = 0; k < op.madeCount; k++) this.renamed.set(provisional(op.seq, k), provisional(this.nextSeq, k));
      numbers.set(op.seq, this.nextSeq);
      op.seq = this.nextSeq;
      this.nextSeq += 1;
      op.rename((id) => name(this.named(id)));
      op.baseRevision = Math.min(op.baseRevision, this.confirmedRevision);
      const { destination = {} } = op;
      for (const by of ['beforeBy', 'afterBy']) if (destination[by]) destination[by] = numberOf(destination[by]);
      if (op.kind === 'undo') op.body.seq = numbers.get(op.body.seq) ?? 0;
    }
    this.express();
  }

  // ---- Prediction

  hide() {
    this.state.rollBack();
    for (const op of this.pending) op.shown = undefined;
  }

  show() {
    this.hide();
    for (const op of this.pending) if (!op.inState) this.predict(op);
  }

  predict(op) {
    op.prediction = predict(this, op);
    op.mayBeLost ||= op.prediction.refusal?.reason === 'CONTENDED';
    const [isUnchanged, isShown] = ['unchanged', 'shown'].map((outcome) => op.prediction.outcome === outcome);
    const revision = isUnchanged || isShown ? this.state.upcoming : undefined;
    op.shown = op.destination && { destination: op.destination, revision, isUnchanged };
  }

  /** Returns the new items of an insertion under provisional ids. */
  made(op) {
    return op.body.items.map(({ attributes, representations }, k) => {
      return new Item({ ...op.identity(k), attributes: attributeMap(attributes), representations });
    });
  }
}

