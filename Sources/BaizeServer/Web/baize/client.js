/**
 * A table for an app: what it shows, what its user does, and what the rules say. `ClientMachine` decides; this has the socket
 * and the clock.
 */

import * as hover from './hover.js';
import * as input from './input.js';
import { PROVISIONAL_HANDLES } from './limits.js';
import { Listeners } from './listeners.js';
import { ClientMachine } from './machine.js';
import { provisional } from './pending.js';
import { refusalOf } from './plan.js';
import { BEHIND_UNDO } from './replica.js';
import { Refusal } from './refusal.js';
import { Phase } from './schema.js';
import { seenMessages } from './seen.js';
import { Socket } from './socket.js';
import { defaultStore, SessionKeeper } from './store.js';
import { Submission } from './submission.js';

const TIMER_MAX = 2 ** 30;
const JOIN_TIMEOUT = 10_000;
/** A daemon that has not answered after so long may not be there: what was seen last is shown meanwhile. */
const SEEN_DELAY = 3_000;

/** A table that could not be joined. `reason` is the goodbye's code, or `TIMEOUT`. */
export class JoinError extends Error {
  constructor(reason, detail) {
    super(detail ? `${reason}: ${detail}` : reason);
    this.name = 'JoinError';
    this.reason = reason;
    this.detail = detail ?? '';
  }
}

export class TableClient {
  #machine;
  /** The addresses, the one in use, and how many were not tried since the last wait. */
  #urls;
  /** Whether any connection was ever open. */
  #hasOpened = false;
  #urlIndex = 0;
  #untried = 0;
  #WebSocket;
  #keeper;
  #socket;
  /** Returns a promise of a signed token, for each connection; `undefined` if none is needed. */
  #token;
  /** The connection for which a token is awaited; `undefined` if none is. */
  #attempt;
  #timer;
  #listeners = new Listeners();
  #isClosed = false;
  #joining;
  /** Returns what was seen last, if it may be shown. Asked once. */
  #lastSeen;
  /** Why the daemon has asked to wait. */
  #waitsFor = '';
  #browserEvents = [];
  #version = 0;

  /** Joins a table: see `join` in `baize.js`. */
  static async join(url, options = {}) {
    const { WebSocket = globalThis.WebSocket, timeout = JOIN_TIMEOUT, store, random, lastSeen } = options;
    if (typeof WebSocket !== 'function') throw new TypeError('there is no WebSocket here: pass one as options.WebSocket');
    const client = new TableClient();
    client.#urls = [url].flat().map(String);
    client.#WebSocket = WebSocket;
    client.#lastSeen = lastSeen;
    client.#token = input.readTokenProvider(options);
    const configuration = input.readConfiguration(options);
    client.#machine = new ClientMachine(configuration, client.#host(), random);
    const kept = store ?? defaultStore(`${client.#urls} ${configuration.table}`);
    client.#keeper = new SessionKeeper(kept, client.#machine, (error) => client.#listeners.emit('error', error));
    await client.#keeper.restore();
    await client.#keeper.begin();
    return client.#join(timeout);
  }

