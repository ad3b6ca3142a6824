/** G7: whether items may leave their collections together. */

import { check } from './conditions.js';
import { Refusal } from './refusal.js';

export function checkLift(request, ids) {
  const groups = new Map();
  for (const id of ids) {
    const handle = request.handleOf(id);
    if (!groups.has(handle)) groups.set(handle, []);
    groups.get(handle).push(id);
  }
  if (groups.size > 1 && !request.rules.mixedSources) {
    throw new Refusal('MIXED_SOURCES', 'mixedSources', 'the items are in several collections');
  }
  for (const [handle, items] of groups) checkLiftFrom(request, handle, items);
}

function checkLiftFrom(request, handle, ids) {
  const { state } = request;
  const { lift } = request.kindOf(handle);
  if (lift.shape === 'none') throw new Refusal('NOT_REORDERABLE', lift.path);
  if (ids.some((id) => state.items.get(id).pinned)) throw new Refusal('NOT_REORDERABLE', lift.path, 'the item is pinned');
  const named = ids.map((id) => state.items.get(id));
  const context = request.context({ item: named[0], source: handle, sources: ids.length, named });
  check(request, lift.conditions, context);
  for (const id of ids) check(request, lift.each, { ...context, item: state.items.get(id) });
  if (lift.shape === 'top') checkTop(state.collection(handle).items, ids, lift);
  if (lift.shape === 'run') checkRun(request, state.collection(handle).items, ids, context, lift);
}

function checkTop(items, ids, lift) {
  if (ids.length > 1) throw new Refusal('TOO_MANY_ITEMS', lift.path, 'only one item at a time leaves this collection');
  if (items.at(-1) !== ids[0]) throw new Refusal('NOT_TOP', lift.path);
}

function checkRun(request, items, ids, context, lift) {
  const start = items.lastIndexOf(ids[0]);
  if (ids.some((id, index) => items[start + index] !== id)) throw new Refusal('NOT_A_RUN', lift.path);
  const above = items[start + ids.length];
  if (above !== undefined) throw new Refusal(request.wasMoved?.(above) ? 'STACK_CHANGED' : 'NOT_A_RUN', lift.path);
  for (let index = 1; index < ids.length; index++) {
    const [below, item] = [request.state.items.get(ids[index - 1]), request.state.items.get(ids[index])];
    check(request, lift.pairs, { ...context, item, below });
  }
}

/**
 * Returns the items that a user lifts by taking hold of one: the run from it to the end where only runs leave, else it alone.
 */
export function liftSet(request, id) {
  const handle = request.handleOf(id);
  if (handle === undefined) return [];
  if (request.kindOf(handle).lift.shape !== 'run') return [id];
  const { items } = request.state.collection(handle);
  return items.slice(items.lastIndexOf(id));
}
