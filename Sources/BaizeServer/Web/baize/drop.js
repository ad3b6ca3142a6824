/** G8: where a drop lands, what it does, and whether the rules of its destination allow it. Some of it is G9's, too. */

import { check } from './conditions.js';
import { Refusal } from './refusal.js';
import { canSee, collectionRules, isOpen } from './visibility.js';

const NAMES = new Map([[1, 'copy'], [2, 'move'], [4, 'alias'], [8, 'delete']]);

/** Returns whether an operation leaves its sources where they are, and makes new items. */
export const keepsSources = (operation) => operation === 'copy' || operation === 'alias';

/**
 * Decides a drop of items that may be lifted.
 *
 * @returns `{ operation, collection, before, accepted, isRedirected, isUnchanged }`
 */
export function planDrop(request, ids, destination, suggested) {
  const drop = begin(request, destination, ids.length);
  drop.operation = negotiate(request, ids, drop.collection, suggested);
  if (drop.operation === 'move') {
    checkOpenings(request, ids, drop.collection);
    checkAliases(request, ids, drop.collection);
  }
  const leaving = new Set(keepsSources(drop.operation) ? [] : ids);
  const asked = drop.before;
  land(request, drop, leaving);
  if (drop.operation === 'move' && isInPlace(request, ids, drop)) return { ...drop, isUnchanged: true };
  checkDrop(request, ids, drop, leaving);
  if (drop.operation === 'move' && drop.accepted < ids.length) landAgain(request, ids, asked, drop);
  return drop;
}

function begin(request, { collection, before }, count) {
  const { redirect } = request.kindOf(collection).accept;
  const isRedirected = redirect !== 0 && redirect !== collection;
  return {
    operation: '',
    collection: redirect || collection,
    before: redirect ? 0 : before,
    accepted: count,
    isRedirected,
    isUnchanged: false,
  };
}

function negotiate(request, ids, collection, suggested) {
  const { accept } = request.kindOf(collection);
  const offered = ids.reduce((bits, id) => bits & request.kindOf(request.handleOf(id)).lift.offers, suggested || ~0);
  const operation = accept.operations.find((one) => (one & offered) !== 0);
  if (operation !== undefined) return NAMES.get(operation);
  if (accept.operations.length === 0) throw new Refusal('DESTINATION_CLOSED', accept.path);
  throw new Refusal('OPERATION_NOT_SUPPORTED', accept.path, 'the collections have no drop operation in common');
}

/** Q4: items move only between collections whose items open collections of the same kind, or none both. */
function checkOpenings({ kindOf, handleOf }, ids, destination) {
  const opened = kindOf(destination).opens?.kind;
  if (ids.every((id) => kindOf(handleOf(id)).opens?.kind === opened)) return;
  throw new Refusal('FOREIGN_ITEM', kindOf(destination).path, 'the items there open other collections, or none');
}

/** Y5: an alias is only where everyone sees all faces. */
function checkAliases({ state, kindOf }, ids, destination) {
  const kind = kindOf(destination);
  if (state.aliasCount === 0 || isOpen(kind) || ids.every((id) => !state.items.get(id).aliasOf)) return;
  throw new Refusal('FOREIGN_ITEM', kind.path, 'an alias is only where everyone sees all faces');
}

// ---- Landing

/** Returns the first item from the anchor on that stays; 0 for the end. */
export function firstStaying({ state }, collection, before, leaving) {
  if (!before || !leaving.has(before)) return before;
  const { items } = state.collection(collection);
  for (let index = items.indexOf(before); index < items.length; index++) if (!leaving.has(items[index])) return items[index];
  return 0;
}

/** Returns the item in front of the anchor that stays; `undefined` for none. */
function itemBefore({ state }, collection, before, leaving) {
  const { items } = state.collection(collection);
  let index = before ? items.indexOf(before) : items.length;
  do index -= 1;
  while (index >= 0 && leaving.has(items[index]));
  return state.items.get(items[index]);
}

function land(request, drop, leaving) {
  const { landing, path } = request.kindOf(drop.collection).accept;
  const asked = firstStaying(request, drop.collection, drop.before, leaving);
  if (landing === 'endOnly' && asked) throw new Refusal('POSITION_NOT_ALLOWED', path, 'items are accepted only at the end here');
  drop.before = landingOf(request, drop.collection, asked, leaving);
  if (drop.before !== asked) drop.isRedirected = true;
  checkPinned(request, drop, leaving);
}

function landingOf({ state, kindOf }, collection, asked, leaving) {
  switch (kindOf(collection).accept.landing) {
    case 'end':
    case 'endOnly':
      return 0;
    case 'start':
      return state.collection(collection).items.find((id) => !leaving.has(id) && !state.items.get(id).pinned) ?? 0;
    default:
      return asked;
  }
}

/** Refuses to divide the pinned items at the start of a collection. */
function checkPinned(request, { collection, before }, leaving) {
  if (!before || !request.state.items.get(before).pinned) return;
  if (itemBefore(request, collection, before, leaving)?.pinned ?? true) {
    const { path } = request.kindOf(collection).accept;
    throw new Refusal('POSITION_NOT_ALLOWED', path, 'the position is occupied by pinned items');
  }
}

/** Returns whether items already stand where they would land. */
function isInPlace({ state }, ids, { collection, before }) {
  const { items } = state.collection(collection);
  const start = items.indexOf(ids[0]);
  return start >= 0 && ids.every((id, index) => items[start + index] === id) && (items[start + ids.length] ?? 0) === before;
}

