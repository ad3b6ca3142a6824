/**
 * Carries a plan out on the visible state, with what follows from it: cards that are exposed or turned, steps, endings (G11).
 * It cannot fail. What the daemon alone knows, such as a face that is turned up, stays hidden until its diff arrives.
 */

import { STEP_ITEMS_MAX } from './limits.js';
import { dealtCount, seatToMoveNext } from './permission.js';
import { provisionalHandle } from './pending.js';
import { kept } from './plan.js';
import { UNPREDICTABLE } from './refusal.js';
import { canSee, canSeeItems, isOpen, turnedBy } from './visibility.js';

/**
 * @param request the request of the plan. Where `isWhole` is set, the state has what nobody may see, as the vectors do.
 * @param ids the ids of the items that the operation makes, in the order of those that it names
 * @returns whether anything changed
 */
export function carryOut(request, plan, ids = []) {
  const effects = new Effects(request);
  const { state } = request;
  switch (plan.form) {
    case 'move':
      effects.moveAndExpose(plan.items, plan.collection, plan.before);
      for (const [id, attributes] of plan.stamped ?? []) effects.stamp(id, attributes);
      break;
    case 'copy': {
      const { accept } = request.kindOf(plan.collection);
      const originals = plan.items.map((id) => state.items.get(id));
      const made = (item, index) => {
        const representations = kept(item, accept.contentTypes);
        return item.with({ ...ids[index], pinned: false, aliasOf: 0, representations });
      };
      effects.make(originals.map(made), plan);
      break;
    }
    case 'alias': {
      const made = (id, index) => state.items.get(id).with({ ...ids[index], pinned: false, aliasOf: state.originalOf(id) });
      effects.make(plan.items.map(made), plan);
      break;
    }
    case 'insert':
      effects.make(plan.items.map((item, index) => item.with(ids[index])), plan);
      break;
    case 'delete':
      effects.remove(plan.items);
      break;
    case 'update':
      effects.setFace(plan.item);
      break;
    default:
  }
  const mark = effects.changes;
  for (const { step, context } of plan.steps) effects.step(step, context, plan.items);
  const isChanged = plan.form !== 'perform' || plan.changesAlways || effects.changes > mark;
  if (isChanged) effects.conclude();
  return isChanged;
}

class Effects {
  constructor(request) {
    this.request = request;
    this.state = request.state;
    this.stepItemsLeft = STEP_ITEMS_MAX;
    /** The number of changes so far, for actions that change nothing. */
    this.changes = 0;
  }

  // ---- Items

  moveAndExpose(ids, collection, before) {
    const sources = new Set(ids.map(this.request.handleOf));
    this.move(ids, collection, before);
    for (const source of sources) this.expose(source);
  }

  /** Moves items. Where faces may be hidden, the aliases among them, and those of the others, leave the table (Y5). */
  move(named, handle, before) {
    const { state } = this;
    const kind = this.request.kindOf(handle);
    const isKept = state.aliasCount === 0 || isOpen(kind);
    const ids = isKept ? named : named.filter((id) => !state.items.get(id).aliasOf);
    if (ids.length < named.length) this.remove(named.filter((id) => state.items.get(id).aliasOf));
    const aliases = isKept ? [] : ids.flatMap((id) => state.aliasesOf(id));
    const turned = ids.map((id) => {
      const item = state.items.get(id);
      return item.with({ faceUp: turnedBy(kind, turnedBy(this.request.kindOf(this.request.handleOf(id)), item.faceUp)) });
    });
    for (const id of ids) state.take(id);
    state.put(ids, state.collection(handle), before);
    turned.forEach((item, index) => this.show(item, ids[index]));
    this.vanish(ids, handle);
    this.remove(aliases.filter((id) => state.items.has(id)));
    this.changes += 1;
  }

  /** Gives a moved item the attributes that its new collection stamps. */
  stamp(id, attributes) {
    this.setFace(this.state.items.get(id).with({ attributes }));
  }

  /** Sets an item with a new face, which its aliases get, too (Y3). */
  setFace(item) {
    const { attributes, representations } = item;
    this.state.setItem(item.id, item);
    for (const id of this.state.aliasesOf(item.id)) {
      this.state.setItem(id, this.state.items.get(id).with({ attributes, representations }));
    }
  }

  /** Sets an item that may have been turned. What its viewer may no longer see is forgotten. */
  show(item, id) {
    const { request, state } = this;
    state.setItem(id, item);
    if (request.isWhole || item.hidden || canSee(state, request.rules, item, request.seat)) return;
    state.setItem(id, item.with({ hidden: true, attributes: undefined, representations: undefined }));
  }

