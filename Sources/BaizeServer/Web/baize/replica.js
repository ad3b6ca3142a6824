/**
 * A client's copy of a table: the confirmed state, the pending operations, and the visible state that both give
 * (Protocol/client.md; its sections are named in comments).
 */

import { attributeMap, Item } from './state.js';
import { firstStaying } from './drop.js';
import { PROVISIONAL_HANDLES, PROVISIONAL_NUMBERS_MAX, PROVISIONAL } from './limits.js';
import { makerOf, PendingOperation, provisional } from './pending.js';
import { contendedItems, prepare } from './plan.js';
import { predict } from './predict.js';

const COPY = 1;
const ALIAS = 4;
/** The number of provisional ids whose items are remembered: the daemon's own bound on what it remembers. */
const IDS_MAX = 65_536;
/** The number of own operations of which is remembered what they have placed. */
const PLACED_MAX = 256;

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
    /** What the last own operations have moved or made, by their numbers. */
    this.placed = new Map();
    /** The items renamed since the last event: the daemon's ids, by provisional ones. */
    this.renamed = new Map();
    /** The last pending operation that places an item, by the item; of those that are shown so far. */
    this.placers = new Map();
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
    this.name(body.destination);
    op.resetGap();
    this.locate(op);
    if (kind === 'perform' && body.items.length === 0 && this.rules) {
      body.items = contendedItems(this.request(), body.action).filter((id) => id < PROVISIONAL);
    }
    this.complete(op, pending.length > 0);
    this.predict(op);
    if (op.prediction.outcome === 'refused' && !sendsRefused) {
      this.show();
      return op;
    }
    op.retry = pending.find(({ retry }) => retry)?.retry ?? '';
    pending.push(op);
    this.nextSeq += 1;
    return op;
  }

  /** Names a collection that the daemon knows under another handle by the item that opens it (Q8). */
  name(destination) {
    if (!(destination?.collection >= PROVISIONAL_HANDLES)) return;
    destination.container = this.state.collection(destination.collection)?.item ?? 0;
    destination.collection = 0;
  }

  /** Finds the collection of an operation's gap, if the operation names the item that opens it. */
  locate({ gap }) {
    if (!gap?.container) return;
    gap.collection = this.state.items.get(this.named(gap.container))?.opens || PROVISIONAL_HANDLES;
  }

  /** The items that pending undos may take away or put elsewhere: they are shown where they were (O11). */
  get undone() {
    const undos = this.pending.filter(({ kind }) => kind === 'undo');
    return new Set(undos.flatMap(({ body }) => this.placed.get(body.seq) ?? []));
  }

  /** Adds to a destination what only its author knows (O11, O16). */
  complete(op, hasEarlier) {
    const { destination, sources = [] } = op.body;
    const collection = destination && this.state.collection(op.gap.collection);
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
      const undone = this.undone;
      const goes = (id) => leaving.has(id) || this.state.predicted.has(id) || undone.has(id);
      while (index < items.length && goes(items[index])) index += 1;
      destination.then = items[index] ?? 0;
    }
    op.resetGap();
    this.locate(op);
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
      if (diff.author !== this.session) this.carryAll(diff);
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

  notePlacements({ author, seq, revision, changes }) {
    if (author === this.session && seq !== 0) {
      this.placed.set(seq, changes.flatMap(({ moved, inserted }) => moved?.items ?? inserted?.items.map(({ id }) => id) ?? []));
      for (const first of this.placed.keys()) if (this.placed.size > PLACED_MAX) this.placed.delete(first);
    }
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

  /** The gaps beside what an operation was to place are where it was to go itself, or before its successor (N2a, R15–R23). */
  useThen(op) {
    const placed = new Set(op.placed);
    for (const later of this.pending.filter(({ seq }) => seq > op.seq)) {
      const { gap } = later;
      if (gap && placed.has(gap.before)) [gap.before, gap.isDisplaced] = [gap.then, true];
      if (gap && placed.has(gap.behind)) gap.behind = op.gap?.behind;
      // From there on it is where that operation puts it (R18).
      for (const id of later.placed) placed.delete(id);
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
      this.leaveOutGone(op);
      Object.assign(op, { baseRevision: this.confirmedRevision, epoch: this.epoch, unanswered: index, retry: '' });
      this.locate(op);
      if (op.gap && op.kind !== 'perform' && !this.isUnanswered(op.body.destination.before)) {
        op.body.destination.before = this.landing(op);
        this.complete(op, index > 0);
      }
      this.predict(op);
    });
    return this.pending.filter(({ inState }) => !inState);
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

  /** Takes over the pending operations of the session's previous replica. */
  adopt({ pending, epoch, ids, renamed, nextSeq, placed }) {
    const lastSeq = this.nextSeq - 1;
    this.ids = ids;
    this.renamed = renamed;
    this.pending = pending;
    if (epoch === this.epoch) {
      this.placed = placed ?? this.placed;
      for (const op of pending) op.inState = op.seq <= lastSeq;
      this.nextSeq = Math.max(this.nextSeq, nextSeq);
      this.show();
    } else {
      this.renumber(lastSeq);
    }
  }

  /** Another epoch: operations that were not judged are numbered anew, and expressed on this state (C8). */
  renumber(lastSeq) {
    // What was answered beyond that the daemon has lost (K2), and its numbers are given again: operation 0 made nothing.
    for (const id of this.ids.keys()) if (makerOf(id) > lastSeq) this.ids.delete(id);
    const numbers = new Map();
    const numberOf = (seq) => numbers.get(seq) ?? (seq > lastSeq ? 0 : seq);
    const name = (id) => (id < PROVISIONAL ? id : provisional(numberOf(makerOf(id)), (id - PROVISIONAL) % PROVISIONAL_NUMBERS_MAX));
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
    this.placers.clear();
  }

  show() {
    this.hide();
    for (const op of this.pending) if (!op.inState) this.predict(op);
  }

  predict(op) {
    this.locate(op);
    op.prediction = predict(this, op);
    for (const id of op.placed) this.placers.set(this.named(id), op);
  }

  /** Returns the item that the block of an operation is put before, if no rule says otherwise; 0 for the end. */
  landing(op) {
    const { sources = [], suggested } = op.body;
    const stays = op.kind !== 'reorder' || suggested === COPY || suggested === ALIAS;
    const leaving = new Set(stays ? [] : sources.map(this.named));
    return firstStaying(this, op.gap.collection, this.place(op), leaving);
  }

  /**
   * Returns the item that the gap of an operation is before in the visible state; 0 for the end. It may be one that leaves.
   *
   * Where the daemon asks its history, this has what `carry` has noted: it follows N1, N2, N2d, N2a, N2c and N3.
   */
  place({ kind, body, gap }) {
    const collection = this.state.collection(gap.collection);
    if (!collection) return 0;
    const { items } = collection;
    const sources = kind === 'reorder' ? new Set(body.sources.map(this.named)) : new Set();
    const isHere = (id) => this.state.placeOf(id) === collection;
    const next = (id) => {
      let index = id ? items.indexOf(id) + 1 : 0;
      while (index < items.length && sources.has(items[index])) index += 1;
      return items[index] ?? 0;
    };
    const { destination } = body;
    const [before, after, behind] = [destination.before, destination.after ?? 0, gap.behind ?? 0].map(this.named);
    const placer = this.placers.get(before);
    const isDisplaced = gap.isDisplaced || (placer?.misplaces(before) ?? false);
    const isGiven = destination.start || destination.after !== undefined;
    if (isGiven && !sources.has(before) && !sources.has(after)) {
      const stands = after === 0 || isHere(after);
      if (stands && next(after) === before) return before; // N1
      if (stands && after && this.isOwn(after)) return next(after); // N2
      if (before && isHere(before) && this.isOwn(before) && !isDisplaced) return before; // N2d
      const remains = gap.behind !== undefined && (behind === 0 || isHere(behind));
      if (remains && behind && this.isOwn(behind)) return next(behind); // N2a
      const isUntouched = gap.isTaken && !isDisplaced && !placer;
      if (remains && isUntouched && !this.isContinued(behind, next(behind))) return next(behind); // N2c
    }
    if (!before) return 0;
    const anchors = isDisplaced ? [gap.then] : [gap.before, gap.then];
    return anchors.map(this.named).find(isHere) ?? 0; // N3
  }

  /** Returns whether another who placed an item has put the one behind it there since. */
  isContinued(id, next) {
    const [placement, other] = [this.placements.get(id), this.placements.get(next)];
    if (placement === undefined || other === undefined) return false;
    return other.session !== this.session && placement.session === other.session;
  }

  /** Carries the gaps of the pending operations through a diff of others, on the state before it (R2–R8). */
  carryAll({ changes }) {
    // What an own operation places is where its author put it, whatever others do with it meanwhile (R10, R13).
    const own = new Set();
    for (const op of this.pending) {
      for (const { moved, removed } of changes) {
        const gone = new Set((moved ?? removed)?.items);
        if (op.gap && gone.size > 0) this.carry(op, gone, own);
      }
      for (const id of op.placed) own.add(this.named(id));
    }
  }

  carry({ gap, body }, gone, own) {
    const collection = this.state.collection(gap.collection);
    if (!collection) return;
    const isGone = (id) => gone.has(id) && !own.has(id) && this.state.placeOf(id) === collection;
    const beyond = (id, step) => {
      let index = collection.items.indexOf(id);
      while (gone.has(collection.items[index])) index += step;
      return collection.items[index] ?? 0;
    };
    if (isGone(this.named(body.destination.before))) gap.isTaken = true;
    for (const [end, step] of [['before', 1], ['then', 1], ['behind', -1]]) {
      const id = gap[end] && this.named(gap[end]);
      if (id && isGone(id)) gap[end] = beyond(id, step);
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

