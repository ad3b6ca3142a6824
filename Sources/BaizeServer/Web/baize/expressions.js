/**
 * Terms and predicates of rules, as functions of a context:
 *
 * | | |
 * |---|---|
 * | `state` | the table |
 * | `item`, `below` | the item that is judged, and the one that it follows or lands on; `undefined` for none |
 * | `counted`, `updated` | the item that a count looks at, and the judged item as an update would leave it |
 * | `named` | the items that the operation names |
 * | `source`, `destination` | the handles of the collections that items come from and go to; 0 for none |
 * | `rules` | the rules, for the attributes of collections |
 * | `sources`, `returning` | the number of items named, and of those that are in the destination already |
 * | `seat` | the acting seat |
 *
 * A term without a value is `undefined`, and a comparison with it does not hold. `reads` has the items whose faces are read, and
 * functions of the context to the items that counts look at.
 */

import { toNumber } from './bytes.js';
import { COUNTED_ITEMS_MAX } from './limits.js';
import { UNPREDICTABLE } from './refusal.js';
import { canSeeItems, collectionRules, isFaceUp } from './visibility.js';
import { names } from './document-node.js';

const NONE = new Map();
const NOTHING = Object.freeze({ item: false, below: false, counts: Object.freeze([]) });

const union = (parts) => ({
  item: parts.some(({ reads }) => reads.item),
  below: parts.some(({ reads }) => reads.below),
  counts: parts.flatMap(({ reads }) => reads.counts),
});

const TERM_FORMS = [
  'item', 'below', 'source', 'destination', 'variable', 'option', 'count', 'group', 'of', 'sum', 'difference', 'actor',
  'counted', 'new', 'where',
];

/** Compiles a term: `{ value(context), reads }`. */
export function compileTerm(node, compiler) {
  if (!node.isObject) {
    const constant = node.value();
    return { value: () => constant, reads: NOTHING };
  }
  const fields = node.object(TERM_FORMS);
  const forms = [...fields.keys()].filter((key) => key !== 'of' && key !== 'where');
  if (forms.length !== 1 || fields.has('of') !== (forms[0] === 'group')) throw node.mistake('a term of one form');
  if (fields.has('where')) {
    if (forms[0] !== 'count') throw node.mistake('a condition without a count');
    return compileCountWhere(fields.get('count'), fields.get('where'), compiler);
  }
  const part = fields.get(forms[0]);
  switch (forms[0]) {
    case 'item':
    case 'below': {
      const [subject, name] = [forms[0], part.text()];
      return { value: (context) => known(context[subject])?.attributes.get(name), reads: { ...NOTHING, [subject]: true } };
    }
    case 'counted':
    case 'new': {
      const [subject, name] = [forms[0] === 'new' ? 'updated' : 'counted', part.text()];
      return { value: (context) => context[subject]?.attributes.get(name), reads: NOTHING };
    }
    case 'source':
    case 'destination': {
      const [side, name] = [forms[0], part.text()];
      const attributes = ({ rules, state, [side]: handle }) => (handle ? collectionRules(rules, state, handle).attributes : NONE);
      return { value: (context) => attributes(context).get(name), reads: NOTHING };
    }
    case 'variable': {
      const variable = names(part, (name) => name);
      return { value: ({ state, seat }) => state.variables.get(variable(seat)), reads: NOTHING };
    }
    case 'option': {
      const constant = compiler.option(part);
      return { value: () => constant, reads: NOTHING };
    }
    case 'actor':
      part.word('seat');
      return { value: ({ seat }) => seat, reads: NOTHING };
    case 'count':
      return { value: compileCount(part, compiler), reads: NOTHING };
    case 'group': {
      const group = compiler.groups.get(part.text());
      if (!group) throw part.mistake('an unknown group');
      const { value, reads } = compileTerm(fields.get('of'), compiler);
      return { value: (context) => group.get(value(context)), reads };
    }
    case 'sum':
      return compileArithmetic(part.list(), compiler, (numbers) => numbers.reduce((sum, number) => sum + number, 0n));
    default:
      return compileArithmetic(part.list(2), compiler, ([left, right]) => left - right);
  }
}

/** Conditions have been checked before; what else reads a face that is not known here cannot be predicted. */
function known(item) {
  if (item?.hidden) throw UNPREDICTABLE;
  return item;
}

function compileCount(node, compiler) {
  if (!node.isObject) {
    switch (node.word('sources', 'source', 'destination', 'seats')) {
      case 'seats':
        return ({ state }) => state.seats.filter(({ session }) => session !== 0).length;
      case 'sources':
        return ({ sources }) => sources;
      case 'source':
        return ({ state, source }) => state.count(source);
      default:
        return ({ state, destination, returning }) => (destination ? state.count(destination) - returning : 0);
    }
  }
  const of = node.object(['of']).require('of');
  const named = (Array.isArray(of.json) ? of.list() : [of]).map((entry) => compiler.named(entry));
  return ({ state, seat }) =>
    named.reduce((sum, handles) => (handles(seat) ?? []).reduce((count, handle) => count + state.count(handle), sum), 0);
}

/** The number of items for which a predicate holds. More than a limit are not counted: there is no value. */
function compileCountWhere(node, where, compiler) {
  // Nested it would take time exponential in the depth.
  if (compiler.isInCount) throw where.mistake('a count in a count');
  compiler.isInCount = true;
  const { holds, reads } = compilePredicate(where, compiler);
  compiler.isInCount = false;
  const counted = compileCounted(node, compiler);
  const value = (context) => {
    const found = counted(context);
    if (!found) return undefined;
    if (found.hiddenCount > 0 || found.items.some(({ hidden }) => hidden)) throw UNPREDICTABLE;
    return found.items.filter((item) => holds({ ...context, counted: item })).length;
  };
  return { value, reads: { ...reads, counts: [counted] } };
}

