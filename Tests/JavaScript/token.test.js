/** Signed tokens: a provider is asked for each connection, and what it says goes with the hello (J23). */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { after, test } from 'node:test';
import { JoinError, MemorySessionStore, TableClient } from '../../Sources/BaizeServer/Web/baize.js';
import { decode, encode } from '../../Sources/BaizeServer/Web/baize/codec.js';
import { ClientMessage, ServerMessage } from '../../Sources/BaizeServer/Web/baize/schema.js';
import { TokenTime } from '../../Sources/BaizeServer/Web/baize/timing.js';
import { program, startDaemon, WebSocketClient } from './daemon.js';

/** A daemon that answers each hello with a goodbye, and keeps the tokens that it was shown. */
function daemon(goodbyes) {
  const shown = [];
  class Socket {
    constructor() {
      this.readyState = 1;
      queueMicrotask(() => this.onopen?.({}));
    }
    send(bytes) {
      const { hello } = decode(ClientMessage, new Uint8Array(bytes));
      if (!hello) return;
      shown.push(hello.signedToken);
      const goodbye = encode(ServerMessage, { goodbye: goodbyes[Math.min(shown.length, goodbyes.length) - 1] });
      queueMicrotask(() => this.onmessage?.({ data: goodbye }));
    }
    close() {}
  }
  return { shown, Socket };
}

const EXPIRED = { reason: 'TOKEN_EXPIRED', resumable: true };
const REFUSED = { reason: 'TOKEN_REFUSED', detail: 'no' };

function join(options) {
  return TableClient.join('ws://127.0.0.1:1/ws', { table: 't', store: new MemorySessionStore(), timeout: 600_000, ...options });
}

test('a token that has expired is asked for again, and one that is refused is the end', async () => {
  const { shown, Socket } = daemon([EXPIRED, EXPIRED, REFUSED]);
  let count = 0;
  const token = async () => `token-${(count += 1)}`;
  await assert.rejects(join({ WebSocket: Socket, token }), (error) => error instanceof JoinError && error.reason === 'TOKEN_REFUSED');
  assert.deepEqual(shown, ['token-1', 'token-2', 'token-3']);
});

test('a provider that fails, or returns something else, is asked again', async () => {
  const { shown, Socket } = daemon([REFUSED]);
  const answers = [() => Promise.reject(new Error('no network')), () => undefined, () => '', () => 'x'.repeat(4097), () => 'good'];
  await assert.rejects(join({ WebSocket: Socket, token: () => answers.shift()() }), { reason: 'TOKEN_REFUSED' });
  assert.deepEqual([shown, answers], [['good'], []]);
});

test('without a provider there is no token, and a token itself is none', async () => {
  const { shown, Socket } = daemon([REFUSED]);
  await assert.rejects(join({ WebSocket: Socket }), { reason: 'TOKEN_REFUSED' });
  assert.deepEqual(shown, ['']);
  await assert.rejects(join({ WebSocket: Socket, token: 'text' }), TypeError);
});

test('the next token is asked for a minute before the end, or after two thirds of a short time', () => {
  const asked = (seconds) => {
    const time = new TokenTime(0, seconds * 1_000);
    const found = [];
    while (time.refreshAt !== Infinity) {
      assert.equal(time.isDue(time.refreshAt - 1), false);
      found.push(time.refreshAt);
      assert.equal(time.isDue(time.refreshAt), true);
    }
    return found;
  };
  assert.equal(asked(3_600)[0], 3_540_000);
  assert.equal(asked(30)[0], 20_000);
  assert.deepEqual(asked(3), [2_000]);
  assert.deepEqual(asked(0), [1_000]);
  const all = asked(90);
  assert.ok(all.length > 3 && all.at(-1) < 90_000, all);
});

// ---- A daemon

const WAIT_MILLISECONDS_MAX = 600_000;
const folder = mkdtempSync(joinPath(tmpdir(), 'baize-token-'));
after(() => rmSync(folder, { recursive: true }));
const KEY = joinPath(folder, 'secret.json');
const ISSUED = ['--issuer', 'my-app', '--audience', 'tables'];

// It makes the secret, too. A program that was built without the trait OpenSSL makes none.
const made = spawnSync(program(), ['token', '--key', KEY, ...ISSUED, '--subject', 'ann', '--tables', 'board-*'], { encoding: 'utf8' });
const isAvailable = made.status === 0;
const LEEWAY_SECONDS = 30;

/** Returns a token that ends in so many seconds, the leeway included. */
function signed(seconds, person = {}) {
  const secret = Buffer.from(JSON.parse(readFileSync(KEY, 'utf8')).k, 'base64url');
  const exp = Math.floor(Date.now() / 1_000) + seconds - LEEWAY_SECONDS;
  const claims = { iss: 'my-app', aud: 'tables', sub: 'ann', exp, baize: { tables: ['board-*'], role: 'player', seat: 2, name: 'Ann' }, ...person };
  const encode64 = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const message = `${encode64({ alg: 'HS256' })}.${encode64(claims)}`;
  return `${message}.${createHmac('sha256', secret).update(message).digest('base64url')}`;
}

