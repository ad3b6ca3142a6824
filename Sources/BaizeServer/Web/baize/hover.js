/** What the rules say while the user hovers, on the visible state. Nothing here asks the daemon. */

import { carryOut } from './effects.js';
import { readIDs, readOperations } from './input.js';
import { liftSet } from './lift.js';
import { contendedItems, planAction, planReorder, refusalOf, refusalToLift } from './plan.js';
import { Refusal, UNPREDICTABLE } from './refusal.js';

export const forbidden = (refusal) => ({ operation: 'forbidden', refusal });

/**
 * Returns the rules' verdict on a drop.
 *
 * @param claims the sessions that drag items, by item
 * @param readDestination returns the destination, or throws the refusal of one that is none
 */
export function dropConfiguration(replica, claims, items, readDestination, operations) {
  let plan;
  const refusal = refusalOf(() => {
    const sources = readIDs(items).map(replica.named);
    const destination = readDestination(replica.state);
    destination.before = replica.named(destination.before);
    const suggested = readOperations(operations);
    if (replica.rules) plan = planReorder(replica.request({ claims }), { sources, destination, suggested });
  });
  if (refusal === UNPREDICTABLE) return { operation: 'unknown' };
  if (refusal) return forbidden(refusal);
  if (!plan) return { operation: 'unknown' };
  const { operation, isRedirected, collection, before, accepted } = plan;
  const destination = isRedirected ? { collection: replica.state.collection(collection).id, before } : undefined;
  return { operation, destination, accepted };
}

/** Returns the collections that would accept items at their end, each with the rules' verdict. */
export function legalDestinations(replica, claims, items, operations) {
  return replica.state.collections
    .map(({ id, handle }) => {
      const atEnd = () => ({ collection: handle, before: 0 });
      return { collection: id, configuration: dropConfiguration(replica, claims, items, atEnd, operations) };
    })
    .filter(({ configuration }) => configuration.operation !== 'forbidden');
}

/** Returns why items may not be lifted together at present; `undefined` if they may, or if only the daemon knows. */
export function whyNotLifted(replica, claims, items) {
  let found;
  const refusal = refusalOf(() => {
    const ids = readIDs(items).map(replica.named);
    if (replica.rules) found = refusalToLift(replica.request({ claims }), ids);
  });
  return refusal ?? (found === UNPREDICTABLE ? undefined : found);
}

/** Returns the items that a user lifts by taking hold of one. */
export function liftedWith(replica, id) {
  const ids = replica.rules ? liftSet(replica.request(), id) : [id];
  return ids.map((one) => replica.state.items.get(one));
}

/** Returns why an action may not be performed at present, or would change nothing; `undefined` if it may, or if only the daemon knows. */
export function whyNotPerformed(replica, claims, action, items) {
  const { rules, state } = replica;
  const refusal = refusalOf(() => {
    const named = readIDs(items).map(replica.named);
    if (!rules) return;
    const request = replica.request({ claims });
    const plan = planAction(request, { action, items: named.length > 0 ? named : contendedItems(request, action) });
    if (!state.tries(replica.session, () => carryOut(request, plan))) throw new Refusal('UNCHANGED', '', 'the action would change nothing');
  });
  return refusal === UNPREDICTABLE ? undefined : refusal;
}
