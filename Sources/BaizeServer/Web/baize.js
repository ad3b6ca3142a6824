/**
 * Baize for JavaScript: shared tables of reorderable items, in browsers and in Node.
 *
 * ```js
 * import { join } from './baize.js';
 *
 * const table = await join('ws://127.0.0.1:7780/ws', { table: 'example', type: 'kanban?columns=fixed&cards=5', name: 'browser' });
 * table.on('change', draw);
 * const { refusal, outcome } = table.reorder([card], { collection: 'doing' });   // shows at once
 * ```
 *
 * Nothing here needs a build step or a package. `baize.d.ts` describes what follows.
 */

import { TableClient } from './baize/client.js';

/**
 * Joins a table, and creates it if it does not exist and `type` is given.
 *
 * @param {string | URL | (string | URL)[]} url the address of the daemon's WebSocket, or those of several daemons of which one serves
 * @param {object} options `{ table, type, name, role, invite, seed, store, timeout, WebSocket }`
 * @returns {Promise<TableClient>} the table, once its state is there
 * @throws {JoinError} if the daemon does not admit this client, or does not answer
 * @throws {TypeError} if an option cannot be sent
 */
export const join = (url, options) => TableClient.join(url, options);

export { TableClient, JoinError } from './baize/client.js';
export { Item } from './baize/state.js';
export { Refusal } from './baize/refusal.js';
export { Submission } from './baize/submission.js';
export { BrowserSessionStore, MemorySessionStore } from './baize/store.js';