test('a client joins by tokens, and goes on with the next one on the same connection', { skip: !isAvailable }, async () => {
  const daemon = await startDaemon({ flags: ['--token-keys', KEY, '--token-issuer', 'my-app', '--token-audience', 'tables'] });
  const options = { WebSocket: WebSocketClient, timeout: WAIT_MILLISECONDS_MAX };
  try {
    let asked = 0;
    const begun = Date.now();
    const token = async () => signed((asked += 1) === 1 ? 4 : 600);
    const client = await TableClient.join(daemon.url, { table: 'board-1', type: 'list?items=3', token, ...options });
    assert.equal(client.seat, 2);
    assert.deepEqual(client.seats.map(({ name }) => name), ['Ann']);
    // Beyond the end of the first token, at which the daemon would have closed the connection.
    while (Date.now() < begun + 6_000) {
      assert.notEqual(await client.agrees(), false);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.equal(asked, 2, 'for the connection, and before its token ended');
    client.leave();
    const other = TableClient.join(daemon.url, { table: 'other', type: 'list', token, store: new MemorySessionStore(), ...options });
    await assert.rejects(other, { reason: 'TOKEN_REFUSED' });
    const plain = TableClient.join(daemon.url, { table: 'board-1', store: new MemorySessionStore(), ...options });
    await assert.rejects(plain, { reason: 'TOKEN_REFUSED' });
  } finally {
    await daemon.stop();
  }
});

const FLAGS = ['--token-keys', KEY, '--token-issuer', 'my-app', '--token-audience', 'tables'];

async function until(holds, what) {
  const end = Date.now() + WAIT_MILLISECONDS_MAX;
  while (!holds()) {
    assert.ok(Date.now() < end, `still waiting: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Runs a test with one who drags, whose first token ends in so many seconds, and one who watches and notes what is seen. */
async function withDrag(seconds, next, body) {
  const daemon = await startDaemon({ flags: FLAGS });
  const options = { table: 'board-1', type: 'list?items=5', WebSocket: WebSocketClient, timeout: WAIT_MILLISECONDS_MAX };
  try {
    const rights = { sub: 'bea', baize: { tables: ['*'], role: 'player' } };
    const other = await TableClient.join(daemon.url, { ...options, store: new MemorySessionStore(), token: async () => signed(600, rights) });
    const seen = [];
    // As a daemon has told it, without the movements.
    other.on('drag', ({ phase }) => phase !== 'moved' && seen.push(phase));
    let asked = 0;
    const token = async () => {
      if ((asked += 1) === 1) return signed(seconds);
      next();
      return signed(600);
    };
    const dragger = await TableClient.join(daemon.url, { ...options, store: new MemorySessionStore(), token });
    const lost = [];
    dragger.on('connection', ({ reason, connection }) => connection === 'reconnecting' && lost.push(reason));
    const [item] = dragger.collection('items').items;
    const { session, revision } = dragger;
    await until(() => other.revision === revision, 'the one who joined last');
    const drop = () => {
      dragger.endDrag();
      return dragger.reorder([item], 'items');
    };
    /** The drop is judged once, and nobody sees the drag any more. */
    const landed = async (submission) => {
      assert.equal((await submission.outcome).verdict, 'accepted');
      for (const client of [dragger, other]) {
        await until(() => client.collection('items').items.at(-1).id === item.id && client.drags.length === 0, 'the drop');
        assert.equal(client.revision, revision + 1);
        assert.notEqual(await client.agrees(), false);
      }
      assert.equal(dragger.session, session);
    };
    await body({ dragger, other, item, seen, lost, drop, landed });
    dragger.leave();
    other.leave();
  } finally {
    await daemon.stop();
  }
}

test('a drag goes on when the next token comes in time', { skip: !isAvailable }, async () => {
  await withDrag(3, () => {}, async ({ dragger, other, item, seen, lost, drop, landed }) => {
    const begun = Date.now();
    dragger.beginDrag([item]);
    await until(() => other.drags.length === 1, 'the drag');
    let x = 0;
    // Beyond the end of the first token.
    while (Date.now() < begun + 5_000) {
      dragger.moveDrag({ x: (x += 1) });
      assert.deepEqual(other.drags.map(({ session }) => session), [dragger.session]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await until(() => other.drags[0].x === x, 'the last movement');
    await landed(drop());
    assert.deepEqual([seen, lost], [['began', 'ended'], []], 'without an interruption');
  });
});

for (const isDroppedMeanwhile of [true, false]) {
  const when = isDroppedMeanwhile ? 'before the next one comes' : 'after it has begun again';
  test(`a drag ends with its token, and is dropped ${when}: judged once`, { skip: !isAvailable }, async () => {
    let isReachable = false;
    const next = () => assert.ok(isReachable, 'the back end cannot be reached');
    await withDrag(2, next, async ({ dragger, other, item, seen, lost, drop, landed }) => {
      dragger.beginDrag([item]);
      await until(() => other.drags.length === 1, 'the drag');
      await until(() => lost.length > 0 && other.drags.length === 0, 'the end of the connection');
      assert.deepEqual([seen, lost[0]], [['began', 'cancelled'], 'TOKEN_EXPIRED']);
      const early = isDroppedMeanwhile ? drop() : undefined;
      isReachable = true;
      if (!isDroppedMeanwhile) {
        await until(() => other.drags.length === 1, 'the drag begins again');
        assert.deepEqual(other.drags[0].items, [item.id]);
      }
      await landed(early ?? drop());
      assert.deepEqual(seen, ['began', 'cancelled', ...(isDroppedMeanwhile ? [] : ['began', 'ended'])]);
    });
  });
}
