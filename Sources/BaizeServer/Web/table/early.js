/**
 * The connection of a page that is loaded for a table: it is opened before the rest of the page is ready. The one that joins first takes
 * it.
 */

import { socketAddress } from './address.js';
import { findTable, presentTable } from './tables.js';

/** Whether the page will join at once: a table that the person was at, or is known at, or a link with a name. */
function joins() {
  const address = new URLSearchParams(location.hash.slice(1));
  return presentTable() || ['name', 'watch'].some((key) => address.has(key)) || findTable(address.get('table'));
}

let early = globalThis.document && joins() ? new WebSocket(socketAddress()) : undefined;

/** Returns that connection, once, and else a new one; `new` may be before it. */
export function openSocket(url) {
  const socket = early;
  early = undefined;
  return socket?.url === url && socket.readyState <= WebSocket.OPEN ? socket : new WebSocket(url);
}

/** Closes it: no table is joined. */
export function closeEarly() {
  early?.close();
  early = undefined;
}
