/** Where in a collection a drop lands: the gap under the pointer, and the gaps that the keyboard passes. */

/** Returns the gap of a collection that is nearest to a point: `{ collection, before, after }`, with both neighbors as they are shown. */
export function gapAt(view, look, carried, x, y) {
  const collection = view.id;
  if (!look.landsAnywhere(collection)) return { collection, before: null };
  const slots = view.slots(carried);
  // Where there is little room, a hand has several rows.
  const hasRows = slots.length > 1 && slots[0].offsetTop !== slots.at(-1).offsetTop;
  const isAcross = view.kind.layout === 'fan' && !hasRows;
  const isRow = view.kind.layout === 'row' || (view.kind.layout === 'fan' && hasRows);
  const next = slots.find((slot) => {
    const { left, top, width, height } = slot.getBoundingClientRect();
    if (isAcross) return x < left + width / 2;
    if (isRow) return y < top || (y < top + height && x < left + width / 2);
    return y < top + height / 2;
  });
  const last = next ? slots[slots.indexOf(next) - 1] : slots.at(-1);
  return { collection, before: next?.view.item.id ?? view.behindShown, after: last?.view.item.id ?? null };
}

/** Returns all gaps of a collection, from the first. */
export function gapsOf(view, look, carried) {
  const collection = view.id;
  if (!look.landsAnywhere(collection)) return [{ collection, before: null }];
  const ids = view.slots(carried).map((slot) => slot.view.item.id);
  return [...ids, view.behindShown].map((before, index) => ({ collection, before, after: ids[index - 1] ?? null }));
}

/**
 * Returns the gap among items that lies between most of what stood on its two sides, by its index: what is nearer counts more, so
 * that others may move any of it away. What is new between the two sides is in front of it.
 *
 * @param left what stood in front of the gap, and `right` what stood behind it, the nearest first
 */
export function gapBetween(ids, left, right) {
  const weights = new Map([...left.map((id, index) => [id, 1 / (index + 1)]), ...right.map((id, index) => [id, -1 / (index + 1)])]);
  let [score, best, gap] = [0, 0, 0];
  for (const [index, id] of ids.entries()) {
    score += weights.get(id) ?? 0;
    if (score >= best - Number.EPSILON * ids.length) [best, gap] = [score, index + 1];
  }
  return gap;
}

/** Returns where a gap is on the screen: the slot behind it, or the end of the collection. */
export function placeOf(view, target, carried) {
  const slots = view.slots(carried);
  const next = slots.find((slot) => slot.view.item.id === target.before);
  const last = slots.at(-1);
  const { layout } = view.kind;
  const stack = view.list.parentElement.getBoundingClientRect();
  if (next) return next.getBoundingClientRect();
  if (!last || layout === 'pile') return view.place.getBoundingClientRect().width > 0 ? view.place.getBoundingClientRect() : stack;
  const { left, top, right, bottom, width, height } = last.getBoundingClientRect();
  if (layout === 'fan' || layout === 'row') return new DOMRect(right, top, width, height);
  if (layout === 'cascade') return new DOMRect(left, Math.min(bottom, top + height), width, height);
  return new DOMRect(left, bottom, width, height);
}
