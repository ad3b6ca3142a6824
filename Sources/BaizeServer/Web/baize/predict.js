/** What a pending operation is shown as before its answer (client.md, "Prediction"). */

import { carryOut } from './effects.js';
import { keepsSources } from './drop.js';
import { PROVISIONAL_HANDLES } from './limits.js';
import { planAction, planInsertion, planRemoval, planReorder, planUpdate } from './plan.js';
import { isHeld, placeOf } from './rebase.js';
import { Refusal, UNPREDICTABLE } from './refusal.js';
import { mergeAttributes } from './state.js';

const COPY = 1;
const ALIAS = 4;

/**
 * Applies an operation to the visible state of a replica, if the rules allow it and its effect is known here.
 *
 * @returns `{ outcome, operation, isRedirected, accepted, isInPlace, refusal }`: the outcome is `shown`, `unchanged`, `refused`,
 *   or `unknown`, where only the daemon can judge and nothing is shown; `isInPlace` is whether a drop moves nothing
 */
export function predict(replica, op) {
  const { state } = replica;
  // Where the seat may matter, the daemon says whether it does (J14).
  const isSeatLost = op.madeAs !== undefined && op.madeAs !== replica.seat;
  if (isSeatLost && replica.rules?.dependsOnSeats !== false) return { outcome: 'unknown' };
  if (op.baseLost && mayOverwrite(replica.rules, op.kind)) return { outcome: 'unknown' };
  state.beginPrediction(replica.session);
  const { mark } = state;
  try {
    return replica.rules ? byRules(replica, op) : withoutRules(replica, op);
  } catch (error) {
    state.rollBack(mark);
    // What depends on chance, or on a face that a pending operation may reveal, only the daemon can judge.
    const isHidden = error.reason === 'FACE_HIDDEN' && replica.pending.length > 0;
    const isOpen = !(error instanceof Refusal) || error === UNPREDICTABLE || isHidden;
    return isOpen ? { outcome: 'unknown' } : { outcome: 'refused', refusal: error };
  }
}

/** Returns whether an old operation could take what others had first, or act in a turn that is over (G3). */
function mayOverwrite(rules, kind) {
  if (kind === 'undo' || !rules) return false;
  return rules.turns !== 'free' || (kind !== 'insert' && rules.contention === 'first');
}

function byRules(replica, op) {
  const request = replica.request({ wasMoved: (id) => replica.wasMoved(id, op.baseRevision) });
  const place = op.destination && placeOf(replica, op);
  const plan = planOf(replica, op, request, place);
  const { form, operation, isRedirected = false } = plan;
  if (place) plan.before = landing(request, plan, place);
  const isInPlace = form === 'move' && plan.isUnchanged;
  const isUnchanged = isInPlace ? isHeld(replica, plan.items, plan.before) : plan.isUnchanged;
  if (isUnchanged) return { outcome: 'unchanged', isRedirected, isInPlace };
  if (!carryOut(request, plan, madeIDs(op, plan))) return { outcome: 'unchanged' };
  return { outcome: 'shown', operation, isRedirected, accepted: plan.items?.length ?? 1, isInPlace };
}

/** Returns the position that a block is put before: the place in its author's gap, unless the rules have chosen another. */
function landing({ state, kindOf }, { form, items, collection, before }, place) {
  const leaving = new Set(form === 'move' ? items : []);
  const { item, collection: asked } = place.occupied('next', leaving);
  if (asked.handle === collection && item === before) return place;
  const anchor = state.position(before, state.collection(collection));
  const isBehindPinned = before && kindOf(collection).accept.landing === 'start';
  return isBehindPinned ? anchor.previous.occupied('previous', leaving).next : anchor;
}

/** The ids and keys of the items that a plan makes, in the order of its items. */
function madeIDs(op, { form, items, named }) {
  if (!keepsSources(form) && form !== 'insert') return [];
  return items.map((item, index) => op.identity(keepsSources(form) ? named.indexOf(item) : index));
}

function planOf(replica, op, request, place) {
  const { body, kind } = op;
  switch (kind) {
    case 'reorder': {
      const named = body.sources.map(replica.named);
      const sources = present(replica, named, body.suggested === COPY);
      const destination = gapOf(replica, op, place);
      return { ...planReorder(request, { sources, destination, suggested: body.suggested }), named };
    }
    case 'insert':
      return planInsertion(request, { items: replica.made(op), destination: gapOf(replica, op, place) });
    case 'remove':
      return planRemoval(request, present(replica, body.items.map(replica.named), false));
    case 'update':
      return planUpdate(request, { ...body, item: present(replica, [replica.named(body.item)], false)[0] });
    case 'perform':
      return planAction(request, { ...body, items: body.items.map(replica.named) });
    default:
      throw UNPREDICTABLE;
  }
}

/** Leaves out items that others took off the table since the operation was made, as the daemon would (G6). */
function present(replica, ids, isCopy) {
  const { state, rules } = replica;
  const left = ids.filter((id) => state.placeOf(id) !== undefined);
  if (left.length === 0) return ids;
  if (left.length === ids.length || rules.partialMoves || isCopy) return left;
  throw new Refusal('CONTENDED', '', 'another participant removed the item');
}

/** The gap of a place; a gap that the operation does not name here stays for the rules to refuse. */
function gapOf(replica, { destination }, place) {
  const collection = replica.collectionOf(destination)?.handle ?? (destination.collection || PROVISIONAL_HANDLES);
  return { collection, before: place ? place.occupied().item : replica.named(destination.before) };
}

// ---- Without rules

function withoutRules(replica, op) {
  const { state } = replica;
  const { body, kind } = op;
  const place = op.destination && placeOf(replica, op);
  const items = (ids) => ids.map(replica.named).filter((id) => state.placeOf(id) !== undefined);
  switch (kind) {
    case 'reorder': {
      const sources = items(body.sources);
      if (!place || sources.length === 0) return { outcome: 'unknown' };
      if (body.suggested === COPY || body.suggested === ALIAS) {
        const aliasOf = (id) => (body.suggested === ALIAS ? state.originalOf(id) : 0);
        const made = (id, k) => state.items.get(id).with({ ...op.identity(k), pinned: false, aliasOf: aliasOf(id) });
        put(state, sources.map(made), place);
      } else {
        for (const id of sources) state.take(id);
        state.put(sources, place.collection, place);
      }
      break;
    }
    case 'insert':
      if (!place) return { outcome: 'unknown' };
      put(state, replica.made(op), place);
      break;
    case 'remove':
      for (const id of new Set(items(body.items).flatMap((item) => [item, ...state.aliasesOf(item)]))) {
        state.take(id);
        state.setItem(id, undefined);
      }
      break;
    case 'update':
      for (const id of items([body.item]).map((one) => state.originalOf(one))) {
        for (const item of [id, ...state.aliasesOf(id)].map((one) => state.items.get(one))) {
          const representations = body.representations.length > 0 ? body.representations : item.representations;
          state.setItem(item.id, item.with({ attributes: mergeAttributes(item.attributes, body.attributes), representations }));
        }
      }
      break;
    default:
      return { outcome: 'unknown' };
  }
  return { outcome: 'shown', operation: '', isRedirected: false, accepted: body.sources?.length ?? 1 };
}

function put(state, items, place) {
  state.put(items.map(({ id }) => id), place.collection, place);
  for (const item of items) state.setItem(item.id, item);
}