  #join(timeout) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const detail = this.#hasOpened ? 'the daemon does not answer'
          : `no WebSocket opens at ${this.#urls}: there is no daemon's address of --http, or it does not accept this page (--allow-origin)`;
        this.#joining?.(new JoinError(this.#waitsFor || 'TIMEOUT', detail));
        this.close();
      }, Math.min(TIMER_MAX, timeout));
      const patience = setTimeout(() => this.#showSeen(), SEEN_DELAY);
      this.#joining = (error) => {
        clearTimeout(timer);
        clearTimeout(patience);
        this.#joining = undefined;
        if (error) reject(error);
        else resolve(this);
      };
      this.#listenToBrowser();
      this.#act((now) => this.#machine.start(now));
    });
  }

  /** Shows what was seen last, if there is any, and has joined by that. */
  async #showSeen() {
    const lastSeen = this.#lastSeen;
    this.#lastSeen = undefined;
    try {
      const seen = await lastSeen?.();
      if (!seen || !this.#joining) return;
      this.#act(() => this.#machine.showSeen(seen));
      if (this.seenAt !== undefined) this.#joining?.();
    } catch (error) {
      this.#listeners.emit('error', error);
    }
  }

  // ---- State

  get #replica() {
    return this.#machine.replica;
  }

  get #state() {
    return this.#machine.replica?.state;
  }

  /** `joining`, `live`, `reconnecting` or `ended`. */
  get connection() {
    const { phase, replica } = this.#machine;
    if (phase === 'ended' || phase === 'live') return phase;
    if (phase === 'loading' && replica && !this.#machine.isFresh) return 'live';
    return replica ? 'reconnecting' : 'joining';
  }

  /** A number that grows with every visible change. */
  get version() {
    return this.#version;
  }

  /** The table type: its name, title and options, and its document as JSON for what an app reads of it. */
  get type() {
    const { welcome, seen, rules, options } = this.#machine;
    if (!welcome && !seen) return undefined;
    return { name: rules?.name ?? '', title: rules?.title ?? '', options: new Map(options), document: (welcome ?? seen).tableType };
  }

  /** Whether this library understands the table type's rules; without them the daemon alone decides. */
  get hasRules() {
    return this.#replica?.rules !== undefined;
  }

  get collections() {
    return (this.#state?.collections ?? []).map((collection) => this.#shown(collection));
  }

  /** Returns a collection by its name or handle; `undefined` if there is none. */
  collection(name) {
    const handle = typeof name === 'string' ? this.#state?.handles.get(name) : name;
    const collection = this.#state?.collection(handle);
    return collection && this.#shown(collection);
  }

  #shown({ handle, id, items, hiddenCount, enabled, item }) {
    return {
      handle, id, enabled,
      count: items.length + hiddenCount,
      items: items.map((item) => this.#state.items.get(item)),
      item: item || undefined,
      owner: this.#replica.rules?.collections[handle - 1]?.owner ?? 0,
    };
  }

  /** Returns an item; `undefined` if it is not on the table. A provisional id stays good after the answer. */
  item(item) {
    return this.#state?.items.get(this.#replica.named(item?.id ?? item));
  }

  /** Returns the item with a key; `undefined` if there is none, or if the table type has no `key`. */
  itemForKey(key) {
    const attribute = this.#replica?.rules?.key;
    if (attribute === undefined) return undefined;
    return [...this.#state.items.values()].find((item) => !item.aliasOf && item.get(attribute) === key);
  }

  /** Returns where an item is: `{ collection, index }`. */
  locate(item) {
    const id = this.item(item)?.id;
    const collection = this.#state?.placeOf(id);
    return collection && { collection: collection.id, index: collection.items.indexOf(id) };
  }

  get status() {
    return this.#state?.status ?? '';
  }

  get variables() {
    return new Map(this.#state?.variables);
  }

  get revision() {
    return this.#replica?.confirmedRevision ?? 0;
  }

  get pendingCount() {
    return this.#replica?.pending.length ?? 0;
  }

  /** When the first operation that waits was submitted, by `performance.now()`; `undefined` if none is known. */
  get pendingSince() {
    return this.#replica?.pending[0]?.submittedAt;
  }

  /** The ids of the items that pending operations are about, as far as they are shown. */
  get pendingItems() {
    const name = (id) => this.#replica.named(id);
    return new Set((this.#replica?.pending ?? []).flatMap((op) => itemsOf(op).map(name)));
  }

  /** The code of the reason why the daemon lets operations wait; empty if it has named none. */
  get retryReason() {
    return this.#replica?.pending.find(({ retry }) => retry && retry !== BEHIND_UNDO)?.retry ?? '';
  }

  /** The time since the last message of the daemon, in milliseconds. */
  get quietFor() {
    return performance.now() - this.#machine.heartbeat.received;
  }

  /** When what is shown was seen, by `Date.now()`, if it is what was seen last; `undefined` if it is the daemon's. */
  get seenAt() {
    return this.#machine.seen?.at;
  }

  /** Returns an iterator of what `lastSeen` gives back some day, in parts; `undefined` if there is nothing new to keep. */
  saveSeen() {
    const isSeen = this.#machine.phase === 'live' && this.seenAt === undefined;
    return isSeen ? seenMessages(this.#machine) : undefined;
  }

  get session() {
    return this.#machine.welcome?.session ?? 0;
  }

  get seat() {
    return this.#state?.seats.find(({ person }) => person === this.person)?.seat ?? 0;
  }

  /** The person whose session this is, by the number of that one's first session. */
  get person() {
    const { seen, welcome } = this.#machine;
    return (seen ?? welcome)?.person ?? 0;
  }

  get seats() {
    return (this.#state?.seats ?? []).map(({ seat, name, person, absent }) => {
      const sessions = this.#machine.presence.sessionsOf(person);
      return { seat, name, person, sessions, connected: sessions.length > 0, absent };
    });
  }

  /** Returns the seat of a session's person, such as the author of a change; `undefined` if there is none. */
  seatOf(session) {
    const one = this.#machine.presence.personOf(session);
    return session === 0 ? undefined : this.seats.find(({ person }) => person === one);
  }

  /** Whether this person is the host: of those with an active seat, the one who joined first (O13). */
  get isHost() {
    const persons = (this.#state?.activeSeats ?? []).map(({ person }) => person).filter((person) => person !== 0);
    return persons.length > 0 && Math.min(...persons) === this.person;
  }

  /** The last invite for players that this client received; a secret. */
  get invite() {
    return this.#machine.invite;
  }

  /** The drags of others. */
  get drags() {
    return [...this.#machine.presence.drags.values()].map((drag) => this.#shownDrag(drag));
  }

  #shownDrag({ session, phase, items, over, formation, x, y, refused }) {
    const collection = over && this.#state?.collection(over.collection)?.id;
    const [phaseName] = [...Phase.values].find(([, value]) => value === phase);
    return {
      session, items, formation, x, y, refused,
      phase: phaseName.toLowerCase(),
      over: collection === undefined ? undefined : { collection, before: over.before },
    };
  }

  // ---- Operations

  reorder(items, destination, { operations, force } = {}) {
    return this.#submit('reorder', force, (state) => ({
      sources: input.readIDs(items),
      destination: this.#destination(state, destination),
      suggested: input.readOperations(operations),
    }));
  }

  insert(items, destination, { force } = {}) {
    return this.#submit('insert', force, (state) => ({
      items: input.readNewItems(items),
      destination: this.#destination(state, destination),
    }));
  }

  remove(items, { force } = {}) {
    return this.#submit('remove', force, () => ({ items: input.readIDs(items) }));
  }

  update(item, { attributes, representations, force } = {}) {
    return this.#submit('update', force, () => ({
      item: input.readID(item),
      attributes: input.readAttributes(attributes),
      representations: input.readRepresentations(representations),
    }));
  }

  perform(action, items = [], { collection, force } = {}) {
    return this.#submit('perform', force, (state) => ({
      action: input.readAction(action),
      items: input.readIDs(items),
      destination: collection === undefined ? undefined : this.#destination(state, { collection }),
    }));
  }

  undo(submission) {
    if (submission?.refusal) return Submission.refused(submission.refusal);
    return this.#submit('undo', true, () => {
      const seq = submission instanceof Submission ? submission.numberAt(this.#machine.sessionsLost, this.#replica.epoch) : 0;
      if (!seq) throw new Refusal('UNDO_TOO_LATE', '', 'the operation is of another session, or the daemon was started again');
      return { seq };
    });
  }

  #destination(state, destination) {
    return input.readDestination(state, destination, this.#replica.named);
  }

  /** Returns a gap that the daemon can name to others; `undefined` if it does not know the collection yet. */
  #known(gap) {
    return gap.container || gap.collection >= PROVISIONAL_HANDLES ? undefined : gap;
  }

  #submit(kind, force, read) {
    const machine = this.#machine;
    if (!this.#mayAct || machine.phase === 'ended') return Submission.refused(input.NOT_JOINED);
    if (machine.replica.pending.length >= machine.maxPending) return Submission.refused(input.TOO_MANY_PENDING);
    let op;
    const refusal = refusalOf(() => {
      const body = read(machine.replica.state);
      machine.checkSize(kind, body);
      this.#act((now) => {
        op = machine.submit(kind, body, Boolean(force), now);
        if (op.prediction.outcome !== 'refused' || force) {
          op.submittedAt = now;
          op.submission = new Submission(op, machine.sessionsLost);
          this.#listeners.queue('change', {});
        }
      });
    });
    if (refusal) return Submission.refused(refusal);
    return op.submission ?? Submission.refused(op.prediction.refusal);
  }

  // ---- What the rules say

  /** Whether there is a table on which something can be done. What was seen last may be another one by now. */
  get #mayAct() {
    return this.#replica !== undefined && this.seenAt === undefined;
  }

  get #claims() {
    return this.#machine.presence.claims;
  }

  /** Returns the rules' verdict on a drop, while the user hovers. It does not ask the daemon. */
  dropConfiguration(items, destination, { operations } = {}) {
    if (!this.#mayAct) return hover.forbidden(input.NOT_JOINED);
    const read = (state) => this.#destination(state, destination);
    return hover.dropConfiguration(this.#replica, this.#claims, items, read, operations);
  }

  /** Returns the collections that would accept some items at their end, each with the rules' verdict. */
  legalDestinations(items, { operations } = {}) {
    return this.#mayAct ? hover.legalDestinations(this.#replica, this.#claims, items, operations) : [];
  }

  /** Returns why some items may not be lifted together at present; `undefined` if they may, or if only the daemon knows. */
  refusalToLift(items) {
    return this.#mayAct ? hover.whyNotLifted(this.#replica, this.#claims, items) : input.NOT_JOINED;
  }

  /** Returns why an action may not be performed at present, or would change nothing; `undefined` if it may, or if only the daemon knows. */
  refusalToPerform(action, items = []) {
    return this.#mayAct ? hover.whyNotPerformed(this.#replica, this.#claims, action, items) : input.NOT_JOINED;
  }

  /** Returns the items that a user lifts by taking hold of one: those on top of it too, where only runs leave. */
  liftSet(item) {
    const id = this.item(item)?.id;
    return id === undefined ? [] : hover.liftedWith(this.#replica, id);
  }

  // ---- Drags

  /** Shows the others that this user has lifted items. */
  beginDrag(items, { formation } = {}) {
    this.#drag(() => ({
      phase: 0,
      items: input.readIDs(items).map(this.#replica.named),
      formation: input.readFormation(formation),
    }));
  }

  /** Shows the others where the drag is; call it for every movement. */
  moveDrag({ over, x = 0, y = 0, formation } = {}) {
    this.#drag((state) => ({
      phase: 1,
      items: [],
      over: over === undefined ? undefined : this.#known(this.#destination(state, over)),
      formation: input.readFormation(formation),
      x: input.readCoordinate(x),
      y: input.readCoordinate(y),
    }));
  }

  /** Ends the drag for the others: with a drop, or with the items back where they were. */
  endDrag({ isCancelled = false } = {}) {
    this.#drag(() => ({ phase: isCancelled ? 3 : 2, items: [] }));
  }

  #drag(read) {
    if (!this.#state) return;
    // A drag is presentation only: one that cannot be sent is not shown to others.
    refusalOf(() => {
      const drag = read(this.#state);
      this.#act((now) => this.#machine.drag(drag, now));
    });
  }

  // ---- Presence and messages

  /** The time that is left of the turn and of the table, in milliseconds; `undefined` where none runs. */
  get timeLeft() {
    const now = performance.now();
    const { turn, table } = this.#machine.ends;
    const left = (end) => (end === undefined ? undefined : Math.max(0, end - now));
    return { turn: left(turn), table: left(table) };
  }

  /** Who watches: `count` people, and in `asking` a session of each of some who ask for a seat. */
  get watching() {
    return this.#machine.watching;
  }

  /** The values that the others show of themselves, by session. */
  get presences() {
    return new Map(this.#machine.values.others);
  }

  /** Shows the others a small value; returns the refusal of one that cannot be sent. */
  setPresence(value) {
    return refusalOf(() => {
      const bytes = input.readPresence(value);
      this.#act((now) => this.#machine.setPresence(bytes, now));
    });
  }

  /** Sends a message to everyone at the table; returns the refusal of one that cannot be sent. */
  say(text, { kind } = {}) {
    return refusalOf(() => {
      const chat = input.readChat(text, kind);
      this.#act((now) => this.#machine.say(chat, now));
    });
  }

  // ---- Connection

  /** Resolves to whether the confirmed state has the daemon's hash; `undefined` if that cannot be said now. */
  agrees() {
    return new Promise((resolve) => this.#act((now) => this.#machine.compare(now, resolve)));
  }

  /** Asks the daemon whether it is there: `quietFor` is small again if so. */
  probe() {
    this.#act((now) => this.#machine.phase === 'live' && this.#machine.ping(false, now));
  }

  /** Tries to connect again at once. */
  reconnect() {
    this.#act((now) => this.#machine.reconnect(now));
  }

  /** Leaves the table: the seat is free at once. */
  leave() {
    this.#act((now) => this.#machine.leave(now));
    this.#stop();
  }

  /** Closes the connection and keeps the session: a client with the same store comes back to it. */
  close() {
    if (this.#isClosed) return;
    this.#keeper.save();
    this.#isClosed = true;
    this.#keeper.stop();
    this.#act(() => this.#machine.end({ reason: 'CLOSED' }));
    this.#stop();
  }

  #stop() {
    this.#isClosed = true;
    this.#attempt = undefined;
    this.#socket?.close();
    this.#socket = undefined;
    clearTimeout(this.#timer);
    this.#keeper.stop();
    for (const [name, listener] of this.#browserEvents) globalThis.removeEventListener(name, listener);
    this.#browserEvents = [];
  }

  #listenToBrowser() {
    if (typeof globalThis.addEventListener !== 'function') return;
    this.#browserEvents = [['online', () => this.reconnect()], ['pagehide', () => this.#keeper.save()]];
    for (const [name, listener] of this.#browserEvents) globalThis.addEventListener(name, listener);
  }

  #host() {
    return {
      connect: () => {
        this.#untried = this.#urls.length;
        this.#connect();
      },
      refreshToken: () => this.#refreshToken(),
      send: (bytes) => this.#socket?.send(bytes),
      disconnect: () => {
        this.#attempt = undefined;
        this.#socket?.close();
        this.#socket = undefined;
        this.#advance();
      },
      event: (name, detail) => this.#listeners.queue(name, detail),
      save: () => this.#keeper.saveSoon(),
    };
  }

  #connect() {
    if (this.#token) this.#connectWithToken();
    else this.#open();
  }

  /** Connects with a new token: one of before may have expired, or say what is no longer so. */
  #connectWithToken() {
    this.#requestToken(
      (token) => {
        this.#machine.signedToken = token;
        this.#act(() => this.#open());
      },
      () => this.#actSafely((now) => this.#machine.closed(now)),
    );
  }

  /** Presents a new token before the connection's present one ends. If there is none, the machine asks again. */
  #refreshToken() {
    if (!this.#token) return;
    this.#requestToken((token) => this.#actSafely((now) => this.#machine.presentToken(token, now)), () => this.#act(() => {}));
  }

  /** Asks for a token, for the present connection: of an earlier one's, and of an earlier answer, nothing follows. */
  #requestToken(use, fail) {
    const attempt = {};
    this.#attempt = attempt;
    const isPresent = () => this.#attempt === attempt && !this.#isClosed;
    Promise.resolve().then(() => this.#token()).then(input.readToken).then(
      (token) => {
        if (!isPresent()) return;
        this.#attempt = undefined;
        use(token);
      },
      (error) => {
        if (!isPresent()) return;
        this.#attempt = undefined;
        this.#listeners.queue('error', error);
        fail();
      },
    );
  }

  /** Goes on to the next address; returns whether it was not tried yet. */
  #advance() {
    this.#urlIndex = (this.#urlIndex + 1) % this.#urls.length;
    this.#untried -= 1;
    return this.#untried > 0;
  }

  #open() {
    let hasOpened = false;
    try {
      this.#socket = new Socket(this.#urls[this.#urlIndex], this.#WebSocket, {
        opened: () => {
          this.#hasOpened = true;
          hasOpened = true;
          this.#actSafely((now) => this.#machine.opened(now));
        },
        received: (bytes) => this.#actSafely((now) => this.#machine.receive(bytes, now)),
        closed: () => {
          this.#socket = undefined;
          if (this.#advance() && !hasOpened) this.#act(() => this.#open());
          else this.#actSafely((now) => this.#machine.closed(now));
        },
        failed: (error) => this.#act((now) => this.#machine.fail(error, now)),
      });
    } catch (error) {
      // Not an address at all, or one that this page may not reach: trying again would not help.
      this.#machine.end({ reason: 'BAD_ADDRESS', detail: String(error?.message ?? error) });
    }
  }

  /** As `#act`, where no app waits: what goes wrong ends the connection, and nothing else (I12). */
  #actSafely(action) {
    this.#act((now) => {
      try {
        action(now);
      } catch (error) {
        this.#machine.fail(error, now);
      }
    });
  }

  /** Lets the machine act, sets the next timer, and delivers the events to the app. */
  #act(action) {
    action(performance.now());
    clearTimeout(this.#timer);
    const deadline = this.#machine.nextDeadline;
    if (deadline !== undefined && !this.#isClosed) {
      const delay = Math.min(TIMER_MAX, Math.max(0, Math.ceil(deadline - performance.now())));
      this.#timer = setTimeout(() => this.#actSafely((now) => this.#machine.tick(now)), delay);
    }
    this.#listeners.flush((name, detail) => this.#deliver(name, detail));
  }

  // ---- Events

  /**
   * Calls a listener for each event of a name; see `baize.d.ts` for them.
   *
   * @returns a function that ends that
   */
  on(name, listener) {
    return this.#listeners.add(name, listener);
  }

  #deliver(name, detail) {
    switch (name) {
      case 'change':
        return this.#tellChange(detail);
      case 'answer': {
        const { op, answer } = detail;
        op.submission?.settle(answer);
        return this.#listeners.emit('answer', { ...answer, submission: op.submission });
      }
      case 'connection':
        this.#waitsFor = detail.reason;
        if (this.connection === 'live') this.#joining?.();
        else if (this.#joining && this.#machine.phase === 'waiting') this.#showSeen();
        return this.#listeners.emit('connection', { ...detail, connection: this.connection });
      case 'drag':
        return this.#listeners.emit('drag', this.#shownDrag(detail));
      case 'end':
        this.#joining?.(new JoinError(detail.reason, detail.detail));
        if (!this.#isClosed) {
          this.#keeper.save();
          this.#stop();
        }
        return this.#listeners.emit('end', detail);
      default:
        return this.#listeners.emit(name, detail);
    }
  }

  #tellChange({ reloaded = false, cause }) {
    const replica = this.#replica;
    if (!replica) return;
    const { items, collections } = replica.state.takeTouched();
    const { renamed } = replica;
    replica.renamed = new Map();
    this.#version += 1;
    this.#listeners.emit('change', { items, collections, renamed, reloaded, cause });
  }
}

/** Returns the ids of the items that a pending operation is about or makes. */
function itemsOf({ kind, body, sources, madeCount, seq }) {
  const named = kind === 'update' ? [body.item] : kind === 'perform' ? body.items : sources;
  return [...named, ...Array.from({ length: madeCount }, (_, k) => provisional(seq, k))];
}
