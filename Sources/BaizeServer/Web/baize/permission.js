/** G5: which seats may act, where and when. And G11: what the steps of an operation may touch. */

import { STEP_ITEMS_MAX } from './limits.js';
import { Refusal } from './refusal.js';
import { isOpen } from './visibility.js';

/** Refuses a spectator, and everyone once the table has ended. */
export function checkParticipation({ state, rules, seat }) {
  if (seat === 0) throw new Refusal('PERMISSION_DENIED', '', 'spectators cannot submit operations');
  const isOver = rules.endings.some(({ isFinal, isOfSeats, status }) => {
    if (!isFinal || state.status === 'open') return false;
    const seats = isOfSeats ? Array.from({ length: rules.seatsMax }, (_, index) => index + 1) : [0];
    return seats.some((one) => status(one) === state.status);
  });
  if (isOver) throw new Refusal('GAME_OVER', '', `the table is ${state.status}`);
}

/** The seat whose turn it is: the one that the variable names or, if that is not active, the next active one; 0 for none. */
export function seatToMove({ state, rules }) {
  const turn = state.variables.get('turn');
  if (rules.turns !== 'turns' || typeof turn !== 'number') return 0;
  return (state.activeSeats.find(({ seat }) => seat >= turn) ?? state.activeSeats[0])?.seat ?? 0;
}

/** The seat whose turn comes next; 0 for none. */
export function seatToMoveNext(request) {
  const turn = seatToMove(request);
  if (turn === 0) return 0;
  const { activeSeats } = request.state;
  return (activeSeats.find(({ seat }) => seat > turn) ?? activeSeats[0]).seat;
}

/**
 * Refuses to touch another seat's collection, and to act when it is another seat's turn.
 *
 * @param destination the collection that items are put in; 0 for none
 * @param arranged the collection in which its owner may reorder items at any time; 0 for none
 */
export function checkRights(request, ids, destination, arranged) {
  const { seat, kindOf, ownerOf, handleOf } = request;
  for (const id of ids) checkZone(request, handleOf(id), kindOf(handleOf(id)).lift);
  if (destination) checkZone(request, destination, kindOf(destination).accept);
  const turn = seatToMove(request);
  if (turn === 0 || turn === seat || request.isAnyTurn) return;
  if (destination && kindOf(destination).accept.outOfTurn) return;
  const isArranging = arranged && ids.length > 0 && ownerOf(arranged) === seat && ids.every((id) => handleOf(id) === arranged);
  if (!isArranging) throw new Refusal('NOT_YOUR_TURN', 'turns', `it is the turn of seat ${turn}`);
}

function checkZone({ rules, seat, ownerOf }, handle, { by, path }) {
  const owner = ownerOf(handle);
  if (owner === 0 || owner === seat) return;
  if ((by ?? (rules.turns === 'free' ? 'anyone' : 'owner')) !== 'anyone') throw new Refusal('NOT_YOUR_ZONE', path);
}

/** Refuses to touch collections that are not enabled. */
export function checkEnabled({ state }, ...handles) {
  for (const handle of handles) {
    if (handle && !state.collection(handle)?.enabled) throw new Refusal('CONTAINER_DISABLED');
  }
}

/** Refuses to touch items that another session drags, where the table type says so (P9). */
export function checkClaims({ rules, claims, session }, ids) {
  if (!rules.claims || !claims) return;
  if (ids.some((id) => claims.has(id) && claims.get(id) !== session)) {
    throw new Refusal('CLAIMED', '', 'another participant drags the item');
  }
}

/**
 * Refuses steps on collections that are not enabled, and steps that would move too many items, by the counts before the
 * first of them.
 *
 * @param moved the items that move to `destination` before the first step
 */
export function checkSteps(request, steps, moved = [], destination = 0) {
  const { state, handleOf } = request;
  if (steps.length === 0) return;
  const gains = new Map();
  const gain = (handle, count) => gains.set(handle, (gains.get(handle) ?? 0) + count);
  const count = (handle) => state.count(handle) + (gains.get(handle) ?? 0);
  // The aliases that go with what a step deals to where faces may be hidden, or shuffles (Y8).
  const gained = new Map();
  const aliasesOf = (ids) => new Set(ids.flatMap((id) => state.aliasesOf(id)).filter((id) => !ids.includes(id))).size;
  const going = (from, number) => {
    const here = number > 0 ? (state.collection(from)?.items.slice(-number) ?? []) : [];
    return Math.min(state.aliasCount, aliasesOf(here) + (gained.get(from) ?? 0));
  };
  for (const { step, context } of leaves(steps, (one) => one.possibleSeats)) {
    if (step.form === 'deal') checkEnabled(request, step.from(context.seat), step.to(context.seat));
    if (step.form === 'shuffle') checkEnabled(request, step.collection(context.seat));
  }
  for (const id of moved) gain(handleOf(id), -1);
  gain(destination, moved.length);
  if (state.aliasCount > 0) gained.set(destination, aliasesOf(moved));
  let total = 0;
  for (const { step, context } of leaves(steps, (one) => one.seats)) {
    if (step.form === 'shuffle') {
      const handle = step.collection(context.seat);
      total += count(handle);
      if (state.aliasCount > 0) total += going(handle, count(handle));
    }
    if (step.form === 'deal') {
      const [from, to] = [step.from(context.seat), step.to(context.seat)];
      const dealt = dealtCount(step, context, count(from));
      total += dealt;
      gain(from, -dealt);
      gain(to, dealt);
      if (state.aliasCount > 0) {
        const aliases = going(from, dealt);
        if (!isOpen(request.kindOf(to))) total += aliases;
        gained.set(to, Math.min(state.aliasCount, (gained.get(to) ?? 0) + aliases));
      }
    }
    if (total > STEP_ITEMS_MAX) {
      throw new Refusal('TOO_MANY_ITEMS', '', `an operation's steps move at most ${STEP_ITEMS_MAX} items`);
    }
  }
}

/**
 * Returns the steps that steps consist of, whether their conditions hold or not.
 *
 * @param seatsOf returns the function that gives the seats as which the parts of a step are carried out
 */
export function leaves(steps, seatsOf) {
  return steps.flatMap(({ step, context }) => {
    const parts = (inner) => leaves(step.steps.map((part) => ({ step: part, context: inner })), seatsOf);
    if (step.form === 'when') return parts(context);
    if (step.form === 'as') return seatsOf(step)(context).flatMap((seat) => parts({ ...context, seat }));
    return [{ step, context }];
  });
}

/** Returns how many of the items that there are a step deals. */
export function dealtCount({ count }, context, available) {
  if (!count) return available;
  const wanted = count(context);
  if (typeof wanted !== 'number' && typeof wanted !== 'bigint') return 0;
  return Math.min(available, Math.max(0, Number(wanted)));
}
