/** A daemon in a process of its own, and what behaves like a WebSocket over its TCP port: frames with a length (F1, F2). */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { root } from './support.js';

const START_MILLISECONDS_MAX = 20_000;

/** Returns the program: BAIZED, or what was built last here. */
export function program() {
  const built = ['release', 'debug'].map((kind) => fileURLToPath(new URL(`.build/${kind}/baized`, root)));
  return process.env.BAIZED ?? built.find((path) => existsSync(path)) ?? built[0];
}

/** Starts a daemon on a free port, or on the port of one before it. */
export async function startDaemon({ port = 0, journal, flags = [] } = {}) {
  const place = journal ? ['--journal', journal] : ['--durability', 'memory'];
  const child = spawn(program(), ['--listen', `127.0.0.1:${port}`, '--allow-seeds', '--log-level', 'error', '--shards', '1', ...place, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`${program()} does not listen: ${text}`)), START_MILLISECONDS_MAX);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${program()} ended with ${code}`)));
    child.stdout.on('data', (data) => {
      text += data;
      const found = /listening on (\S+:(\d+))/.exec(text);
      if (!found) return;
      clearTimeout(timer);
      resolve(`tcp://${found[1]}`);
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

export class TcpSocket {
  constructor(url) {
    const { hostname, port } = new URL(url);
    this.readyState = 0;
    this.received = Buffer.alloc(0);
    this.socket = connect(Number(port), hostname);
    this.socket.setNoDelay(true);
    sockets.add(this);
    this.socket.on('connect', () => {
      this.readyState = 1;
      this.onopen?.();
    });
    this.socket.on('data', (data) => this.read(data));
    this.socket.on('error', (error) => this.onerror?.(error));
    this.socket.on('close', () => {
      this.readyState = 3;
      sockets.delete(this);
      this.onclose?.();
    });
  }

  read(data) {
    this.received = Buffer.concat([this.received, data]);
    for (;;) {
      let [length, shift, index] = [0, 1, 0];
      for (; index < this.received.length; index++, shift *= 128) {
        length += (this.received[index] & 0x7f) * shift;
        if (this.received[index] < 0x80) break;
      }
      if (index >= this.received.length || this.received.length < index + 1 + length) return;
      const message = Uint8Array.from(this.received.subarray(index + 1, index + 1 + length));
      this.received = this.received.subarray(index + 1 + length);
      this.onmessage?.({ data: message.buffer });
    }
  }

  send(bytes) {
    const prefix = [];
    let length = bytes.length;
    for (; length >= 0x80; length >>>= 7) prefix.push((length & 0x7f) | 0x80);
    this.socket.write(Buffer.concat([Buffer.from([...prefix, length]), bytes]));
  }

  close() {
    this.socket.end();
    this.socket.unref();
  }

  /** Cuts the connection, as a network does. */
  cut() {
    this.socket.destroy();
  }
}
