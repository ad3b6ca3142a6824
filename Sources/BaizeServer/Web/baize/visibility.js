/** Which faces and items a seat may see, by the rules of the collections (G12). */

/** Returns the number of the kind, the owner and the attributes of a collection of the table type, or of one that an item opens. */
export function collectionRules(rules, state, handle) {
  const own = rules.collections[handle - 1];
  if (own) return own;
  const { kind, item } = state.collection(handle);
  return { kind: rules.openedKinds.get(kind), owner: 0, attributes: state.items.get(item).attributes };
}

const kindOf = (rules, state, { handle }) => rules.kinds[collectionRules(rules, state, handle).kind];

/** Returns whether an item is face up in a collection of a kind, given whether it would be otherwise. */
export function turnedBy(kind, faceUp) {
  return kind.faces === 'each' ? faceUp : kind.faces !== 'down';
}

/** Returns whether an item is face up where it lies. One that is on no table yet is. */
export function isFaceUp(state, rules, item) {
  const collection = state.placeOf(item.id);
  return collection === undefined || turnedBy(kindOf(rules, state, collection), item.faceUp);
}

/** Returns whether the faces, or the items, of a collection depend on the viewer. */
export const isSecret = (kind) => kind.private || kind.faces === 'owner';

/** Returns whether everyone sees every face in a collection: aliases, and items that have some, are only there (Y5). */
export const isOpen = (kind) => kind.faces === 'up' && !kind.private;

/** Returns whether a rule may read the face of an item if `seat` is the author. */
export function canSee(state, rules, item, seat) {
  const collection = state.placeOf(item.id);
  if (collection === undefined) return true;
  if (item.hidden || !isFaceUp(state, rules, item)) return false;
  return !isSecret(kindOf(rules, state, collection)) || collectionRules(rules, state, collection.handle).owner === seat;
}

/** Returns whether a seat knows the items of a collection and their order. */
export function canSeeItems(rules, handle, seat) {
  const own = rules.collections[handle - 1];
  // Everyone sees what is in the collections that items open.
  return !own || !rules.kinds[own.kind].private || own.owner === seat;
}
