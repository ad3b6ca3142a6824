/** A machine's connection: a WebSocket, or what behaves like one. One binary message is one message of the protocol. */

import { SERVER_MESSAGE_BYTES_MAX } from './limits.js';
import { ProtocolError } from './machine.js';

const OPEN = 1;

export class Socket {
  #socket;
  #events;

  /**
   * @param events `opened()`, `received(bytes)`, `closed()` and `failed(error)`. After `close()` none of them is called.
   * @throws if there is no connection to such an address
   */
  constructor(url, Implementation, events) {
    this.#events = events;
    const socket = new Implementation(url);
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => this.#events?.opened();
    // One that the app has opened before says so no more.
    if (socket.readyState === OPEN) queueMicrotask(() => this.#events?.opened());
    socket.onmessage = ({ data }) => this.#received(data);
    // An error is always followed by a close, which says as much.
    socket.onerror = () => {};
    socket.onclose = () => {
      const events = this.#events;
      this.#events = undefined;
      events?.closed();
    };
  }

  #received(data) {
    const isBinary = data instanceof ArrayBuffer || ArrayBuffer.isView(data);
    if (!isBinary) return this.#events?.failed(new ProtocolError('a message that is not binary'));
    if (data.byteLength > SERVER_MESSAGE_BYTES_MAX) return this.#events?.failed(new ProtocolError('a message that is too long'));
    if (data instanceof ArrayBuffer) return this.#events?.received(new Uint8Array(data));
    return this.#events?.received(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }

  send(bytes) {
    if (this.#socket.readyState === OPEN) this.#socket.send(bytes);
  }

  close() {
    this.#events = undefined;
    this.#socket.close();
  }
}
