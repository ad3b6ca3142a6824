/** Who is connected, the drags of others, and the own drag at the rate at which the daemon passes it on (P1–P8). */

import { DRAG_MOVE_INTERVAL, DRAG_REST, DRAGS_MAX } from './limits.js';
import { Phase } from './schema.js';
import { checkedSeats } from './state.js';

const BEGAN = Phase.values.get('BEGAN');
const MOVED = Phase.values.get('MOVED');

export class Presence {
  constructor() {
    /** The persons of the sessions that are connected, by session. */
    this.connected = new Map();
    /** The drags of others, by session. */
    this.drags = new Map();
    /** The own drag as it began, to begin it again on another connection. */
    this.held = undefined;
    this.move = undefined;
    this.isSent = false;
    this.sentAt = -Infinity;
  }

  receiveSeats({ seats }) {
    this.connected.clear();
    for (const { person, connected, sessions } of checkedSeats(seats)) {
      for (const session of sessions.length > 0 ? sessions : connected ? [person] : []) this.connected.set(session, person);
    }
  }

  /** Returns the person of a session: one's first session has one's number. */
  personOf(session) {
    return this.connected.get(session) ?? session;
  }

  /** The connected sessions of a person. */
  sessionsOf(person) {
    return [...this.connected].filter(([, one]) => one === person).map(([session]) => session);
  }

  /** Returns the drag for the app; with `refused`, an own one that the daemon did not grant (P7). */
  receiveDrag(drag, session) {
    if (drag.refused || drag.session === session) {
      const isHeld = this.held?.items.join() === drag.items.join();
      if (isHeld) [this.held, this.move] = [undefined, undefined];
      return { ...drag, refused: true };
    }
    // A movement has the items that the drag began with (P3).
    const known = drag.phase === MOVED ? this.drags.get(drag.session) : undefined;
    if (known) drag = { ...drag, items: known.items };
    if (drag.phase !== BEGAN && drag.phase !== MOVED) this.drags.delete(drag.session);
    else if (this.drags.has(drag.session) || this.drags.size < DRAGS_MAX) this.drags.set(drag.session, drag);
    return drag;
  }

  /** The daemon sends everything again on the next connection. */
  disconnected() {
    this.drags.clear();
    this.connected.clear();
  }

  /** The sessions that drag items, by item. */
  get claims() {
    const claims = new Map();
    for (const [session, { items }] of this.drags) for (const item of items) claims.set(item, session);
    return claims;
  }

  // ---- The own drag

  get nextDeadline() {
    return this.move && this.sentAt + (this.isSent ? DRAG_REST : DRAG_MOVE_INTERVAL);
  }

  /** Returns the drag message to send now, if any. */
  pace(drag, now) {
    if (drag.phase === BEGAN) {
      [this.held, this.move] = [drag, undefined];
      return drag;
    }
    if (!this.held) return undefined;
    if (drag.phase === MOVED) {
      [this.move, this.isSent] = [drag, false];
      return this.due(now);
    }
    [this.held, this.move] = [undefined, undefined];
    return drag;
  }

  /** Returns the last movement if it is time to send it, or to send it once more: the daemon drops what comes too fast. */
  due(now) {
    const { move } = this;
    if (!move || now < this.nextDeadline) return undefined;
    if (this.isSent) this.move = undefined;
    [this.isSent, this.sentAt] = [true, now];
    return move;
  }
}
