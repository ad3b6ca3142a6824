/** A table for an app: what it shows, what its user does, and what the rules say. `ClientMachine` decides; this has the socket and the clock. */

import * as input from './input.js';
import { ClientMachine } from './machine.js';
import { liftSet } from './lift.js';
import { planReorder, refusalOf, refusalToLift } from './plan.js';
import { Refusal } from './refusal.js';
import { Phase } from './schema.js';
import { Socket } from './socket.js';
import { defaultStore, restore, saved } from './store.js';
import { Submission } from './submission.js';

const TIMER_MAX = 2 ** 30;
const SAVE_DELAY = 20;
const JOIN_TIMEOUT = 10_000;

/** A table that could not be joined. `reason` is the goodbye's code, or `TIMEOUT`. */
export class JoinError extends Error {
  constructor(reason, detail) {
    super(detail ? `${reason}: ${detail}` : reason);
    this.name = 'JoinError';
    this.reason = reason;
  }
}

export class TableClient {
  #machine;
  #url;
  #WebSocket;
  #store;
  #socket;
  #timer;
  #saveTimer;
  #listeners = new Map();
  #queue = [];
  #isFlushing = false;
  #isClosed = false;
  #joining;
  #browserEvents = [];
  #version = 0;

  /** Joins a table: see `join` in `baize.js`. */
  static async join(url, options = {}) {
    const { WebSocket = globalThis.WebSocket, timeout = JOIN_TIMEOUT, store, random } = options;
    if (typeof WebSocket !== 'function') throw new TypeError('there is no WebSocket here: pass one as options.WebSocket');
    const client = new TableClient();
    client.#url = String(url);
    client.#WebSocket = WebSocket;
    const configuration = input.readConfiguration(options);
    client.#store = store ?? defaultStore(`${client.#url} ${configuration.table}`);
    client.#machine = new ClientMachine(configuration, client.#host(), random);
    const text = await client.#store.load();
    if (typeof text === 'string') restore(client.#machine, text);
    return client.#join(timeout);
  }

  #join(timeout) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#joining?.(new JoinError('TIMEOUT', 'the daemon does not answer'));
        this.close();
      }, Math.min(TIMER_MAX, timeout));
      this.#joining = (error) => {
        clearTimeout(timer);
        this.#joining = undefined;
        if (error) reject(error);
        else resolve(this);
      };
      this.#listenToBrowser();
      this.#act((now) => this.#machine.start(now));
    });
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
    const { welcome, rules, options } = this.#machine;
    if (!welcome) return undefined;
    return { name: rules?.name ?? '', title: rules?.title ?? '', options: new Map(options), document: welcome.tableType };
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

  #shown({ handle, id, items, hiddenCount, enabled }) {
    return {
      handle, id, enabled,
      count: items.length + hiddenCount,
      items: items.map((item) => this.#state.items.get(item)),
      owner: this.#replica.rules?.collections[handle - 1].owner ?? 0,
    };
  }

  /** Returns an item; `undefined` if it is not on the table. A provisional id stays good after the answer. */
  item(item) {
    return this.#state?.items.get(this.#replica.named(item?.id ?? item));
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

  get session() {
    return this.#machine.welcome?.session ?? 0;
  }

  get seat() {
    return this.#state?.seats.find(({ session }) => session === this.session)?.seat ?? 0;
  }

  get seats() {
    const { connected } = this.#machine.presence;
    return (this.#state?.seats ?? []).map(({ seat, name, session }) => ({ seat, name, session, connected: connected.has(session) }));
  }

  /** Whether this client is the host: the seated session that joined first (O13). */
  get isHost() {
    const sessions = this.seats.map(({ session }) => session);
    return sessions.length > 0 && Math.min(...sessions) === this.session;
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
      destination: input.readDestination(state, destination),
      suggested: input.readOperations(operations),
    }));
  }

  insert(items, destination, { force } = {}) {
    return this.#submit('insert', force, (state) => ({
      items: input.readNewItems(items),
      destination: input.readDestination(state, destination),
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
      destination: collection === undefined ? undefined : input.readDestination(state, collection),
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

  #submit(kind, force, read) {
    const machine = this.#machine;
    if (!machine.replica || machine.phase === 'ended') return Submission.refused(input.NOT_JOINED);
    if (machine.replica.pending.length >= machine.maxPending) return Submission.refused(input.TOO_MANY_PENDING);
    let op;
    const refusal = refusalOf(() => {
      const body = read(machine.replica.state);
      machine.checkSize(kind, body);
      this.#act((now) => {
        op = machine.submit(kind, body, Boolean(force), now);
        if (op.prediction.outcome !== 'refused' || force) {
          op.submission = new Submission(op, machine.sessionsLost);
          this.#queue.push(['change', {}]);
        }
      });
    });
    if (refusal) return Submission.refused(refusal);
    return op.submission ?? Submission.refused(op.prediction.refusal);
  }

  // ---- What the rules say

  /** Returns the rules' verdict on a drop, while the user hovers. It does not ask the daemon. */
  dropConfiguration(items, destination, { operations } = {}) {
    return this.#verdict(items, (state) => input.readDestination(state, destination), operations);
  }

  #verdict(items, destinationIn, operations) {
    if (!this.#state) return forbidden(input.NOT_JOINED);
    let plan;
    const refusal = refusalOf(() => {
      const sources = input.readIDs(items).map(this.#replica.named);
      const destination = destinationIn(this.#state);
      const suggested = input.readOperations(operations);
      destination.before = this.#replica.named(destination.before);
      plan = this.hasRules ? planReorder(this.#hover(), { sources, destination, suggested }) : undefined;
    });
    if (refusal) return refusal.reason === 'UNPREDICTABLE' ? { operation: 'unknown' } : forbidden(refusal);
    if (!plan) return { operation: 'unknown' };
    const { operation, isRedirected, collection, before, accepted } = plan;
    const redirected = isRedirected ? { collection: this.#state.collection(collection).id, before } : undefined;
    return { operation, destination: redirected, accepted };
  }

  #hover() {
    return this.#replica.request({ claims: this.#machine.presence.claims });
  }

  /** Returns the collections that would accept some items at their end, each with the rules' verdict. */
  legalDestinations(items, { operations } = {}) {
    return (this.#state?.collections ?? [])
      .map(({ id, handle }) => ({ collection: id, configuration: this.#verdict(items, () => ({ collection: handle, before: 0 }), operations) }))
      .filter(({ configuration }) => configuration.operation !== 'forbidden');
  }

  /** Returns why some items may not be lifted together at present; `undefined` if they may, or if only the daemon knows. */
  refusalToLift(items) {
    if (!this.#state) return input.NOT_JOINED;
    if (!this.hasRules) return undefined;
    let ids;
    const refusal = refusalOf(() => {
      ids = input.readIDs(items).map(this.#replica.named);
    });
    const found = refusal ?? refusalToLift(this.#hover(), ids);
    return found?.reason === 'UNPREDICTABLE' ? undefined : found;
  }

  /** Returns the items that a user lifts by taking hold of one: those on top of it too, where only runs leave. */
  liftSet(item) {
    const id = this.item(item)?.id;
    if (id === undefined) return [];
    return (this.hasRules ? liftSet(this.#hover(), id) : [id]).map((one) => this.#state.items.get(one));
  }

  // ---- Drags

  /** Shows the others that this user has lifted items. */
  beginDrag(items, { formation } = {}) {
    this.#drag(() => ({ phase: 0, items: input.readIDs(items).map(this.#replica.named), formation: input.readFormation(formation) }));
  }

  /** Shows the others where the drag is; call it for every movement. */
  moveDrag({ over, x = 0, y = 0, formation } = {}) {
    this.#drag((state) => ({
      phase: 1,
      items: [],
      over: over === undefined ? undefined : input.readDestination(state, over),
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

  // ---- Connection

  /** Resolves to whether the confirmed state has the daemon's hash; `undefined` if that cannot be said now. */
  agrees() {
    return new Promise((resolve) => this.#act((now) => this.#machine.compare(now, resolve)));
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
    this.#save();
    this.#isClosed = true;
    this.#act(() => this.#machine.end({ reason: 'CLOSED' }));
    this.#stop();
  }

  #stop() {
    this.#isClosed = true;
    this.#socket?.close();
    this.#socket = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#saveTimer);
    for (const [name, listener] of this.#browserEvents) globalThis.removeEventListener(name, listener);
    this.#browserEvents = [];
  }

  #listenToBrowser() {
    if (typeof globalThis.addEventListener !== 'function') return;
    this.#browserEvents = [['online', () => this.reconnect()], ['pagehide', () => this.#save()]];
    for (const [name, listener] of this.#browserEvents) globalThis.addEventListener(name, listener);
  }

  #host() {
    return {
      connect: () => this.#connect(),
      send: (bytes) => this.#socket?.send(bytes),
      disconnect: () => {
        this.#socket?.close();
        this.#socket = undefined;
      },
      event: (name, detail) => this.#queue.push([name, detail]),
      save: () => {
        if (this.#isClosed) return;
        this.#saveTimer ??= setTimeout(() => this.#save(), SAVE_DELAY);
      },
    };
  }

  #connect() {
    try {
      this.#socket = new Socket(this.#url, this.#WebSocket, {
        opened: () => this.#act((now) => this.#machine.opened(now)),
        received: (bytes) => this.#act((now) => this.#machine.receive(bytes, now)),
        closed: () => {
          this.#socket = undefined;
          this.#act((now) => this.#machine.closed(now));
        },
        failed: (error) => this.#act((now) => this.#machine.fail(error, now)),
      });
    } catch (error) {
      // Not an address at all, or one that this page may not reach: trying again would not help.
      this.#machine.end({ reason: 'BAD_ADDRESS', detail: String(error?.message ?? error) });
    }
  }

  /** Lets the machine act, sets the next timer, and tells the app. */
  #act(action) {
    action(performance.now());
    clearTimeout(this.#timer);
    const deadline = this.#machine.nextDeadline;
    if (deadline !== undefined && !this.#isClosed) {
      const delay = Math.min(TIMER_MAX, Math.max(0, Math.ceil(deadline - performance.now())));
      this.#timer = setTimeout(() => this.#act((now) => this.#machine.tick(now)), delay);
    }
    this.#flush();
  }

  // ---- Session store

  #save() {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    if (this.#isClosed) return;
    const isOver = this.#machine.phase === 'ended';
    const text = isOver ? undefined : saved(this.#machine);
    try {
      this.#saving(text === undefined ? this.#store.clear() : this.#store.save(text));
    } catch (error) {
      // No room: the token alone brings back everything but the pending operations.
      this.#saveToken(error);
    }
  }

  #saveToken(reason) {
    try {
      const token = saved(this.#machine, false);
      if (token !== undefined) this.#saving(this.#store.save(token));
    } catch {
      this.#emit('error', reason);
    }
  }

  #saving(result) {
    Promise.resolve(result).catch((error) => this.#emit('error', error));
  }

  // ---- Events

  /**
   * Calls a listener for each event of a name; see `baize.d.ts` for them.
   *
   * @returns a function that ends that
   */
  on(name, listener) {
    if (!this.#listeners.has(name)) this.#listeners.set(name, new Set());
    this.#listeners.get(name).add(listener);
    return () => this.#listeners.get(name).delete(listener);
  }

  #flush() {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    try {
      while (this.#queue.length > 0) this.#tell(...this.#queue.shift());
    } finally {
      this.#isFlushing = false;
    }
  }

  #tell(name, detail) {
    switch (name) {
      case 'change':
        return this.#tellChange(detail);
      case 'answer': {
        const { op, answer } = detail;
        op.submission?.settle(answer);
        return this.#emit('answer', { ...answer, submission: op.submission });
      }
      case 'connection':
        if (this.connection === 'live') this.#joining?.();
        return this.#emit('connection', { ...detail, connection: this.connection });
      case 'drag':
        return this.#emit('drag', this.#shownDrag(detail));
      case 'end':
        this.#joining?.(new JoinError(detail.reason, detail.detail));
        if (!this.#isClosed) {
          this.#save();
          this.#stop();
        }
        return this.#emit('end', detail);
      default:
        return this.#emit(name, detail);
    }
  }

  #tellChange({ reloaded = false, cause }) {
    const replica = this.#replica;
    if (!replica) return;
    const { items, collections } = replica.state.takeTouched();
    const { renamed } = replica;
    replica.renamed = new Map();
    this.#version += 1;
    this.#emit('change', { items, collections, renamed, reloaded, cause });
  }

  #emit(name, detail) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        listener(detail);
      } catch (error) {
        // A mistake of the app: told where such mistakes are told, and not here.
        if (typeof globalThis.reportError === 'function') globalThis.reportError(error);
        else queueMicrotask(() => { throw error; });
      }
    }
  }
}

const forbidden = (refusal) => ({ operation: 'forbidden', refusal });
