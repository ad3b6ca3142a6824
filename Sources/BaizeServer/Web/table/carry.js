/**
 * What a person carries, by pointer, by touch or by keyboard: the items, where they may land by the rules here, and where they
 * would land now. Nothing of it asks the daemon.
 */

import { gapBetween } from './gaps.js';
import { say } from './language.js';
import { notify } from './notices.js';

/** The number of items on each side that hold a gap. */
const AROUND_MAX = 16;

export class Carry {
  #page;
  #legal = new Map();
  /** What stands on both sides of the gap, the nearest first. */
  #around;

  constructor(page) {
    this.#page = page;
    this.ids = [];
    this.target = undefined;
    /** `pointer`, `keys` or `tap`; empty while nothing is carried. */
    this.mode = '';
  }

  get isActive() {
    return this.ids.length > 0;
  }

  get carried() {
    return new Set(this.ids);
  }

  get items() {
    return this.ids.map((id) => this.#page.table.item(id)).filter(Boolean);
  }

  /** Takes hold of items; returns the refusal if they may not be lifted. */
  begin(items, mode) {
    this.cancel();
    const refusal = this.#page.table.refusalToLift(items);
    if (refusal) return refusal;
    this.ids = items.map(({ id }) => id);
    this.mode = mode;
    this.origin = this.#page.table.locate(this.ids[0])?.collection;
    this.update();
    if (mode !== 'tap') this.#page.table.beginDrag(this.ids, { formation: this.#page.look.isCards ? 'stack' : 'list' });
    return undefined;
  }

  /** Looks at the table again: others have moved. What has been taken away is no longer carried, and the gap is held. */
  update() {
    if (!this.isActive) return;
    const count = this.ids.length;
    this.ids = this.ids.map((id) => this.#page.table.item(id)?.id).filter(Boolean);
    if (this.ids.length < count) this.#lost();
    if (!this.isActive) return;
    if (this.target) this.target = this.#held();
    this.#legal = new Map(this.#page.table.legalDestinations(this.ids).map(({ collection, configuration }) => [collection, configuration]));
  }

  #lost() {
    const isAll = this.ids.length === 0;
    notify(isAll ? say('Somebody has deleted what you were carrying.') : say('Somebody has deleted some of what you are carrying.'), { kind: 'refusal' });
    if (isAll) this.#end(true);
    else this.#page.pointer.showCarried();
  }

  /** The items of a collection that are shown, and stay while these are carried. */
  #staying(collection) {
    const { carried } = this;
    // Another may have removed it, with the item that opened it.
    if (!this.#page.table.collection(collection)) return undefined;
    return this.#page.arrangement.view(collection)?.order.filter((id) => !carried.has(id));
  }

  /** Returns the gap between what stood around it, wherever that is now; `undefined` if there is none. */
  #held() {
    const { collection } = this.target;
    const ids = this.#staying(collection);
    if (!ids) return undefined;
    if (!this.#page.look.landsAnywhere(collection)) return this.target;
    const present = (some) => some.map((id) => this.#page.table.item(id)?.id);
    const gap = gapBetween(ids, present(this.#around.left), present(this.#around.right));
    const { behindShown } = this.#page.arrangement.view(collection);
    return { collection, before: ids[gap] ?? behindShown, after: ids[gap - 1] ?? null };
  }

  /** Whether the rules allow a drop on a collection, at its end at least. */
  isLegal(collection) {
    return this.isActive && this.#legal.has(collection);
  }

  get legal() {
    return [...this.#legal.keys()];
  }

  /** Returns the rules' verdict on a gap. */
  verdict(target) {
    return this.#page.table.dropConfiguration(this.ids, target);
  }

  /** Shows where the items would land; `undefined` for nowhere. */
  aim(target) {
    this.target = target;
    const ids = target && this.#staying(target.collection);
    const found = ids?.indexOf(target.before) ?? -1;
    const index = found < 0 ? ids?.length : found;
    this.#around = ids && { left: ids.slice(Math.max(0, index - AROUND_MAX), index).reverse(), right: ids.slice(index, index + AROUND_MAX) };
    if (this.mode !== 'tap') this.#page.table.moveDrag({ over: target && { collection: target.collection, before: target.before } });
  }

  /** Returns the gap as others have left it, between those between which it was shown last, if they are still beside it. */
  hold() {
    const { after } = this.target ?? {};
    this.update();
    if (this.target && after) this.target = { ...this.target, after: this.#isBeside(after) ? after : this.target.after };
    return this.target;
  }

  #isBeside(after) {
    const ids = this.#staying(this.target.collection) ?? [];
    const [left, right] = [ids.indexOf(this.#page.table.item(after)?.id), ids.indexOf(this.target.before)];
    return left >= 0 && (right < 0 || left < right);
  }

  /** Lands the items in the gap as it is held; returns the submission, `undefined` if nothing is carried to anywhere any more. */
  drop() {
    const target = this.hold();
    const { ids } = this;
    if (!target) return this.cancel();
    const submission = this.#page.table.reorder(ids, target);
    this.#end(submission.refusal !== undefined);
    return submission;
  }

  cancel() {
    if (this.isActive) this.#end(true);
  }

  #end(isCancelled) {
    if (this.mode !== 'tap') this.#page.table.endDrag({ isCancelled });
    [this.ids, this.target, this.mode] = [[], undefined, ''];
    this.#legal = new Map();
    this.#page.pointer.release();
  }
}
