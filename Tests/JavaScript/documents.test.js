/** The page of Protocol/apps.md, run as it stands there: with a document of a few lines in place of a browser's. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { join as joinTable } from '../../Sources/BaizeServer/Web/baize.js';
import { startDaemon, WebSocketClient } from './daemon.js';
import { readText } from './support.js';

class Element {
  children = [];
  append(...children) {
    this.children.push(...children);
  }
  replaceChildren(...children) {
    this.children = children;
  }
}

let daemon;
const clients = [];
after(async () => {
  for (const client of clients) client.leave();
  await daemon?.stop();
});

test('the page of the chapter on apps shows a board, and moves a card', async () => {
  const [, page] = /```js\n(import [\s\S]*?)```/.exec(readText('Protocol/apps.md'));
  assert.ok(page.split('\n').length <= 30, 'a short page');
  daemon = await startDaemon();
  const join = async (url, options) => {
    assert.equal(new URL(url).protocol, 'ws:');
    clients.push(await joinTable(daemon.url, { ...options, WebSocket: WebSocketClient }));
    return clients.at(-1);
  };
  const board = new Element();
  const document = { querySelector: () => board, createElement: () => new Element() };
  const AsyncFunction = (async () => {}).constructor;
  await new AsyncFunction('join', 'document', page.replace(/^import .*$/m, ''))(join, document);
  const shown = () => board.children.map(({ children }) => children.map(({ textContent }) => textContent));
  assert.deepEqual(shown()[0], ['card 1', 'card 2', 'card 3', 'card 4', 'card 5']);
  const [todo, doing] = board.children;
  todo.children[1].ondragstart();
  let isAllowed = false;
  doing.ondragover({ preventDefault: () => (isAllowed = true) });
  assert.ok(isAllowed);
  const { outcome } = doing.ondrop();
  assert.deepEqual(shown().slice(0, 2), [['card 1', 'card 3', 'card 4', 'card 5'], ['card 2']], 'at once');
  assert.equal((await outcome).verdict, 'accepted');
  assert.deepEqual(shown().slice(0, 2), [['card 1', 'card 3', 'card 4', 'card 5'], ['card 2']]);
});
