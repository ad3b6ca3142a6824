/**
 * Judges an operation by the rules, on the present state, in the order of G3–G12: what a client shows while the user hovers,
 * and what it predicts. Nothing changes here; `effects.js` carries a plan out.
 *
 * A request has `state`, `rules`, `seat` and `session`, and, where there are any: `claims` (the sessions that drag items, by
 * item) and `wasMoved(id)` (whether others moved an item since the author saw the table).
 */

import {
  ALIASES_PER_ITEM_MAX, ALIASES_PER_TABLE_MAX, ATTRIBUTES_PER_ITEM_MAX, ITEMS_PER_OPERATION_MAX, ITEMS_PER_TABLE_MAX,
  STEP_TEXT_BYTES_MAX,
} from './limits.js';
import { check } from './conditions.js';
import { checkLift } from './lift.js';
import { checkInsertion, keepsSources, planDrop } from './drop.js';
import { checkClaims, checkEnabled, checkParticipation, checkRights, checkSteps, leaves } from './permission.js';
import { Refusal, UNPREDICTABLE } from './refusal.js';
import { mergeAttributes } from './state.js';
import { bytesEqual, byteLength } from './text.js';
import { canSee, canSeeItems, collectionRules, isOpen, isSecret } from './visibility.js';

/** Adds what planning and its conditions need to a request. */
export function prepare(request) {
  const { state, rules } = request;
  return Object.assign(request, {
    kindOf: (handle) => rules.kinds[collectionRules(rules, state, handle).kind],
    ownerOf: (handle) => collectionRules(rules, state, handle).owner,
    handleOf: (id) => state.placeOf(id)?.handle,
    context: (values) => ({
      state, rules, item: undefined, below: undefined, counted: undefined, updated: undefined, source: 0, destination: 0,
      sources: 0, named: [], returning: 0, seat: request.seat, viewer: request.seat, isWhole: request.isWhole, ...values,
    }),
  });
}

/** G3: returns the items that an operation names, all of them on the table. */
export function resolve(request, ids) {
  if (ids.length === 0) throw new Refusal('EMPTY_SOURCES', '', 'the operation names no item');
  if (ids.length > ITEMS_PER_OPERATION_MAX) {
    throw new Refusal('TOO_MANY_ITEMS', '', `an operation names at most ${ITEMS_PER_OPERATION_MAX} items`);
  }
  if (new Set(ids).size < ids.length) throw new Refusal('DUPLICATE_SOURCE', '', 'an item is named twice');
  for (const id of ids) {
    if (!isKnown(request, id)) throw new Refusal('UNKNOWN_ITEM', '', 'an item is not on the table');
  }
  return ids;
}

function isKnown({ rules, seat, handleOf }, id) {
  const handle = handleOf(id);
  return handle !== undefined && canSeeItems(rules, handle, seat);
}

/** G4: checks the form of a destination: `{ collection, before }`. */
export function checkDestination(request, { collection, before }) {
  if (!request.state.collection(collection)) {
    const isGone = request.rules.openedKinds.size > 0 && collection > request.rules.collections.length;
    throw new Refusal(isGone ? 'COLLECTION_GONE' : 'UNKNOWN_COLLECTION', '', 'the table has no such collection');
  }
  if (!before) return;
  if (!isKnown(request, before)) throw new Refusal('UNKNOWN_ITEM', '', 'the anchor is not on the table');
  if (request.handleOf(before) !== collection) throw new Refusal('ANCHOR_GONE', '', 'the anchor is in another collection');
}

/** Returns why items may not be lifted together at present, whatever the destination; `undefined` if they may (P7). */
export function refusalToLift(request, ids) {
  return refusalOf(() => {
    resolve(request, ids);
    checkParticipation(request);
    const isAnyTurn = request.rules.kinds.some(({ accept }) => accept.outOfTurn);
    checkRights({ ...request, isAnyTurn }, ids, 0, request.handleOf(ids[0]));
    checkEnabled(request, ...ids.map(request.handleOf));
    checkLift(request, ids);
  });
}

