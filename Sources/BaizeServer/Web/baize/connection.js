/**
 * The connection of a machine: opening it, keeping it alive, giving it up, and connecting again (client.md, "Connecting
 * again"). What goes over it is `ClientMachine`'s, which has `makeHello()`, `forgetConnection()`, `sendWhatIsDue(now)` and
 * `nextDue`.
 */

import { encode } from './codec.js';
import { ClientMessage } from './schema.js';
import { Backoff, Heartbeat } from './timing.js';

const HANDSHAKE = 10_000;

export class Connection {
  constructor(host, random) {
    this.host = host;
    this.backoff = new Backoff(random);
    this.heartbeat = new Heartbeat();
    /** `idle`, `connecting`, `greeting`, `loading`, `live`, `waiting` or `ended`. */
    this.phase = 'idle';
    /** The time at which an attempt to connect or to join is given up. */
    this.until = 0;
    this.nonce = 0;
  }

  start(now) {
    this.connect(now);
  }

  connect(now) {
    this.phase = 'connecting';
    this.until = now + HANDSHAKE;
    this.host.connect();
  }

  /** The connection is open: the hello goes first, and once (J1). */
  opened(now) {
    if (this.phase !== 'connecting') return;
    this.phase = 'greeting';
    this.until = now + HANDSHAKE;
    this.heartbeat = new Heartbeat(now);
    this.send({ hello: this.makeHello() }, now);
  }

  /** The connection is lost, or could not be opened. */
  closed(now) {
    if (this.phase === 'connecting' || this.isConnected) this.waitToReconnect(now);
  }

  get isConnected() {
    return ['greeting', 'loading', 'live'].includes(this.phase);
  }

  /** Ends a connection on which something cannot be right, and resumes. */
  drop(now) {
    this.host.disconnect();
    this.waitToReconnect(now);
  }

  /** Waits before the next attempt (C10). */
  waitToReconnect(now, goodbye) {
    this.backoff.begin(now, goodbye);
    this.phase = 'waiting';
    this.forgetConnection();
    this.host.event('connection', { reason: goodbye?.reason ?? '', detail: goodbye?.detail ?? '' });
  }

  /** Tries again now, unless the daemon has asked to wait: the network is back, say. */
  reconnect(now) {
    if (this.phase === 'waiting') this.backoff.shorten(now);
  }

  send(message, now) {
    this.heartbeat.sent = now;
    this.host.send(encode(ClientMessage, message));
  }

  // ---- Time

  /** The time at which `tick` is due; `undefined` if nothing is. */
  get nextDeadline() {
    switch (this.phase) {
      case 'connecting':
      case 'greeting':
        return this.until;
      case 'waiting':
        return this.backoff.until;
      case 'loading':
        return this.heartbeat.nextDeadline;
      case 'live':
        return Math.min(this.heartbeat.nextDeadline, this.nextDue);
      default:
        return undefined;
    }
  }

  tick(now) {
    switch (this.phase) {
      case 'connecting':
      case 'greeting':
        if (now >= this.until) this.drop(now);
        break;
      case 'waiting':
        if (now >= this.backoff.until) this.connect(now);
        break;
      case 'loading':
      case 'live':
        this.keepAlive(now);
        break;
      default:
    }
  }

  keepAlive(now) {
    this.sendWhatIsDue(now);
    if (this.heartbeat.isSilent(now)) this.drop(now);
    else if (now >= this.heartbeat.nextDeadline) this.ping(this.heartbeat.wantsHash(now), now);
  }

  ping(wantHash, now) {
    this.nonce += 1;
    this.heartbeat.pinged = now;
    this.send({ ping: { nonce: this.nonce, wantHash } }, now);
    return this.nonce;
  }
}
