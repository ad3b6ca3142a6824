/**
 * The client's side of the protocol for one table (Protocol/client.md, "States"): it joins, loads a snapshot, applies diffs,
 * sends operations, reconnects after a lost connection, and sends pending operations again.
 *
 * It has no socket and no clock: times are arguments, in milliseconds, and its host has `connect()`, `send(bytes)`,
 * `disconnect()`, `refreshToken()`, `event(name, detail)` and `save()`.
 *
 * ```
 *            opened        welcome          last part
 *  connecting ──────▶ greeting ──────▶ loading ──────▶ live
 *      ▲                 │                │  ▲           │
 *      │ back-off        │ lost           │  └───────────┤ does not fit: a snapshot
 *      └──── waiting ◀───┴────────────────┴──────────────┘ lost
 * ```
 */

import { DecodeError } from './bytes.js';
import { decode, encode } from './codec.js';
import { Connection } from './connection.js';
import { compileRules } from './document.js';
import { viewHash } from './hash.js';
import { DETAIL_CHARACTERS_MAX, HELLO_BYTES_MAX, UNREADABLE_CONNECTIONS_MAX, UNREADABLE_INTERVAL } from './limits.js';
import { Presence } from './presence.js';
import { readSeen } from './seen.js';
import { PresenceValues } from './values.js';
import { BEHIND_UNDO, Replica } from './replica.js';
import { Refusal } from './refusal.js';
import { Operation, Role, ServerMessage, Verdict } from './schema.js';
import { TokenTime } from './timing.js';
import { attributeMap, Mismatch, openings, StateLoader } from './state.js';

const NONE = new Uint8Array(0);
// Node 18 has it in a module only.
const random = globalThis.crypto ?? (await import('node:crypto')).webcrypto;
export const randomBytes = (count) => random.getRandomValues(new Uint8Array(count));
const isEqual = (left, right) => left.length === right.length && left.every((byte, index) => byte === right[index]);

const RETRY_DELAY = 100;
/** The reasons to send again without waiting. */
const AT_ONCE = new Set(['STALE_BASE', 'NOT_PLACED', BEHIND_UNDO]);
/** The most bytes that an operation takes besides its kind, with the neighbors of its gap. */
const OPERATION_OVERHEAD = 128;

const NOBODY = { count: 0, asking: [] };

/** A message that cannot be right where it comes: the connection ends, and is resumed. */
export class ProtocolError extends Error {
  constructor(detail) {
    super(detail);
    this.name = 'ProtocolError';
  }
}

export class ClientMachine extends Connection {
  constructor(configuration, host, random = Math.random) {
    super(host, random);
    this.configuration = configuration;
    this.presence = new Presence();
    this.values = new PresenceValues();
    /** The last welcome; `undefined` before the first, and after the session is lost. */
    this.welcome = undefined;
    this.replica = undefined;
    this.rules = undefined;
    this.documentError = undefined;
    /** Who this is, and which of that person's sessions: made once, and kept by a store. The credential is a secret. */
    this.identity = { credential: configuration.credential ?? randomBytes(32), sessionName: randomBytes(16) };
    /** The number of the last hello. It counts on from the time, so that it is larger than a reloaded page's before. */
    this.attempt = Date.now();
    /** The ticket of the last welcome: it is the same as long as the session is. */
    this.ticket = NONE;
    this.invite = configuration.invite;
    /** The signed token for the next hello; a secret. */
    this.signedToken = '';
    /** When the connection's signed token ends, and when another is asked for; `undefined` if it has none. */
    this.tokenTime = undefined;
    /** What a store has brought back, until a snapshot takes it over: `{ session, seat, epoch, nextSeq, pending }`. */
    this.restored = undefined;
    /** What is shown until the daemon's state is there, if that is what was seen last: `{ at, person, tableType }`. */
    this.seen = undefined;
    this.loader = undefined;
    /** The revision of the last missed diff, if diffs follow the welcome instead of a snapshot. */
    this.catchUp = undefined;
    this.isFresh = false;
    /** Whether the replica is known to differ from the daemon's state, so that only a snapshot can replace it (J15). */
    this.isWrong = false;
    /** The connections in a row that ended because the daemon could not read what was sent. */
    this.unreadable = { count: 0, last: -Infinity };
    this.retryAt = undefined;
    /** When the time of the turn, and that of the table, is up; `undefined` where none runs. */
    this.ends = {};
    this.watching = NOBODY;
    this.comparisons = new Map();
    this.sessionsLost = 0;
  }

