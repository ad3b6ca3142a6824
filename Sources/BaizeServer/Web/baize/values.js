/** The values of presence of the participants, and the own one at the rate at which the daemon passes values on (P10–P12). */

import { PRESENCE_INTERVAL, PRESENCES_MAX } from './limits.js';

const NONE = new Uint8Array(0);

export class PresenceValues {
  constructor() {
    /** The others' values, by session; without empty ones. */
    this.others = new Map();
    this.own = NONE;
    /** Whether the daemon may have another value than the own one. */
    this.isStale = false;
    this.sentAt = -Infinity;
    /** Whether a value was sent on this connection. */
    this.wasSent = false;
  }

  // ---- The own value

  set(value) {
    this.own = value;
    this.isStale = true;
  }

  /** The time at which `due` has something to send; `undefined` if the daemon has the value. */
  get nextDeadline() {
    return this.isStale ? this.sentAt + PRESENCE_INTERVAL : undefined;
  }

  /** Returns the message to send now, if any. */
  due(now) {
    if (!this.isStale || now < this.nextDeadline) return undefined;
    [this.isStale, this.sentAt] = [false, now];
    this.wasSent = true;
    return { value: this.own };
  }

  /** A connection begins without a value. */
  disconnected() {
    this.others.clear();
    this.isStale = this.own.length > 0;
    this.wasSent = false;
  }

  /** Of what was sent under another epoch it is not known whether the daemon has kept it: even an empty value is sent again. */
  enterEpoch() {
    this.others.clear();
    this.isStale ||= this.wasSent;
  }

  // ---- The others' values

  receive({ session, value }) {
    if (value.length === 0) this.others.delete(session);
    else if (this.others.has(session) || this.others.size < PRESENCES_MAX) this.others.set(session, value);
  }

  /** Drops the values of all but these sessions. */
  keep(sessions) {
    for (const session of [...this.others.keys()]) if (!sessions.has(session)) this.others.delete(session);
  }
}
