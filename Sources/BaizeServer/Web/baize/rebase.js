/** Where a drop lands: the gap that its author saw (N2), and the place in it (N3, N4). */

import { POSITIONS_PER_GAP_MAX, PROVISIONAL } from './limits.js';
import { makerOf } from './pending.js';
import { canSeeItems, collectionRules } from './visibility.js';

/** A name of what an own pending operation was to put somewhere, and did not. */
const LOST = null;

/** Returns the position that the block of a pending operation is put before; `undefined` if it names no gap. */
export function placeOf(replica, op) {
  const { state, rules, seat } = replica;
  const collection = replica.collectionOf(op.destination);
  if (!collection) return undefined;
  const { handle, hiddenCount, boundary } = collection;
  if (rules ? !canSeeItems(rules, handle, seat) : hiddenCount > 0) return boundary;
  const gap = new Sight(replica, op, collection).gap();
  const { landing } = rules?.kinds[collectionRules(rules, state, handle).kind].accept ?? { landing: 'anywhere' };
  return landing === 'anywhere' ? gap && placeIn(gap, replica.session, op.baseRevision) : gap?.right;
}

/** N3: beside an own position; N4: else in the last place of the gap that is inside the fewest runs. */
function placeIn({ left, right }, session, base) {
  if (left.session === session) return left.next;
  if (right.session === session || !right.run) return right;
  const positions = [right];
  for (let one = right; one !== left && one.previous.item && positions.length < POSITIONS_PER_GAP_MAX; )
    positions.push((one = one.previous));
  if (!positions.some((one) => one !== right && one.run === right.run && !(one.vacated <= base))) return right;
  const spans = new Map();
  positions.forEach(({ run }, index) => run && spans.set(run, [spans.get(run)?.[0] ?? index, index]));
  const places = positions.at(-1) === left ? positions.slice(0, -1) : positions;
  const counts = places.map((_, at) => [...spans.values()].filter(([first, last]) => first <= at && at < last).length);
  return places[counts.indexOf(Math.min(...counts))] ?? right;
}

/** Returns whether items have positions of the session already, at a place and with no other one between (N1). */
export function isHeld({ state, session }, items, place) {
  const positions = items.map((id) => state.positions.get(id));
  const isNext = (position, index) => index === 0 || position.previous === positions[index - 1];
  const isThere = place === positions[0] || place.previous === positions.at(-1);
  return isThere && positions.every((position, index) => position.session === session && isNext(position, index));
}

/** What the author of an operation saw of a collection: the base, and on it what its pending operations did. */
class Sight {
  constructor(replica, op, collection) {
    Object.assign(this, { replica, op, collection, sources: new Set(op.sources.map(replica.named)) });
    const pending = Array.from({ length: op.unanswered }, (_, k) => this.outcome(op.seq - 1 - k, op.seq));
    /** The revisions of the author's drops that it had not seen answered. */
    this.own = new Set(pending.map((outcome) => (outcome?.isUnchanged ? undefined : outcome?.revision)));
  }

  /** N2: returns the positions on both sides of the gap that a destination names; `undefined` if it names none. */
  gap({ before, after, start, beforeBy, afterBy } = this.op.destination, seq = this.op.seq) {
    const { boundary } = this.collection;
    let left = start ? boundary : after ? this.named(after, afterBy, seq) : undefined;
    let right = before ? this.named(before, beforeBy, seq) : boundary;
    const isLost = left === LOST || right === LOST;
    if (left && right && before && !left.isInFrontOf(right)) left = undefined;
    // Who sees nothing behind names the end, and may not see what its pending operations put there.
    if (left && (!before || (isLost && !right))) right = this.seen(left, 'next', new Set());
    else if (left) right ??= left.next;
    else if (right) left = this.seen(right, 'previous');
    else if (isLost) return this.standIn(before, beforeBy, seq);
    return left && { left, right };
  }

