// What an app in TypeScript writes: `tsc` checks it against the declarations beside the library, and runs nothing.

import { join, Item, JoinError, MemorySessionStore, TableClient } from '../../Sources/BaizeServer/Web/baize.js';
import type { Answer, DropConfiguration, SessionStore, WebSocketLike } from '../../Sources/BaizeServer/Web/baize.js';

class Store implements SessionStore {
  async load() {
    return undefined;
  }
  async save(_text: string) {}
  async clear() {}
}

declare const Implementation: new (url: string) => WebSocketLike;

function describe(answer: Answer): string {
  switch (answer.verdict) {
    case 'accepted':
      return `revision ${answer.revision}`;
    case 'refused':
      return `${answer.reason}: ${answer.detail}`;
    case 'unchanged':
      return answer.invite ?? '';
    case 'unknown':
      return '';
  }
}

function light(verdict: DropConfiguration): number {
  return verdict.operation === 'forbidden' ? verdict.refusal.reason.length : verdict.operation === 'unknown' ? 0 : verdict.accepted;
}

export async function play(): Promise<void> {
  const table: TableClient = await join('ws://localhost/ws', { table: 't', type: 'list', store: new Store(), WebSocket: Implementation });
  await join(new URL('ws://localhost/ws'), { table: 't', seed: 1n, store: new MemorySessionStore(), WebSocket });
  const off = table.on('change', ({ items, renamed, cause }) => console.log(items.size, renamed.size, cause?.redirected));
  table.on('end', ({ reason }) => console.log(reason));
  const [first]: readonly Item[] = table.collection('items')?.items ?? [];
  if (!first) return;
  const [column] = table.insert({ attributes: { title: 'Review' } }, 'columns').createdItems;
  table.insert({ attributes: { title: 'first' } }, { container: column ?? first });
  const submission = table.reorder([first, 2 ** 52], { collection: 'items', before: null }, { operations: ['copy'] });
  const answer = await submission.outcome;
  console.log(describe(answer), submission.createdItems[0], table.undo(submission).refusal?.rule);
  table.insert({ attributes: { title: 'x', points: 5n }, representations: [{ contentType: 'text/plain', data: 'x' }] }, 'items');
  table.update(first, { attributes: new Map([['title', null]]) });
  console.log(light(table.dropConfiguration(first, 'items')), table.legalDestinations([first])[0]?.collection);
  console.log(table.refusalToPerform('draw')?.reason, table.refusalToPerform('pin', first)?.detail);
  table.beginDrag(first, { formation: 'pile' });
  table.moveDrag({ over: { collection: 'items', before: first }, x: 500 });
  table.endDrag({ isCancelled: true });
  console.log(table.itemForKey('a-1')?.id, table.say('hello')?.reason, table.setPresence('typing')?.detail, table.presences.get(1)?.length);
  table.on('time', ({ up, seat }) => console.log(up === 'turn', seat, table.timeLeft.turn ?? Infinity));
  table.on('chat', ({ session, text, kind, refused }) => console.log(session, text, kind, refused));
  // @ts-expect-error: only `join` makes a table
  new TableClient();
  // @ts-expect-error: an item is not changed
  first.key = '';
  // @ts-expect-error: there is no such event
  table.on('changes', () => {});
  // @ts-expect-error: a truth value is no attribute
  table.insert({ attributes: { done: true } }, 'items');
  try {
    await join(['ws://localhost/ws', new URL('ws://localhost/ws')], { table: 't' });
    await join('', { table: 't' });
  } catch (error) {
    if (error instanceof JoinError) console.log(error.reason);
  }
  off();
  table.leave();
}
