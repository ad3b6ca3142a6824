/**
 * The connection of a page that is loaded for a table: it is opened before the rest of the page is ready. The client that joins first
 * takes it.
 */

import { parseAddress, socketAddress } from './address.js';
import { joinedAtOnce } from './tables.js';

let early = globalThis.document && joinedAtOnce(parseAddress()) ? new WebSocket(socketAddress()) : undefined;

/** Returns that connection, once, and else a new one; `new` may be before it. */
export function openSocket(url) {
  const socket = early;
  early = undefined;
  return socket?.url === url && socket.readyState <= WebSocket.OPEN ? socket : new WebSocket(url);
}