/**
 * Returns a function of the context to the items that a count looks at, and the number of those that are not known, or not
 * visible to the acting seat; `undefined` if there are too many.
 */
function compileCounted(node, compiler) {
  if (!node.isObject) {
    const form = node.word('sources', 'source', 'destination');
    if (form === 'sources') return ({ named }) => ({ items: named, hiddenCount: 0 });
    if (form === 'source') return (context) => itemsIn(context, [context.source]);
    return (context) => {
      const found = itemsIn(context, [context.destination]);
      return found && context.returning > 0 ? { ...found, items: found.items.filter((item) => !context.named.includes(item)) } : found;
    };
  }
  const of = node.object(['of']).require('of');
  const names = (Array.isArray(of.json) ? of.list() : [of]).map((entry) => compiler.named(entry));
  return (context) => itemsIn(context, names.flatMap((handles) => handles(context.seat) ?? []));
}

function itemsIn({ state, rules, isWhole, viewer }, handles) {
  const collections = handles.filter((handle) => handle > 0).map((handle) => state.collection(handle));
  if (collections.reduce((sum, { handle }) => sum + state.count(handle), 0) > COUNTED_ITEMS_MAX) return undefined;
  const isKnown = ({ handle }) => isWhole || canSeeItems(rules, handle, viewer);
  return {
    items: collections.filter(isKnown).flatMap(({ items }) => items.map((id) => state.items.get(id))),
    hiddenCount: collections.filter((one) => !isKnown(one)).reduce((sum, { handle }) => sum + state.count(handle), 0),
  };
}

/** Sums and differences of whole numbers; beyond 64 bits they have no value. */
function compileArithmetic(nodes, compiler, calculate) {
  const terms = nodes.map((node) => compileTerm(node, compiler));
  const value = (context) => {
    const values = terms.map((term) => term.value(context));
    if (!values.every((one) => typeof one === 'number' || typeof one === 'bigint')) return undefined;
    const result = calculate(values.map(BigInt));
    return BigInt.asIntN(64, result) === result ? toNumber(result) : undefined;
  };
  return { value, reads: union(terms) };
}

const COMPARISONS = new Map([
  ['equal', (left, right) => left === right],
  ['unequal', (left, right) => left !== right],
  ['less', (left, right) => areNumbers(left, right) && left < right],
  ['atMost', (left, right) => areNumbers(left, right) && left <= right],
]);

const areNumbers = (left, right) => typeof left !== 'string' && typeof right !== 'string';

const PREDICATE_FORMS = [...COMPARISONS.keys(), 'oneOf', 'faceUp', 'all', 'any', 'not', 'everySeat', 'changes'];

/** Compiles a predicate: `{ holds(context), reads }`. */
export function compilePredicate(node, compiler) {
  if (typeof node.json === 'boolean') return { holds: () => node.json, reads: NOTHING };
  const fields = node.object(PREDICATE_FORMS);
  const [form] = fields.keys();
  if (fields.size !== 1) throw node.mistake('a predicate of one form');
  const part = fields.get(form);
  const compare = COMPARISONS.get(form);
  if (compare) return compileComparison(part, compiler, compare);
  switch (form) {
    case 'oneOf': {
      const [term, values] = part.list(2);
      const { value, reads } = compileTerm(term, compiler);
      const allowed = new Set(values.list().map((entry) => entry.value()));
      return { holds: (context) => allowed.has(value(context)), reads };
    }
    case 'faceUp': {
      const subject = part.word('item', 'below');
      const holds = ({ state, rules, [subject]: item }) => item !== undefined && isFaceUp(state, rules, item);
      return { holds, reads: NOTHING };
    }
    case 'all':
    case 'any': {
      const parts = part.list().map((entry) => compilePredicate(entry, compiler));
      const all = (context) => parts.every((one) => one.holds(context));
      const any = (context) => parts.some((one) => one.holds(context));
      return { holds: form === 'all' ? all : any, reads: union(parts) };
    }
    case 'changes': {
      const name = part.text();
      return { holds: ({ item, updated }) => item?.attributes.get(name) !== updated?.attributes.get(name), reads: NOTHING };
    }
    case 'everySeat':
      return compileEverySeat(part, compiler);
    default: {
      const { holds, reads } = compilePredicate(part, compiler);
      return { holds: (context) => !holds(context), reads };
    }
  }
}

function compileComparison(node, compiler, compare) {
  const terms = node.list(2).map((entry) => compileTerm(entry, compiler));
  const [left, right] = terms;
  const holds = (context) => {
    const [a, b] = [left.value(context), right.value(context)];
    return a !== undefined && b !== undefined && compare(a, b);
  };
  return { holds, reads: union(terms) };
}

function compileEverySeat(node, compiler) {
  // Nested it would take time exponential in the depth.
  if (compiler.isInEverySeat || compiler.isInCount) throw node.mistake('everySeat in everySeat');
  compiler.isInEverySeat = true;
  const { holds, reads } = compilePredicate(node, compiler);
  compiler.isInEverySeat = false;
  const counts = reads.counts.map((counted) => (context) => {
    const found = context.state.activeSeats.map(({ seat }) => counted({ ...context, seat })).filter((one) => one !== undefined);
    return { items: found.flatMap(({ items }) => items), hiddenCount: found.reduce((sum, { hiddenCount }) => sum + hiddenCount, 0) };
  });
  return { holds: (context) => context.state.activeSeats.every(({ seat }) => holds({ ...context, seat })), reads: { ...reads, counts } };
}