  /** Forgets items that entered a collection of which this viewer knows only the number of items. */
  vanish(ids, handle) {
    const { request, state } = this;
    if (request.isWhole || canSeeItems(request.rules, handle, request.seat)) return;
    for (const id of ids) {
      state.take(id);
      state.setItem(id, undefined);
    }
    const collection = state.collection(handle);
    state.set(collection, 'hiddenCount', collection.hiddenCount + ids.length);
  }

  make(items, { collection, before }) {
    const { state } = this;
    const kind = this.request.kindOf(collection);
    const ids = items.map(({ id }) => id);
    state.put(ids, state.collection(collection), before);
    for (const item of items) {
      // The daemon will give the collection that it opens another handle.
      const opens = kind.opens ? provisionalHandle(item.id) : 0;
      this.show(item.with({ faceUp: turnedBy(kind, item.faceUp), opens }), item.id);
      if (opens) state.open(opens, item.id, state.collection(collection));
    }
    this.vanish(ids, collection);
  }

  remove(ids) {
    if (ids.length === 0) return;
    const opened = ids.map((id) => this.state.items.get(id).opens).filter(Boolean);
    const sources = new Set(ids.map(this.request.handleOf));
    for (const id of ids) {
      this.state.take(id);
      this.state.setItem(id, undefined);
    }
    for (const handle of opened) this.state.close(handle);
    for (const source of sources) if (!opened.includes(source)) this.expose(source);
  }

  /** Turns up the last item of a collection that others left. */
  expose(handle) {
    const { turnsExposed, faces } = this.request.kindOf(handle);
    const last = this.state.items.get(this.state.collection(handle).items.at(-1));
    if (!turnsExposed || faces !== 'each' || !last || last.faceUp) return;
    this.state.setItem(last.id, last.with({ faceUp: true }));
  }

  // ---- Steps

  step(step, context, ids) {
    const { request, state } = this;
    switch (step.form) {
      case 'deal':
        return this.deal(step, context);
      case 'shuffle':
        throw UNPREDICTABLE;
      case 'turn':
        return this.change(ids, (item) => {
          const kind = request.kindOf(request.handleOf(item.id));
          return turnedBy(kind, step.up) === step.up && item.faceUp !== step.up ? item.with({ faceUp: step.up }) : item;
        });
      case 'pin':
        return this.change(ids, (item) => (item.pinned === step.pinned ? item : item.with({ pinned: step.pinned })));
      case 'when':
        if (step.when(context)) for (const part of step.steps) this.step(part, context, ids);
        return undefined;
      case 'as':
        for (const seat of step.seats(context)) for (const part of step.steps) this.step(part, { ...context, seat }, ids);
        return undefined;
      case 'set':
        return this.setVariable(step.variable(context.seat), step.value(context));
      default: {
        const next = seatToMoveNext(request);
        return next && state.variables.get('turn') !== next ? this.setVariable('turn', next) : undefined;
      }
    }
  }

  setVariable(name, value) {
    if (this.state.variables.get(name) === value) return;
    this.state.setVariable(name, value);
    this.changes += 1;
  }

  change(ids, change) {
    for (const id of ids) {
      const item = this.state.items.get(id);
      const changed = item && change(item);
      if (changed === item) continue;
      this.show(changed, id);
      this.changes += 1;
    }
  }

  /** Takes items off the end of a collection one by one and puts each at the end of another. */
  deal(step, context) {
    const [from, to] = [step.from(context.seat), step.to(context.seat)];
    const source = this.state.collection(from);
    if (!source || !this.state.collection(to)) return;
    if (!this.request.isWhole && !canSeeItems(this.request.rules, from, this.request.seat)) throw UNPREDICTABLE;
    const count = Math.min(this.stepItemsLeft, dealtCount(step, context, source.items.length));
    if (count === 0) return;
    let dealt = source.items.slice(-count).reverse();
    if (this.state.aliasCount > 0 && !isOpen(this.request.kindOf(to))) dealt = this.limited(dealt);
    if (dealt.length === 0) return;
    this.stepItemsLeft -= dealt.length;
    this.move(dealt, to, 0);
    this.expose(from);
  }

  /** Returns the first of the items that are dealt, as many as may move with the aliases that go; and counts these aliases. */
  limited(ids) {
    let count = 0;
    for (const id of ids) {
      const aliases = this.state.aliasesOf(id).length;
      if (count + 1 + aliases > this.stepItemsLeft) break;
      this.stepItemsLeft -= aliases;
      count += 1;
    }
    return ids.slice(0, count);
  }

  /** The first ending that holds gives the table its status. */
  conclude() {
    const { request, state } = this;
    for (const { when, isOfSeats, status } of request.rules.endings) {
      for (let seat = isOfSeats ? 1 : request.seat; seat <= (isOfSeats ? request.rules.seatsMax : request.seat); seat++) {
        if (!when(request.context({ seat }))) continue;
        const name = status(seat);
        if (state.status !== name) state.set(state, 'status', name);
        return;
      }
    }
  }
}