  // ---- Connection

  makeHello() {
    const { table, type, name, role, seed } = this.configuration;
    this.isFresh = true;
    this.attempt += 1;
    const { epoch, confirmedRevision: revision } = (this.isWrong ? undefined : this.replica) ?? {};
    return {
      protocol: 1, table, tableType: type, name, role: Role.values.get(role), invite: this.invite, seed,
      ...this.identity, ticket: this.ticket, attempt: this.attempt, signedToken: this.signedToken, epoch, revision,
    };
  }

  /** Forgets what is of one connection. */
  forgetConnection() {
    [this.loader, this.catchUp] = [undefined, undefined];
    this.presence.disconnected();
    this.values.disconnected();
    [this.ends, this.watching] = [{}, NOBODY];
    this.tokenTime = undefined;
    this.answerComparisons(undefined);
  }

  end(goodbye) {
    if (this.phase === 'ended') return;
    this.phase = 'ended';
    this.answerPendingAsUnknown();
    this.forgetConnection();
    this.host.event('end', { reason: goodbye.reason, detail: goodbye.detail ?? '' });
    this.host.save();
  }

  /** Leaves the table for good: the seat is free at once (H5). */
  leave(now) {
    if (this.isConnected) {
      this.send({ goodbye: { reason: 'LEAVING' } }, now);
      this.host.disconnect();
    }
    this.ticket = NONE;
    this.end({ reason: 'LEAVING' });
  }

  // ---- Time

  get nextDue() {
    const value = this.isSpectator ? undefined : this.values.nextDeadline;
    const token = this.tokenTime?.refreshAt;
    return Math.min(this.retryAt ?? Infinity, this.presence.nextDeadline ?? Infinity, value ?? Infinity, token ?? Infinity);
  }

  sendWhatIsDue(now) {
    if (this.retryAt !== undefined && now >= this.retryAt) this.sendAgainIfDue(now);
    if (this.tokenTime?.isDue(now)) this.host.refreshToken();
    const drag = this.phase === 'live' ? this.presence.due(now) : undefined;
    if (drag) this.send({ drag }, now);
    this.sendPresence(now);
  }

  /** Asks the daemon for its hash; `answer` gets whether this replica's is the same, or `undefined` if that is open. */
  compare(now, answer) {
    if (this.phase === 'live') this.comparisons.set(this.ping(true, now), answer);
    else answer(undefined);
  }

  answerComparisons(result) {
    for (const answer of this.comparisons.values()) answer(result);
    this.comparisons.clear();
  }

  // ---- Messages

  /** Handles one message. Nothing that a daemon sends throws (I12). */
  receive(bytes, now) {
    if (!this.isConnected) return;
    this.heartbeat.received = now;
    try {
      this.handle(decode(ServerMessage, bytes), now);
    } catch (error) {
      this.fail(error, now);
    }
  }

  /** Ends the connection because of what came over it, and resumes. */
  fail(error, now) {
    // An error of the library itself: what it holds may be wrong.
    if (!(error instanceof DecodeError || error instanceof ProtocolError)) this.isWrong = true;
    this.host.event('error', error);
    if (this.isConnected) this.drop(now);
  }

