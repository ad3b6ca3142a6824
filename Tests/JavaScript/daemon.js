/** A daemon in a process of its own, and a WebSocket to it, which Node has only from version 22 on (RFC 6455, W1 to W6). */

import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { root } from './support.js';

// Against waiting for ever: a busy machine takes its time.
const START_MILLISECONDS_MAX = 600_000;

/** Returns the program: BAIZED, or what was built last here. */
export function program() {
  const built = ['release', 'debug'].map((kind) => fileURLToPath(new URL(`.build/${kind}/baized`, root)));
  return process.env.BAIZED ?? built.find((path) => existsSync(path)) ?? built[0];
}

/** Starts a daemon on a free port, or on the port of one before it. */
export async function startDaemon({ port = 0, journal, flags = [] } = {}) {
  const place = journal ? ['--journal', journal] : ['--durability', 'memory'];
  const child = spawn(program(), ['--listen', '127.0.0.1:0', '--http', `127.0.0.1:${port}`, '--allow-seeds', '--log-level', 'error', '--shards', '1', ...place, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Variables such as BAIZE_SEED are meant for the tests.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BAIZE_'))),
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`${program()} does not listen: ${text}`)), START_MILLISECONDS_MAX);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${program()} ended with ${code}`)));
    child.stdout.on('data', (data) => {
      text += data;
      const found = /serves http:\/\/(\S+)\/\n.*listening on /s.exec(text);
      if (!found) return;
      clearTimeout(timer);
      resolve(`ws://${found[1]}/ws`);
    });
  });
  const stop = (signal = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  return { url, port: Number(new URL(url).port), stop };
}

/** All sockets that are open, for tests that cut connections. */
export const sockets = new Set();

const [TEXT, BINARY, CLOSE, PING, PONG] = [1, 2, 8, 9, 10];
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** A WebSocket as browsers have it, as far as `baize.js` and the tests need it. */
export class WebSocketClient {
  #received = Buffer.alloc(0);
  #isOpen = false;

  constructor(url) {
    const { hostname, port, pathname, host } = new URL(url);
    this.readyState = 0;
    this.key = randomBytes(16).toString('base64');
    this.socket = connect(Number(port), hostname);
    this.socket.setNoDelay(true);
    sockets.add(this);
    this.socket.on('connect', () => this.socket.write([
      `GET ${pathname} HTTP/1.1`, `Host: ${host}`, `Origin: http://${host}`, 'Connection: Upgrade', 'Upgrade: websocket',
      'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${this.key}`, 'Sec-WebSocket-Extensions: permessage-deflate', '', '',
    ].join('\r\n')));
    this.socket.on('data', (data) => this.#read(data));
    this.socket.on('error', (error) => this.onerror?.(error));
    this.socket.on('close', () => {
      this.readyState = 3;
      sockets.delete(this);
      this.onclose?.({ code: this.code ?? 1006, reason: this.reason ?? '' });
    });
  }

  #read(data) {
    this.#received = Buffer.concat([this.#received, data]);
    if (!this.#isOpen && !this.#readResponse()) return;
    for (let frame = this.#nextFrame(); frame; frame = this.#nextFrame()) this.#receive(frame);
  }

  #readResponse() {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const [line, ...fields] = this.#received.subarray(0, end).toString().split('\r\n');
    this.#received = this.#received.subarray(end + 4);
    const accept = createHash('sha1').update(this.key + ACCEPT_SUFFIX).digest('base64');
    if (!line.startsWith('HTTP/1.1 101 ') || !fields.includes(`Sec-WebSocket-Accept: ${accept}`) || fields.some((field) => /^sec-websocket-(extensions|protocol)/i.test(field))) {
      this.onerror?.(new Error(line));
      this.cut();
      return false;
    }
    this.#isOpen = true;
    this.readyState = 1;
    this.onopen?.();
    return true;
  }

  /** A frame of the daemon's: it is whole, and not masked. */
  #nextFrame() {
    const bytes = this.#received;
    if (bytes.length < 2) return undefined;
    const start = { 126: 4, 127: 10 }[bytes[1]] ?? 2;
    if (bytes.length < start) return undefined;
    const length = start === 2 ? bytes[1] : start === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    if (bytes.length < start + length) return undefined;
    this.#received = bytes.subarray(start + length);
    return { opcode: bytes[0] & 0x0f, isWhole: bytes[0] >= 0x80 && bytes[0] < 0x90 && bytes[1] < 0x80, payload: bytes.subarray(start, start + length) };
  }

  #receive({ opcode, isWhole, payload }) {
    if (!isWhole) throw new Error('a frame that a daemon does not send');
    if (opcode === BINARY) this.onmessage?.({ data: Uint8Array.from(payload).buffer });
    else if (opcode === TEXT) this.onmessage?.({ data: payload.toString() });
    else if (opcode === PING) this.#send(PONG, payload);
    else if (opcode === CLOSE) {
      [this.code, this.reason] = payload.length >= 2 ? [payload.readUInt16BE(0), payload.toString('utf8', 2)] : [1005, ''];
      if (this.readyState === 1) this.#send(CLOSE, payload.subarray(0, 2));
      this.readyState = 2;
      this.socket.end();
    }
  }

  #send(opcode, bytes) {
    const mask = randomBytes(4);
    const length = bytes.length < 126 ? Buffer.from([0x80 | bytes.length]) : Buffer.alloc(bytes.length < 0x10000 ? 3 : 9);
    if (length.length === 3) {
      length[0] = 0x80 | 126;
      length.writeUInt16BE(bytes.length, 1);
    } else if (length.length === 9) {
      length[0] = 0x80 | 127;
      length.writeBigUInt64BE(BigInt(bytes.length), 1);
    }
    const masked = Buffer.from(bytes.map((byte, index) => byte ^ mask[index & 3]));
    this.socket.write(Buffer.concat([Buffer.from([0x80 | opcode]), length, mask, masked]));
  }

  send(bytes) {
    this.#send(BINARY, bytes);
  }

  close() {
    if (this.readyState === 1) this.#send(CLOSE, Buffer.from([3, 0xe8]));
    this.readyState = 2;
    this.socket.end();
    this.socket.unref();
  }

  /** Cuts the connection, as a network does. */
  cut() {
    this.socket.destroy();
  }
}