  /** Returns the gap of the operation that was to put the item behind the gap there; the end if there is none. */
  standIn(before, number = before < PROVISIONAL ? 0 : makerOf(before), seq) {
    const destination = this.outcome(number, seq)?.destination;
    const isHere = destination && this.replica.collectionOf(destination) === this.collection;
    const { boundary } = this.collection;
    return isHere ? this.gap(destination, number) : { left: boundary.previous, right: boundary };
  }

  /** Returns what became of an operation before `seq` that the author had not seen answered. */
  outcome(number, seq) {
    return number >= this.op.seq - this.op.unanswered && number < seq ? this.replica.outcomeOf(number) : undefined;
  }

  /** Returns the position that a name names; `undefined` if none, and `LOST` if it is lost. */
  named(name, number, seq) {
    const { replica, op, collection, replica: { state, session } } = this;
    const item = replica.named(name);
    const latest = state.positions.get(item);
    if (item >= PROVISIONAL && !latest) return this.outcome(makerOf(item), seq) ? LOST : undefined;
    const atBase = state.positionAt(item, op.baseRevision, collection);
    const outcome = this.outcome(number, seq);
    if (outcome) {
      const position = state.positionAt(item, outcome.revision, collection);
      return position && (outcome.isUnchanged || position.placed === outcome.revision) ? position.present : LOST;
    }
    if (number !== 0) {
      for (const position of state.history(item)) {
        if (position.placed <= op.baseRevision) break;
        if (!this.own.has(position.placed)) continue;
        return position.collection === collection && position.takenBy !== session ? position.present : undefined;
      }
    }
    // What the author took off the table it does not see.
    return latest?.isVacant && latest.takenBy === session ? undefined : atBase?.present;
  }

  /** Returns the nearest position in a direction in which the author saw an item that is no source. */
  seen(position, direction, own = this.own) {
    const { replica: { session, state }, op: { baseRevision: base }, sources } = this;
    const isThere = ({ placed, vacated }) => (placed <= base || own.has(placed)) && !(vacated <= base);
    const isSeen = (at) => at.item === 0 || (isThere(at) && !sources.has(at.item) && !wasTaken(at, state, session));
    let found = position[direction];
    for (let count = 1; count < POSITIONS_PER_GAP_MAX && !isSeen(found); count++) found = found[direction];
    return found.present;
  }
}

/** Returns whether an author's own operation took a vacant position's item away, from there or from elsewhere. */
function wasTaken({ item, isVacant, vacated }, state, session) {
  const since = isVacant ? [...state.history(item)].filter((one) => !(one.vacated < vacated)) : [];
  return since.some(({ takenBy }) => takenBy === session);
}

/**
 * Returns whether what an operation is about stands in a newer state as in the one that its author saw, so that it would be made again
 * there (C15): its items, with their faces, in the same collections and beside a neighbor as before; and where there are turns, the
 * status and the variables.
 *
 * @param seen the state that its author saw; `undefined` if that is not known
 */
export function agrees(seen, newer, { kind, body, sources }, rules) {
  const game = ({ status, variables }) => text([status, [...variables].sort()]);
  const hasTurns = rules !== undefined && rules.turns !== 'free';
  if (hasTurns && !(seen && game(seen) === game(newer))) return false;
  const items = { remove: body.items, perform: body.items, update: [body.item] }[kind] ?? sources;
  return items.every((id) => {
    if (!seen) return false;
    const [here, there] = [seen, newer].map((state) => standing(state, id));
    return here?.item === there?.item && (here?.before === there?.before || here?.after === there?.after);
  });
}

/** Returns an item, as a text, and its neighbors; `undefined` if it is not on the table. */
function standing(state, id) {
  const collection = state.placeOf(id);
  if (!collection) return undefined;
  const position = state.positions.get(id);
  const { hidden, pinned, aliasOf, attributes, representations } = state.items.get(id);
  return {
    item: text([collection.handle, hidden, pinned, aliasOf, [...attributes].sort(), representations]),
    before: position.previous.occupied('previous').item,
    after: position.next.occupied('next').item,
  };
}

const text = (value) => JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part));