  handle(message, now) {
    if (message.goodbye) return this.receiveGoodbye(message.goodbye, now);
    if (message.welcome) return this.receiveWelcome(message.welcome, now);
    if (this.phase === 'greeting') {
      if (Object.values(message).some((body) => body !== undefined)) throw new ProtocolError('a message before the welcome');
      return undefined;
    }
    if (message.snapshot) return this.receivePart(message.snapshot, now);
    if (message.diff) return this.receiveDiff(message.diff, now);
    if (message.outcome) return this.receiveOutcome(message.outcome, now);
    if (message.pong) return this.receivePong(message.pong, now);
    if (message.seats) return this.receiveSeats(message.seats);
    if (message.presence) return this.receivePresence(message.presence);
    if (message.chat) return this.host.event('chat', message.chat);
    if (message.countdown) return this.receiveCountdown(message.countdown, now);
    if (message.watching) return this.receiveWatching(message.watching);
    if (message.tokenTime) return this.receiveTokenTime(message.tokenTime, now);
    if (message.drag) return this.host.event('drag', this.presence.receiveDrag(message.drag, this.welcome.session));
    return undefined;
  }

  receiveGoodbye(goodbye, now) {
    this.host.disconnect();
    if (goodbye.reason === 'MALFORMED' || goodbye.reason === 'FRAME_TOO_LARGE') {
      this.resumeUnlessRepeated(goodbye, now);
    } else if (goodbye.resumable) {
      this.waitToReconnect(now, goodbye);
    } else {
      this.end(goodbye);
    }
  }

  /** What the daemon could not read may be sent again and end every connection: gives up after some in a row (C11). */
  resumeUnlessRepeated(goodbye, now) {
    const isInRow = now - this.unreadable.last <= UNREADABLE_INTERVAL;
    this.unreadable = { count: isInRow ? this.unreadable.count + 1 : 1, last: now };
    if (!goodbye.resumable || this.unreadable.count >= UNREADABLE_CONNECTIONS_MAX) {
      this.end({ ...goodbye, resumable: false });
    } else {
      this.backoff.attempts = Math.max(this.backoff.attempts, this.unreadable.count);
      this.waitToReconnect(now, goodbye);
    }
  }

  // ---- Joining

  receiveWelcome(welcome, now) {
    if (this.phase !== 'greeting') throw new ProtocolError('a second welcome');
    if (welcome.session === 0 || welcome.person === 0 || welcome.ticket.length === 0 || welcome.maxPending === 0) {
      throw new ProtocolError('a welcome without a session');
    }
    const old = this.welcome ?? this.restored;
    const isLost = old !== undefined && !isEqual(this.ticket, welcome.ticket);
    const isSame = old === undefined || (!isLost && old.seat === welcome.seat);
    if (welcome.tableType === '') this.follow(welcome, isSame);
    else this.readDocument(welcome);
    if (isLost) this.forget();
    else if (!isSame) this.changeSeat(old.seat);
    if (welcome.invite) this.invite = welcome.invite;
    this.ticket = welcome.ticket;
    this.welcome = welcome;
    this.heartbeat.setSeconds(welcome.heartbeatSeconds);
    this.phase = 'loading';
    this.host.save();
    this.finishCatchUp(now);
  }

  /** Only the missed diffs follow, up to the welcome's revision (J15). */
  follow(welcome, isSame) {
    const { replica } = this;
    const fits = replica && !this.isWrong && isSame && this.welcome !== undefined && welcome.epoch === replica.epoch;
    if (!fits || welcome.revision < replica.confirmedRevision) {
      this.isWrong = true;
      throw new ProtocolError('diffs that do not follow this state');
    }
    Object.assign(welcome, { tableType: this.welcome.tableType, options: this.welcome.options });
    this.catchUp = welcome.revision;
  }

  readDocument(welcome) {
    this.options = attributeMap(welcome.options);
    try {
      this.rules = compileRules(welcome.tableType, this.options);
      this.documentError = undefined;
    } catch (error) {
      // A client needs no rules (C7): the daemon decides.
      [this.rules, this.documentError] = [undefined, error];
    }
  }

