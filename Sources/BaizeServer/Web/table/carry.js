/**
 * What a person carries, by pointer, by touch or by keyboard: the items, where they may land by the rules here, and where they
 * would land now. Nothing of it asks the daemon.
 */

export class Carry {
  #page;
  #legal = new Map();

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

  /** Looks at the table again: others have moved. What has been taken away is no longer carried. */
  update() {
    if (!this.isActive) return;
    this.ids = this.ids.map((id) => this.#page.table.item(id)?.id).filter(Boolean);
    if (this.ids.length === 0) return this.cancel();
    this.#legal = new Map(this.#page.table.legalDestinations(this.ids).map(({ collection, configuration }) => [collection, configuration]));
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
    if (this.mode !== 'tap') this.#page.table.moveDrag({ over: target && { collection: target.collection, before: target.before } });
  }

  /** Lands the items; returns the submission. */
  drop() {
    const { ids, target } = this;
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
  }
}
