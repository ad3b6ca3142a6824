/** When a client connects again, and how it keeps a connection alive. Times are in milliseconds. */

const BACKOFF = 100;
const BACKOFF_MAX = 5_000;
const BACKOFF_DOUBLINGS_MAX = 16;
const HASH_INTERVAL = 30_000;
const HEARTBEAT_SECONDS = 15;
const HEARTBEAT_SECONDS_MAX = 3_600;
/** The number of own intervals without a message after which the connection is given up. */
const SILENCE_MAX = 3;

/** Exponential back-off with full jitter, on top of what the daemon asks for (C10). */
export class Backoff {
  constructor(random) {
    this.random = random;
    this.attempts = 0;
    this.until = 0;
    this.earliest = 0;
  }

  /** Begins to wait. A client whose seat is another connects again at once (J19), unless that has failed already. */
  begin(now, goodbye) {
    const ceiling = Math.min(BACKOFF_MAX, BACKOFF * 2 ** Math.min(this.attempts, BACKOFF_DOUBLINGS_MAX));
    const isMoved = goodbye?.reason === 'RESEATED' && this.attempts === 0;
    this.attempts += 1;
    this.earliest = now + (goodbye?.retryAfterMs ?? 0);
    this.until = isMoved ? now : this.earliest + this.random() * ceiling;
  }

  /** Ends the wait, but for what the daemon has asked for. */
  shorten(now) {
    this.until = Math.min(this.until, Math.max(now, this.earliest));
  }

  /** The client is live: the next wait is a short one. */
  reset() {
    this.attempts = 0;
  }
}

export class Heartbeat {
  constructor(now = 0) {
    this.sent = now;
    this.received = now;
    this.pinged = now;
    this.compared = now;
    this.interval = 0;
    this.setSeconds(0);
  }

  /** Takes over the daemon's interval. Half of it, so that one late ping does not time out the connection (H1). */
  setSeconds(seconds) {
    this.interval = (Math.min(HEARTBEAT_SECONDS_MAX, seconds || HEARTBEAT_SECONDS) * 1_000) / 2;
  }

  /**
   * The time of the next ping: after an interval in which nothing was sent, or in which nothing was received. Much of what a
   * client sends, such as presence and drags, is not answered.
   */
  get nextDeadline() {
    return Math.min(this.sent, Math.max(this.received, this.pinged)) + this.interval;
  }

  /** Returns whether nothing has come for too long (H2). */
  isSilent(now) {
    return now >= this.received + SILENCE_MAX * this.interval;
  }

  /** Returns whether the next ping asks for the hash (C1). */
  wantsHash(now) {
    if (now < this.compared + HASH_INTERVAL) return false;
    this.compared = now;
    return true;
  }
}

/**
 * When a connection's signed token has to be replaced (J23): a minute before its end, or after two thirds of a short time. Until the
 * daemon has accepted another, again and again, after two thirds of what is left each time.
 */
export class TokenTime {
  constructor(now, left) {
    this.end = now + left;
    this.#plan(now);
  }

  #plan(now) {
    const left = Math.max(0, this.end - now);
    this.refreshAt = now + Math.max(left - Math.min(left / 3, TOKEN_LEAD), TOKEN_INTERVAL_MIN);
  }

  /** Returns, once, whether a token is to be asked for. */
  isDue(now) {
    if (now < this.refreshAt) return false;
    if (now + TOKEN_INTERVAL_MIN < this.end) this.#plan(now);
    else this.refreshAt = Infinity;
    return true;
  }
}

const TOKEN_LEAD = 60_000;
const TOKEN_INTERVAL_MIN = 1_000;
