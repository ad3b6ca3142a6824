/**
 * A client that submits random operations at a list, for the test that compares clients in several languages:
 *
 *     node random-player.js URL TABLE OPERATIONS SEED FILE
 *
 * Prints `done` once all its operations are answered. Then it waits for the file with a revision, and for that revision, and prints it
 * with whether its copy's hash is the daemon's.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from '../../Sources/BaizeServer/Web/baize.js';
import { WebSocketClient } from './daemon.js';
import { randomSource } from './support.js';

const PENDING_MAX = 16;
const ITEMS_MAX = 40;
// Against waiting for ever: a busy machine takes its time.
const TIMEOUT = 600_000;

const [url, name, operations, seed, file] = process.argv.slice(2);
const random = randomSource(Number(seed));
const table = await join(url, { table: name, name: 'JavaScript', WebSocket: WebSocketClient, timeout: TIMEOUT });
let wake = () => {};
for (const event of ['change', 'answer']) table.on(event, () => wake());
const event = () => new Promise((resolve) => (wake = resolve));

function submit() {
  const { items } = table.collection('items');
  const choice = random.below(10);
  const before = random.one([undefined, ...items]);
  const place = { collection: 'items', before };
  const attributes = { number: random.below(1000) };
  if (items.length < 4 || (choice < 2 && items.length < ITEMS_MAX)) return table.insert({ attributes }, place);
  const chosen = random.one(items);
  if (choice < 4) return table.remove([chosen]);
  if (choice === 4) return table.update(chosen, { attributes });
  const sources = choice < 8 ? [chosen] : [chosen, random.one(items.filter(({ id }) => id !== chosen.id))];
  return table.reorder(sources, place);
}

for (let count = 0; count < Number(operations); count += 1) {
  while (table.pendingCount >= PENDING_MAX) await event();
  const { refusal } = submit();
  if (refusal) throw new Error(`${refusal.reason}: ${refusal.detail}`);
}
while (table.pendingCount > 0) await event();
console.log('done');

const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
while (!existsSync(file)) await pause();
const last = Number(readFileSync(file, 'utf8'));
while (table.revision < last) await pause();
console.log(`${table.revision} ${await table.agrees()}`);
process.exit(0);