  /**
   * Shows what was seen last, with what waits to be sent, until the daemon's state is there.
   *
   * @param seen `{ at, messages }`: when that was, and what `seenMessages` returned then
   * @returns whether it is shown: not if the daemon was faster, if who saw it is not the one who is here, or if what waits is not of it
   * @throws {DecodeError | Mismatch} if it cannot be read
   */
  showSeen({ at, messages }) {
    const { restored } = this;
    if (this.welcome || this.replica || this.phase === 'ended' || this.ticket.length === 0) return false;
    const { welcome, load } = readSeen(messages);
    this.readDocument(welcome);
    const { state, lastSeq } = load(this.options);
    const seat = state.seats.find(({ person }) => person === welcome.person)?.seat ?? 0;
    if (restored && (restored.epoch !== state.epoch || restored.seat !== seat)) return false;
    const replica = new Replica(state, { session: restored?.session ?? 0, seat }, this.fittingRules(state), lastSeq);
    if (restored) replica.adopt(restored);
    // Only a snapshot replaces it: what has happened since to the session, nobody here knows.
    [this.replica, this.isWrong] = [replica, true];
    this.seen = { at, person: welcome.person, tableType: welcome.tableType };
    this.host.event('change', { reloaded: true });
    return true;
  }

  finishCatchUp(now) {
    if (this.catchUp === undefined || this.replica.confirmedRevision < this.catchUp) return;
    this.catchUp = undefined;
    this.becomeLive(this.welcome.lastSeq, now);
  }

  /** @param judged the last operation whose answer comes without its being sent again */
  becomeLive(judged, now) {
    this.phase = 'live';
    this.isFresh = false;
    this.backoff.reset();
    this.retryAt = undefined;
    for (const op of this.replica.release()) {
      if (op.inState || op.seq > judged) this.sendOperation(op, now); // C5, J15
    }
    const drag = this.presence.held;
    if (drag) this.send({ drag }, now);
    this.sendPresence(now);
    this.host.event('connection', { reason: '', detail: '' });
  }

  sendOperation(op, now) {
    this.send({ operation: op.message }, now);
  }

  /** The session has another seat, and perhaps another view: what is pending says so, and only a snapshot replaces the replica. */
  changeSeat(seat) {
    for (const op of (this.replica ?? this.restored)?.pending ?? []) op.madeAs ??= seat;
    this.isWrong = true;
    // What an undo would name was done in that seat.
    if (this.rules?.dependsOnSeats !== false) this.sessionsLost += 1;
  }

  /** Drops a session that no longer exists: its pending operations are never sent again. */
  forget() {
    this.answerPendingAsUnknown();
    [this.replica, this.restored, this.welcome, this.seen] = [];
    this.isWrong = false;
    this.sessionsLost += 1;
  }

  answerPendingAsUnknown() {
    const pending = this.replica?.pending ?? this.restored?.pending ?? [];
    if (this.replica) {
      this.replica.pending = [];
      this.replica.show();
    }
    if (this.restored) this.restored.pending = [];
    for (const op of pending) this.host.event('answer', { op, answer: { verdict: 'unknown' } });
  }

  receiveTokenTime({ seconds }, now) {
    this.tokenTime = new TokenTime(now, seconds * 1_000);
  }

  /** Presents a signed token in place of the connection's present one. */
  presentToken(token, now) {
    if (this.isConnected && this.phase !== 'greeting') this.send({ signedToken: { token } }, now);
  }

  // ---- Snapshots

  receivePart(part, now) {
    try {
      if (part.first) {
        this.phase = 'loading';
        this.catchUp = undefined;
        this.loader = new StateLoader(part, this.replica?.state.keys, openings(this.welcome.tableType, this.options));
      }
      if (!this.loader) throw new ProtocolError('a part of no snapshot');
      this.loader.add(part);
      if (part.complete) this.finishLoading(this.loader.finish(), part, now);
    } catch (error) {
      // The daemon would finish this snapshot before it begins another; a new connection gets a new one at once.
      this.isWrong = true;
      throw error instanceof Mismatch ? new ProtocolError(error.message) : error;
    }
  }