/** Returns the refusal that a function throws; `undefined` for none. */
export function refusalOf(check) {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/**
 * Plans a reorder.
 *
 * @returns `{ form, operation, collection, before, items, isRedirected, isUnchanged, steps }`
 * @throws {Refusal}
 */
export function planReorder(request, { sources, destination, suggested }) {
  resolve(request, sources);
  checkDestination(request, destination);
  const { collection } = destination;
  checkParticipation(request);
  checkRights(request, sources, collection, collection);
  checkEnabled(request, ...sources.map(request.handleOf), collection, request.kindOf(collection).accept.redirect);
  checkClaims(request, sources);
  checkLift(request, sources);
  const drop = planDrop(request, sources, destination, suggested);
  const items = sources.slice(0, drop.accepted);
  if (!keepsSources(drop.operation)) checkContention(request, sources);
  const plan = { form: drop.operation, ...drop, items, named: sources.length, steps: [] };
  if (drop.isUnchanged) return request.kindOf(drop.collection).private ? { ...plan, isUnchanged: false } : plan;
  if (drop.operation === 'copy') {
    const { key } = request.rules;
    if (items.some((id) => request.state.items.get(id).get(key) !== undefined)) throw duplicateKey();
    checkTableSize(request, items.length);
  }
  if (drop.operation === 'alias') {
    checkTableSize(request, items.length);
    checkAliasCounts(request, items);
  }
  if (drop.operation === 'delete') plan.items = leaving(request, items);
  if (drop.operation === 'move') {
    if (!isOpen(request.kindOf(drop.collection))) withAliases(request, items);
    plan.stamped = stamped(request, items, drop.collection);
    plan.steps = consequences(request, items, drop.collection);
  }
  return plan;
}

/** G11: returns the attributes of moved items that their new collection stamps, by item. */
function stamped(request, ids, destination) {
  const { stamps } = request.kindOf(destination).accept;
  const isStamped = (id) => request.handleOf(id) !== destination && !request.state.items.get(id).aliasOf;
  const arriving = stamps.length === 0 ? [] : ids.filter(isStamped);
  return arriving.map((id) => {
    const item = request.state.items.get(id);
    if (item.hidden) throw UNPREDICTABLE;
    const context = request.context({ item, source: request.handleOf(id), destination, sources: ids.length });
    const attributes = new Map(item.attributes);
    for (const { name, value } of stamps) {
      const stamp = value(context);
      if (stamp === undefined) attributes.delete(name);
      else attributes.set(name, stamp);
    }
    checkAttributes(attributes);
    return [id, attributes];
  });
}

/** Returns what steps read of an item that moves: no long texts, so that no variable grows with what participants write. */
function readable(item) {
  const isShort = ([, value]) => typeof value !== 'string' || byteLength(value) <= STEP_TEXT_BYTES_MAX;
  return item.with({ attributes: new Map([...item.attributes].filter(isShort)), representations: [] });
}

/** G11: returns the steps that follow a move, each with its context. */
function consequences(request, items, destination) {
  const sources = [...new Set(items.map(request.handleOf))].filter((source) => source !== destination);
  if (sources.length === 0) return [];
  if (request.rules.hasSecrets) sources.sort((left, right) => left - right);
  const { accept } = request.kindOf(destination);
  const first = (isOne) => readable(request.state.items.get(items.find(isOne)));
  const from = (source) => {
    const item = first((id) => request.handleOf(id) === source);
    return request.context({ destination, source, sources: items.length, item });
  };
  const steps = sources.flatMap((source) => request.kindOf(source).lift.then.map((step) => ({ step, context: from(source) })));
  const last = { ...from(sources.at(-1)), item: first(() => true) };
  steps.push(...accept.then.map((step) => ({ step, context: last })));
  if (accept.passesTurn) steps.push({ step: { form: 'passTurn' }, context: last });
  checkSteps(request, steps, items, destination);
  return steps;
}

/** G9: plans an insertion of new items (`Item`s on no table yet). */
export function planInsertion(request, { items, destination }) {
  if (items.length === 0) throw new Refusal('EMPTY_SOURCES', '', 'the operation inserts no item');
  if (items.length > ITEMS_PER_OPERATION_MAX) {
    throw new Refusal('TOO_MANY_ITEMS', '', `an operation creates at most ${ITEMS_PER_OPERATION_MAX} items`);
  }
  for (const item of items) checkAttributes(item.attributes);
  checkDestination(request, destination);
  checkParticipation(request);
  checkRights(request, [], destination.collection, destination.collection);
  checkEnabled(request, destination.collection, request.kindOf(destination.collection).accept.redirect);
  const drop = checkInsertion(request, items, destination);
  checkTableSize(request, drop.accepted);
  checkKeys(request, items.slice(0, drop.accepted));
  const { contentTypes } = request.kindOf(drop.collection).accept;
  const made = items.slice(0, drop.accepted).map((item) => item.with({ representations: kept(item, contentTypes) }));
  return { form: 'insert', ...drop, operation: '', items: made, steps: [] };
}

/** Returns the representations that a collection keeps. */
export function kept({ representations }, contentTypes) {
  return contentTypes.size === 0 ? representations : representations.filter(({ contentType }) => contentTypes.has(contentType));
}

export function planRemoval(request, ids) {
  resolve(request, ids);
  checkParticipation(request);
  checkRights(request, ids, 0, 0);
  checkEnabled(request, ...ids.map(request.handleOf));
  checkClaims(request, ids);
  checkLift(request, ids);
  for (const id of ids) {
    const { lift } = request.kindOf(request.handleOf(id));
    if ((lift.offers & 8) === 0) throw new Refusal('OPERATION_NOT_SUPPORTED', lift.path, 'items are not deleted here');
  }
  checkContention(request, ids);
  return { form: 'delete', operation: 'delete', items: leaving(request, ids), steps: [] };
}

/** Returns items that are removed, and what is in the collections that they open, if that goes along (Q6). */
function leaving(request, ids) {
  const { state } = request;
  const all = [...ids];
  const named = new Set(ids);
  for (let next = 0; next < all.length; next++) {
    const { opens } = state.items.get(all[next]);
    if (!opens) continue;
    checkEnabled(request, opens);
    const inside = state.collection(opens).items.filter((id) => !named.has(id));
    if (inside.length === 0) continue;
    const kind = request.kindOf(request.handleOf(all[next]));
    if (!kind.opens.removesItems) throw new Refusal('NOT_EMPTY', kind.path, 'the collection that the item opens has items');
    if (all.length + inside.length > ITEMS_PER_OPERATION_MAX) {
      throw new Refusal('TOO_MANY_ITEMS', '', `an operation removes at most ${ITEMS_PER_OPERATION_MAX} items`);
    }
    checkRights(request, inside, 0, 0);
    checkClaims(request, inside);
    checkLift(request, inside);
    const { lift } = request.kindOf(opens);
    if ((lift.offers & 8) === 0) throw new Refusal('OPERATION_NOT_SUPPORTED', lift.path, 'items are not deleted here');
    if (request.wasMoved && inside.some(request.wasMoved)) {
      throw new Refusal('CONTENDED', '', 'another participant put an item there meanwhile');
    }
    all.push(...inside);
  }
  return withAliases(request, all);
}

/** Returns items with the aliases that go with them behind them (Y4). */
function withAliases({ state }, ids) {
  if (state.aliasCount === 0) return ids;
  const all = [...new Set([...ids, ...ids.flatMap((id) => state.aliasesOf(id))])];
  if (all.length > ids.length && all.length > ITEMS_PER_OPERATION_MAX) {
    throw new Refusal('TOO_MANY_ITEMS', '', `an operation removes at most ${ITEMS_PER_OPERATION_MAX} items, their aliases included`);
  }
  return all;
}

/** Y8: more aliases of an item, or on the table, than there may be. */
function checkAliasCounts({ state }, ids) {
  const isFull = (id) => {
    const original = state.originalOf(id);
    const count = ids.filter((other) => state.originalOf(other) === original).length;
    return state.aliasesOf(original).length + count > ALIASES_PER_ITEM_MAX;
  };
  if (state.aliasCount + ids.length <= ALIASES_PER_TABLE_MAX && !ids.some(isFull)) return;
  throw new Refusal('TABLE_SIZE', '', `an item has at most ${ALIASES_PER_ITEM_MAX} aliases, and a table ${ALIASES_PER_TABLE_MAX}`);
}

export function planUpdate(request, { item: named, attributes, representations }) {
  checkAttributes(attributes);
  resolve(request, [named]);
  // An update of an alias is one of its item (Y3).
  const id = request.state.originalOf(named);
  checkParticipation(request);
  checkRights(request, [id], 0, 0);
  checkEnabled(request, request.handleOf(id));
  checkClaims(request, [id]);
  const kind = request.kindOf(request.handleOf(id));
  if (!kind.updates) throw new Refusal('OPERATION_NOT_SUPPORTED', kind.path, 'items are not updated here');
  const item = request.state.items.get(id);
  if (!canSee(request.state, request.rules, item, request.seat)) throw new Refusal('FACE_HIDDEN', kind.path);
  const updated = item.with({
    attributes: mergeAttributes(item.attributes, attributes),
    representations: representations.length > 0 ? representations : item.representations,
  });
  checkAttributes(updated.attributes);
  const isUnchanged = isSameFace(item, updated) && !isSecret(kind);
  if (!isUnchanged) {
    const source = request.handleOf(id);
    check(request, kind.updateConditions, request.context({ item, updated, source, sources: 1, named: [item] }));
  }
  checkKeys(request, [updated]);
  return { form: 'update', operation: '', item: updated, isUnchanged, steps: [] };
}

function isSameFace(left, right) {
  const isSame = (one, index) => {
    const other = right.representations[index];
    return one === other || (one.contentType === other.contentType && bytesEqual(one.data, other.data));
  };
  return (
    left.attributes.size === right.attributes.size &&
    [...left.attributes].every(([name, value]) => right.attributes.get(name) === value) &&
    left.representations.length === right.representations.length &&
    left.representations.every(isSame)
  );
}

/** G9: plans an action of the table type. Host actions are not predicted (O15). */
export function planAction(request, { action: name, items }) {
  if (name.startsWith('host/')) throw UNPREDICTABLE;
  const action = request.rules.actions.get(name);
  if (!action) throw new Refusal('UNKNOWN_ACTION', '', 'the table type has no such action');
  if (items.length > 0 || action.items === 'subject') resolve(request, items);
  checkParticipation(request);
  checkActionRights(request, action, items);
  checkEnabled(request, ...items.map(request.handleOf));
  checkClaims(request, items);
  const context = request.context({ sources: items.length, named: items.map((id) => request.state.items.get(id)) });
  for (const id of items) {
    check(request, action.each, { ...context, item: request.state.items.get(id), source: request.handleOf(id) });
  }
  const branch = action.cases.find(({ when }) => when(context));
  if (!branch) throw action.otherwise;
  check(request, branch.conditions, context);
  const steps = branch.steps.map((step) => ({ step, context }));
  checkSteps(request, steps);
  checkContention(request, items);
  const isPrivate = items.some((id) => request.kindOf(request.handleOf(id)).private);
  return { form: 'perform', operation: '', items, steps, changesAlways: isPrivate };
}

function checkActionRights(request, { items: meaning, outOfTurn }, items) {
  if (meaning === 'subject') checkRights({ ...request, isAnyTurn: true }, items, 0, 0);
  if (!outOfTurn) checkRights(request, [], 0, 0);
}

/** Returns the items that an action would take first, for its author to name (O8). */
export function contendedItems(request, name) {
  const action = request.rules.actions.get(name);
  if (!action || action.items !== 'contended') return [];
  const context = request.context({});
  const branch = action.cases.find(({ when }) => when(context));
  const steps = (branch?.steps ?? []).map((step) => ({ step, context }));
  const deals = leaves(steps, (one) => one.seats).filter(({ step }) => step.form === 'deal');
  const lasts = deals.map(({ step, context: { seat } }) => request.state.collection(step.from(seat))?.items.at(-1));
  return [...new Set(lasts.filter((id) => id !== undefined))];
}

/** G10: others took an item first, where the first one wins. */
function checkContention({ rules, wasMoved }, ids) {
  if (rules.contention !== 'first' || !wasMoved) return;
  if (ids.some(wasMoved)) throw new Refusal('CONTENDED', '', 'another participant moved the item meanwhile');
}

function checkAttributes(attributes) {
  if ((attributes.size ?? attributes.length) > ATTRIBUTES_PER_ITEM_MAX) {
    throw new Refusal('TABLE_SIZE', '', `an item has at most ${ATTRIBUTES_PER_ITEM_MAX} attributes`);
  }
}

/** G11: another item has the key of one of `items`, or two of them have the same. An item that is on the table may keep its own. */
function checkKeys({ rules, state }, items) {
  if (rules.key === undefined) return;
  const ids = new Set(items.map(({ id }) => id));
  const taken = new Set();
  for (const [id, item] of state.items) if (!ids.has(id) && !item.aliasOf) taken.add(item.get(rules.key));
  for (const item of items) {
    const key = item.get(rules.key);
    if (key === undefined) continue;
    if (taken.has(key)) throw duplicateKey();
    taken.add(key);
  }
}

function duplicateKey() {
  return new Refusal('DUPLICATE_KEY', 'key', 'another item has this key');
}

function checkTableSize({ state }, count) {
  if (state.items.size + count > ITEMS_PER_TABLE_MAX) throw new Refusal('TABLE_SIZE', '', 'the table is full');
}

