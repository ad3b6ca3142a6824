/**
 * The positions of a collection (N1): a ring of those that items occupy and those that they have left, in which the boundary is
 * both in front of the first one and behind the last one.
 *
 * ```
 * ┌▶ boundary ◀──▶ a ◀──▶ (b, vacant) ◀──▶ c ◀┐
 * └────────────────────────────────────────────┘
 * ```
 *
 * A place for a block is the position that it is put before.
 */

const NONE = new Set();

export class Position {
  /** Makes a position of an item, in no ring yet; of none, the boundary of a collection. */
  constructor(collection, item = 0, { session = 0, placed = 0, run = 0, former } = {}) {
    this.collection = collection;
    this.item = item;
    /** The session whose position it is (N3); 0 for nobody's. */
    this.session = session;
    /** The revision that made it; 0 if a snapshot had it. */
    this.placed = placed;
    /** The number of its run (N4); 0 for none. */
    this.run = run;
    /** The position that its item had before. */
    this.former = former;
    /** The revision that vacated it, and the session that took the item out; `undefined` while it is occupied. */
    [this.vacated, this.takenBy] = [];
    /** The position that counts as one with it since an undo (N5). */
    this.successor = undefined;
    [this.previous, this.next] = [this, this];
  }

  get isVacant() {
    return this.vacated !== undefined;
  }

  /** The position that counts as one with it in the end (N5). */
  get present() {
    return this.successor?.present ?? this;
  }

  insert(before) {
    [this.previous, this.next] = [before.previous, before];
    [before.previous.next, before.previous] = [this, this];
  }

  remove() {
    [this.previous.next, this.next.previous] = [this.next, this.previous];
    [this.previous, this.next, this.former] = [];
  }

  /** Returns the first occupied position from here on of an item that does not leave; the boundary if there is none. */
  occupied(direction = 'next', leaving = NONE) {
    let position = this;
    while (position.item && (position.isVacant || leaving.has(position.item))) position = position[direction];
    return position;
  }

  /** Returns whether it is in front of another position of its collection, as the start is of all and all are of the end. */
  isInFrontOf(other) {
    if (this.item === 0 || other.item === 0 || this.next === other) return true;
    const { items } = this.collection;
    const [anchor, otherAnchor] = [this.occupied(), other.occupied()];
    const index = ({ item }) => (item ? items.indexOf(item) : items.length);
    if (anchor !== otherAnchor) return index(anchor) < index(otherAnchor);
    for (let position = this; position !== anchor; position = position.next) if (position.next === other) return true;
    return false;
  }
}