  finishLoading(state, { lastSeq }, now) {
    const { session, person } = this.welcome;
    const seat = state.seats.find((one) => one.person === person)?.seat ?? 0;
    const replica = new Replica(state, { session, seat }, this.fittingRules(state), lastSeq);
    const older = this.replica ?? this.restored;
    if (older) replica.adopt(older);
    const isOtherEpoch = older !== undefined && older.epoch !== replica.epoch;
    [this.replica, this.isWrong] = [replica, false];
    [this.restored, this.loader, this.seen] = [];
    if (this.isFresh) {
      this.becomeLive(0, now);
    } else {
      this.phase = 'live';
      if (isOtherEpoch) {
        for (const op of replica.release()) this.sendOperation(op, now); // C8
        this.values.enterEpoch();
        [this.ends, this.watching] = [{}, NOBODY];
        this.sendPresence(now);
      }
    }
    this.keepValues(state.seats);
    this.host.event('change', { reloaded: true });
    this.sendAgainIfDue(now);
    this.host.save();
  }

  /** The rules, if they are of the collections that the table has. */
  fittingRules({ collections }) {
    const named = this.rules?.collections;
    const own = collections.filter(({ item }) => !item);
    if (named?.length !== own.length) return undefined;
    return own.every(({ id }, index) => named[index].id === id) ? this.rules : undefined;
  }

  requestSnapshot(why, now) {
    this.isWrong = true;
    [this.loader, this.catchUp] = [undefined, undefined];
    this.phase = 'loading';
    this.host.event('diverged', why);
    this.send({ snapshotRequest: { why: why.slice(0, DETAIL_CHARACTERS_MAX) } }, now);
  }

  // ---- Diffs and answers

  receiveDiff(diff, now) {
    const { replica } = this;
    if (!replica || (this.phase !== 'live' && this.catchUp === undefined)) {
      // Between the request for a snapshot and its first part; it still answers an operation (C3).
      return this.answer(replica?.settleDiff(diff), { verdict: 'accepted', ...summary(diff) });
    }
    const own = replica.answered(diff);
    const accepted = { verdict: 'accepted', ...summary(diff) };
    try {
      replica.receiveDiff(diff);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      this.answer(own, accepted);
      return this.requestSnapshot(error.message, now);
    }
    if (diff.changes.some(({ seats }) => seats)) this.keepValues(replica.state.seats);
    this.host.event('change', { cause: { author: diff.author, seq: diff.seq, ...summary(diff) } });
    this.answer(own, accepted);
    this.finishCatchUp(now);
    return this.sendAgainIfDue(now);
  }

  receiveOutcome(outcome, now) {
    const { replica } = this;
    if (!replica) return;
    const [verdict] = [...Verdict.values].find(([, value]) => value === outcome.verdict);
    const op = replica.receiveOutcome(outcome, verdict);
    if (op && verdict !== 'RETRY') {
      this.host.event('change', {});
      this.answer(op, this.answerOf(op, outcome, verdict));
    }
    this.sendAgainIfDue(now);
  }

  answerOf(op, { reason, rule, detail, revision, minted, redirected, invite }, verdict) {
    if (verdict === 'REFUSED') return { verdict: 'refused', reason, rule, detail };
    if (verdict === 'DUPLICATE') return { verdict: 'accepted', revision, minted, redirected };
    if (invite && op.kind === 'perform' && op.body.action === 'host/invite/player') this.invite = invite;
    return { verdict: 'unchanged', invite };
  }

  answer(op, answer) {
    if (!op) return;
    this.host.event('answer', { op, answer });
    this.host.save();
  }

  /** Returns the caller that this pong answers. Earlier callers get no answer any more (H4). */
  takeComparison(nonce) {
    const answer = this.comparisons.get(nonce);
    for (const [asked, other] of this.comparisons) {
      if (asked > nonce) break;
      this.comparisons.delete(asked);
      if (asked < nonce) other(undefined);
    }
    return answer;
  }

  receivePong({ nonce, epoch, revision, viewHash: hash }, now) {
    const { replica } = this;
    const answer = this.takeComparison(nonce);
    const isComparable = this.phase === 'live' && hash !== 0n && epoch === replica.epoch;
    if (!isComparable || revision !== replica.confirmedRevision) return answer?.(undefined);
    replica.hide();
    const isEqual = viewHash(replica.state) === hash;
    replica.show();
    answer?.(isEqual);
    return isEqual ? undefined : this.requestSnapshot(`the view at revision ${revision} has another hash`, now);
  }

  // ---- Operations