/** Decides the landing again if only a part of the block moves: an item that now stays may become the anchor. */
function landAgain(request, ids, asked, drop) {
  const part = ids.slice(0, drop.accepted);
  const leaving = new Set(part);
  const before = landingOf(request, drop.collection, firstStaying(request, drop.collection, asked, leaving), leaving);
  drop.isUnchanged = isInPlace(request, part, { ...drop, before });
  if (before === drop.before) return;
  drop.before = before;
  checkPinned(request, drop, leaving);
  const context = { ...contextOf(request, ids, drop), returning: returningCount(request, part, drop) };
  checkLanding(request, drop, leaving, context);
  checkNeighbors(request, part, drop, leaving, context);
}

// ---- Conditions

function checkDrop(request, ids, drop, leaving) {
  const { state, handleOf, seat, rules } = request;
  const { accept } = request.kindOf(drop.collection);
  const comesFrom = ({ handles, kinds }, handle) => {
    const isOwn = handle <= rules.collections.length;
    return isOwn ? handles.has(handle) : kinds.has(collectionRules(rules, state, handle).kind);
  };
  if (accept.from && ids.some((id) => handleOf(id) !== drop.collection && !comesFrom(accept.from, handleOf(id)))) {
    throw new Refusal('FOREIGN_ITEM', `${accept.path}.from`, 'items from that collection are not accepted here');
  }
  if (accept.contentTypes.size > 0) {
    for (const item of ids.map((id) => state.items.get(id))) {
      if (!canSee(state, rules, item, seat)) throw new Refusal('FACE_HIDDEN', `${accept.path}.contentTypes`);
      checkContentType(item, accept);
    }
  }
  const context = contextOf(request, ids, drop);
  check(request, accept.conditions, context);
  for (const id of ids) check(request, accept.each, { ...context, item: state.items.get(id) });
  checkLanding(request, drop, leaving, context);
  checkNeighbors(request, ids, drop, leaving, context);
  if (accept.capacity && drop.operation !== 'delete') {
    const isArriving = (index) => drop.operation !== 'move' || handleOf(ids[index]) !== drop.collection;
    drop.accepted = acceptedCount(request, drop.collection, ids.length, accept.capacity, isArriving);
  }
}

function contextOf(request, ids, drop) {
  return request.context({
    item: request.state.items.get(ids[0]),
    source: request.handleOf(ids[0]),
    destination: drop.collection,
    sources: ids.length,
    named: ids.map((id) => request.state.items.get(id)),
    returning: returningCount(request, ids, drop),
  });
}

/** Returns how many of the items are in the destination already and leave it before they land. */
function returningCount({ handleOf }, ids, { operation, collection }) {
  return operation === 'move' ? ids.filter((id) => handleOf(id) === collection).length : 0;
}

function checkLanding(request, { collection, before }, leaving, context) {
  const { onEmpty, onItem } = request.kindOf(collection).accept;
  if (onEmpty.length === 0 && onItem.length === 0) return;
  const below = itemBefore(request, collection, before, leaving);
  check(request, below ? onItem : onEmpty, { ...context, below });
}

/** Checks each two neighbors that the block makes: within it, and with the items before and behind it. */
function checkNeighbors(request, ids, { collection, before }, leaving, context) {
  const { pairs } = request.kindOf(collection).accept;
  if (pairs.length === 0) return;
  let below = itemBefore(request, collection, before, leaving);
  for (const item of [...ids, ...(before ? [before] : [])].map((id) => request.state.items.get(id))) {
    if (below) check(request, pairs, { ...context, item, below });
    below = item;
  }
}

/** Returns the largest number of items in a collection; where it is an attribute of the collection that is no number above 0, there is none. */
function itemsMax({ state, rules }, handle, { max, attribute }) {
  if (attribute === undefined) return max;
  const limit = collectionRules(rules, state, handle).attributes.get(attribute);
  return (typeof limit === 'number' || typeof limit === 'bigint') && limit > 0 ? Number(limit) : Infinity;
}

function acceptedCount(request, handle, wanted, capacity, isArriving) {
  const { partial, path } = capacity;
  const max = itemsMax(request, handle, capacity);
  let room = max - request.state.count(handle);
  let accepted = 0;
  for (; accepted < wanted; accepted++) {
    if (!isArriving(accepted)) continue;
    if (room <= 0) break;
    room -= 1;
  }
  if (accepted === wanted || (partial && accepted > 0)) return accepted;
  throw new Refusal('CAPACITY_EXCEEDED', path, `the collection holds at most ${max} items`);
}

function checkContentType({ representations }, { contentTypes, path }) {
  if (representations.length === 0) throw new Refusal('NO_REPRESENTATION', `${path}.contentTypes`);
  if (!representations.some(({ contentType }) => contentTypes.has(contentType))) {
    throw new Refusal('TYPE_NOT_ACCEPTED', `${path}.contentTypes`);
  }
}

/** G9: decides where new items land, and whether they may. */
export function checkInsertion(request, items, destination) {
  const drop = begin(request, destination, items.length);
  const { accept } = request.kindOf(drop.collection);
  if (!accept.inserts) {
    const reason = accept.operations.length === 0 ? 'DESTINATION_CLOSED' : 'FOREIGN_ITEM';
    throw new Refusal(reason, accept.path, 'the collection accepts no new items');
  }
  const nothing = new Set();
  land(request, drop, nothing);
  if (accept.contentTypes.size > 0) for (const item of items) checkContentType(item, accept);
  const context = request.context({ item: items[0], destination: drop.collection, sources: items.length, named: items });
  check(request, accept.conditions, context);
  for (const item of items) check(request, accept.each, { ...context, item });
  checkLanding(request, drop, nothing, context);
  if (accept.capacity) {
    drop.accepted = acceptedCount(request, drop.collection, items.length, accept.capacity, () => true);
  }
  return drop;
}
