/** What a pending operation is shown as before its answer (client.md, "Prediction"). */

import { carryOut } from './effects.js';
import { keepsSources } from './drop.js';
import { provisional } from './pending.js';
import { planAction, planInsertion, planRemoval, planReorder, planUpdate } from './plan.js';
import { Refusal, UNPREDICTABLE } from './refusal.js';
import { mergeAttributes } from './state.js';

const COPY = 1;
const ALIAS = 4;

/**
 * Applies an operation to the visible state of a replica, if the rules allow it and its effect is known here.
 *
 * @returns `{ outcome, operation, isRedirected, accepted, refusal }`: the outcome is `shown`, `unchanged`, `refused`, or
 *   `unknown`, where only the daemon can judge and nothing is shown
 */
export function predict(replica, op) {
  const { state } = replica;
  state.beginPrediction();
  const { mark } = state;
  try {
    return replica.rules ? byRules(replica, op) : withoutRules(replica, op);
  } catch (error) {
    state.rollBack(mark);
    state.beginPrediction();
    // What depends on chance, or on a face that a pending operation may reveal, only the daemon can judge.
    const isHidden = error.reason === 'FACE_HIDDEN' && replica.pending.length > 0;
    const isOpen = !(error instanceof Refusal) || error === UNPREDICTABLE || isHidden;
    return isOpen ? { outcome: 'unknown' } : { outcome: 'refused', refusal: error };
  }
}

function byRules(replica, op) {
  const { session } = replica;
  const wasMoved = (id) => {
    const placement = replica.placements.get(id);
    return placement !== undefined && placement.session !== session && placement.revision > op.baseRevision;
  };
  const request = replica.request({ wasMoved });
  const plan = planOf(replica, op, request);
  const { operation, isRedirected = false } = plan;
  if (plan.isUnchanged) return { outcome: 'unchanged', isRedirected };
  if (!carryOut(request, plan, madeIDs(op, plan))) return { outcome: 'unchanged' };
  return { outcome: 'shown', operation, isRedirected, accepted: plan.items?.length ?? 1 };
}

/** The ids and keys of the items that a plan makes, in the order of its items. */
function madeIDs(op, { form, items, named }) {
  if (!keepsSources(form) && form !== 'insert') return [];
  const id = (k) => ({ id: provisional(op.seq, k), key: op.keyOf(k) });
  return items.map((item, index) => id(keepsSources(form) ? named.indexOf(item) : index));
}

function planOf(replica, op, request) {
  const { body, kind } = op;
  switch (kind) {
    case 'reorder': {
      const named = body.sources.map(replica.named);
      const sources = present(replica, named, body.suggested === COPY);
      const destination = gapOf(replica, op);
      return { ...planReorder(request, { sources, destination, suggested: body.suggested }), named };
    }
    case 'insert':
      return planInsertion(request, { items: replica.made(op), destination: gapOf(replica, op) });
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
  if (left.length === ids.length || left.length === 0 || rules.partialMoves || isCopy) return left.length > 0 ? left : ids;
  throw new Refusal('CONTENDED', '', 'another participant removed the item');
}

/** The gap where a pending operation is shown; an anchor that never was stays for the rules to refuse. */
function gapOf(replica, op) {
  const { collection } = op.gap;
  const before = replica.place(op);
  const isNew = !replica.pending.includes(op);
  return { collection, before: isNew && op.gap.before ? anchorOf(replica, op, before) : before };
}

/** Returns the anchor as its author named it, unless it is one of the items that leave. */
function anchorOf(replica, op, before) {
  const anchor = replica.named(op.gap.before);
  return replica.state.placeOf(anchor)?.handle === op.gap.collection ? before : anchor;
}

// ---- Without rules

function withoutRules(replica, op) {
  const { state } = replica;
  const { body, kind } = op;
  const collection = op.gap && state.collection(op.gap.collection);
  const items = (ids) => ids.map(replica.named).filter((id) => state.placeOf(id) !== undefined);
  switch (kind) {
    case 'reorder': {
      const sources = items(body.sources);
      if (!collection || sources.length === 0) return { outcome: 'unknown' };
      const before = replica.landing(op);
      if (body.suggested === COPY || body.suggested === ALIAS) {
        const aliasOf = (id) => (body.suggested === ALIAS ? state.originalOf(id) : 0);
        const made = (id, k) =>
          state.items.get(id).with({ id: provisional(op.seq, k), key: op.keyOf(k), pinned: false, aliasOf: aliasOf(id) });
        put(state, sources.map(made), collection, before);
      } else {
        for (const id of sources) state.take(id);
        state.put(sources, collection, before);
      }
      break;
    }
    case 'insert':
      if (!collection) return { outcome: 'unknown' };
      put(state, replica.made(op), collection, replica.landing(op));
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

function put(state, items, collection, before) {
  state.put(items.map(({ id }) => id), collection, before);
  for (const item of items) state.setItem(item.id, item);
}