  /** Whether operations may be sent: while a snapshot is on its way, too, unless others must go first (C3). */
  get maySend() {
    return this.phase === 'live' || (this.phase === 'loading' && !this.isFresh);
  }

  get maxPending() {
    return this.welcome?.maxPending ?? 0;
  }

  get frameBytesMax() {
    return this.welcome?.maxFrameBytes || HELLO_BYTES_MAX;
  }

  /** Refuses an operation whose message would be too long (F7): the daemon would end the connection. */
  checkSize(kind, body) {
    if (encode(Operation, { [kind]: body }).length + OPERATION_OVERHEAD <= this.frameBytesMax) return;
    throw new Refusal('TOO_MANY_ITEMS', '', `a message has at most ${this.frameBytesMax} bytes`);
  }

  /**
   * Applies an operation to the replica and sends it; without a connection after the next welcome. A drop that changes nothing
   * that is shown is answered here.
   */
  submit(kind, body, sendsRefused, now) {
    const op = this.replica.submit(kind, body, sendsRefused);
    if (op.seq === 0) this.answer(op, { verdict: 'unchanged' });
    if (!this.replica.pending.includes(op)) return op;
    if (this.maySend && !op.retry) this.sendOperation(op, now);
    this.host.save();
    return op;
  }

  /** Sends the pending operations again once each got `RETRY`, and the wait is over (C6). */
  sendAgainIfDue(now) {
    const reason = this.phase === 'live' ? this.replica.retryReason : '';
    if (!reason) return;
    if (!AT_ONCE.has(reason)) {
      this.retryAt ??= now + RETRY_DELAY;
      if (now < this.retryAt) return;
    }
    this.retryAt = undefined;
    for (const op of this.replica.express()) this.sendOperation(op, now);
    this.host.event('change', {});
  }

  // ---- Presence and messages

  get isSpectator() {
    return !this.replica?.seat;
  }

  receiveSeats(seats) {
    this.presence.receiveSeats(seats);
    this.values.keep(this.presence.connected);
    this.host.event('presence');
  }

  /** Drops the values of those who have none of these seats. */
  keepValues(seats) {
    const held = new Set(seats.map(({ person }) => person));
    this.values.keep({ has: (session) => held.has(this.presence.personOf(session)) });
  }

  receivePresence(presence) {
    if (presence.session === this.welcome.session) return;
    this.values.receive(presence);
    this.host.event('presence');
  }

  receiveWatching(watching) {
    this.watching = watching;
    this.host.event('presence');
  }

  /** Counts down from now on, whatever other clocks say (T8). */
  receiveCountdown({ turnMs, tableMs, turnUp, tableUp, seat }, now) {
    const end = (left) => (left > 0 ? now + left : undefined);
    this.ends = { turn: end(turnMs), table: end(tableMs) };
    this.host.event('time', { up: turnUp ? 'turn' : tableUp ? 'table' : '', seat });
  }

  /** Sets the own value of presence, and sends it as soon as the rate allows. */
  setPresence(value, now) {
    this.values.set(value);
    this.sendPresence(now);
  }

  sendPresence(now) {
    if (this.phase !== 'live' || this.isSpectator) return;
    const presence = this.values.due(now);
    if (presence) this.send({ presence }, now);
  }

  /** Sends a message to the table. @throws {Refusal} what the daemon would refuse */
  say(chat, now) {
    if (!this.replica || !this.maySend) throw new Refusal('NOT_JOINED', '', 'there is no connection');
    if (this.isSpectator) throw new Refusal('PERMISSION_DENIED', '', 'a spectator sends no messages');
    if (this.rules?.chat === false) throw new Refusal('OPERATION_NOT_SUPPORTED', '', 'this table has no messages');
    this.send({ chat }, now);
  }

  drag(drag, now) {
    const due = this.presence.pace(drag, now);
    if (due && this.maySend) this.send({ drag: due }, now);
  }
}

const summary = ({ revision, operation, rebased, redirected, minted }) => ({
  revision,
  operation: ['', 'copy', 'move', '', 'alias', '', '', '', 'delete'][operation] ?? '',
  rebased,
  redirected,
  minted,
});
