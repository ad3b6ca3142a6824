/**
 * Terms and predicates of rules, as functions of a context:
 *
 * | | |
 * |---|---|
 * | `state` | the table |
 * | `item`, `below` | the item that is judged, and the one that it follows or lands on; `undefined` for none |
 * | `source`, `destination` | the handles of the collections that items come from and go to; 0 for none |
 * | `rules` | the rules, for the attributes of collections |
 * | `sources`, `returning` | the number of items named, and of those that are in the destination already |
 * | `seat` | the acting seat |
 *
 * A term without a value is `undefined`, and a comparison with it does not hold. `reads` has the items whose faces are read.
 */

import { toNumber } from './bytes.js';
import { isFaceUp } from './visibility.js';
import { names } from './document-node.js';

const NOTHING = Object.freeze({ item: false, below: false });

const union = (parts) => ({ item: parts.some(({ reads }) => reads.item), below: parts.some(({ reads }) => reads.below) });

const TERM_FORMS = [
  'item', 'below', 'source', 'destination', 'variable', 'option', 'count', 'group', 'of', 'sum', 'difference', 'actor',
];

/** Compiles a term: `{ value(context), reads }`. */
export function compileTerm(node, compiler) {
  if (!node.isObject) {
    const constant = node.value();
    return { value: () => constant, reads: NOTHING };
  }
  const fields = node.object(TERM_FORMS);
  const forms = [...fields.keys()].filter((key) => key !== 'of');
  if (forms.length !== 1 || fields.has('of') !== (forms[0] === 'group')) throw node.mistake('a term of one form');
  const part = fields.get(forms[0]);
  switch (forms[0]) {
    case 'item':
    case 'below': {
      const [subject, name] = [forms[0], part.text()];
      return { value: (context) => context[subject]?.attributes.get(name), reads: { ...NOTHING, [subject]: true } };
    }
    case 'source':
    case 'destination': {
      const [side, name] = [forms[0], part.text()];
      return { value: ({ rules, [side]: handle }) => rules.collections[handle - 1]?.attributes.get(name), reads: NOTHING };
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

function compileCount(node, compiler) {
  if (!node.isObject) {
    switch (node.word('sources', 'source', 'destination')) {
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

const PREDICATE_FORMS = [...COMPARISONS.keys(), 'oneOf', 'faceUp', 'all', 'any', 'not', 'everySeat'];

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
  if (compiler.isInEverySeat) throw node.mistake('everySeat in everySeat');
  compiler.isInEverySeat = true;
  const { holds, reads } = compilePredicate(node, compiler);
  compiler.isInEverySeat = false;
  return { holds: (context) => context.state.seats.every(({ seat }) => holds({ ...context, seat })), reads };
}
