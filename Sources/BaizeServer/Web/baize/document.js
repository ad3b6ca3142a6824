/**
 * Compiles a table type's document (Protocol/table-types.md) and the options of a table to rules.
 *
 * A document comes from the daemon: everything is checked. One that this library does not understand throws a
 * `DocumentError`, and the client goes on without rules of its own (C7).
 */

import {
  COLLECTIONS_MAX,
  DOCUMENT_CHARACTERS_MAX,
  DOCUMENT_CONDITIONS_MAX,
  DOCUMENT_DEPTH_MAX,
  DOCUMENT_SEATS_MAX,
} from './limits.js';
import { Refusal } from './refusal.js';
import { compilePredicate, compileTerm } from './expressions.js';
import { DocumentError, names, Node } from './document-node.js';

const OPERATIONS = new Map([['copy', 1], ['move', 2], ['alias', 4], ['delete', 8]]);
const TOP_KEYS = [
  '$schema', 'baize', 'name', 'title', 'seats', 'turns', 'claims', 'undo', 'invites', 'contention', 'partialMoves', 'mixedSources', 'chat',
  'key', 'faceBytes', 'options', 'groups', 'variables', 'checks', 'collections', 'opened', 'actions', 'endings', 'clock', 'setUp',
  'show',
];
const KIND_KEYS = ['kind', 'ids', 'family', 'faces', 'private', 'exposed', 'updates', 'lift', 'accept', 'opens', 'show', 'if'];
const LIFT_KEYS = ['by', 'shape', 'offers', 'conditions', 'each', 'pairs', 'then'];
const STEP_FORMS = ['deal', 'shuffle', 'turn', 'pin', 'set', 'passTurn', 'steps'];
const STEP_KEYS = ['if', 'as', 'when'];
const ACCEPT_KEYS = [
  'by', 'operations', 'inserts', 'from', 'landing', 'redirect', 'capacity', 'contentTypes', 'conditions', 'each', 'onEmpty',
  'onItem', 'pairs', 'stamp', 'then', 'passesTurn', 'outOfTurn',
];

/**
 * Returns the rules of a table.
 *
 * @param {string} text the document, of `Welcome.table_type`
 * @param {Map<string, number | string>} options the value of each option
 * @throws {DocumentError} if the document is not understood
 */
export function compileRules(text, options) {
  return new Compiler(options).compile(parse(text));
}

/** Returns the JSON of a document. */
export function parse(text) {
  if (text.length > DOCUMENT_CHARACTERS_MAX) throw new DocumentError('the document is too long', '');
  try {
    return JSON.parse(text);
  } catch {
    throw new DocumentError('the document is not JSON', '');
  }
}

/** What a document has where something depends on seats; one that has it elsewhere counts as such, too. */
const SEATS = /\{seat\}|"(?:everySeat|actor|seats)":|:"(?:everySeat|seats)"|"as":[^"]/;

class Compiler {
  constructor(options) {
    this.options = options;
    this.groups = new Map();
    this.checks = new Map();
    this.collections = [];
    /** The handles that a name stands for: of a collection, a kind, or the collections of a seat. */
    this.handles = new Map();
    /** The kinds of the collections that items open, by name: their numbers among all kinds. */
    this.openedKinds = new Map();
    this.conditionCount = 0;
    this.isInEverySeat = false;
    this.isInCount = false;
    this.isInActing = false;
  }

  compile(json) {
    const top = new Node(json, '').object(TOP_KEYS, DOCUMENT_DEPTH_MAX);
    if (top.get('baize')?.json !== 1) throw new DocumentError('another version of the language', 'baize');
    this.readSeats(top.get('seats'));
    this.turns = top.get('turns')?.word('free', 'zones', 'turns') ?? 'free';
    top.get('groups')?.members().forEach((node, name) => this.readGroup(name, node));
    const entries = this.activeKinds(top.require('collections'));
    const opened = this.activeKinds(top.get('opened'));
    if (entries.length === 0) throw new DocumentError('the options exclude all collections', 'collections');
    entries.forEach((node, index) => this.readNames(node.object(KIND_KEYS), index));
    opened.forEach((node, index) => {
      this.openedKinds.set(node.object(KIND_KEYS).require('kind').text(), entries.length + index);
    });
    top.get('checks')?.members().forEach((node, name) => {
      this.checks.set(name, node.list().flatMap((entry) => this.condition(entry)));
    });
    const kinds = [...entries, ...opened].map((node) => this.readKind(node));
    const actions = new Map();
    top.get('actions')?.members().forEach((node, name) => actions.set(name, this.readAction(node)));
    const endings = (top.get('endings')?.list() ?? []).map((node) => this.readEnding(node));
    const title = top.get('title')?.text() ?? top.require('name').text();
    const flag = (key, fallback) => top.get(key)?.boolean() ?? fallback;
    const isSecret = (kind) => kind.private || kind.faces === 'owner';
    return {
      name: top.require('name').text(),
      title,
      seatsMax: this.seatsMax,
      turns: this.turns,
      dependsOnSeats: this.turns !== 'free' || SEATS.test(JSON.stringify({ ...json, show: undefined, seats: undefined })),
      claims: flag('claims', false),
      allowsUndo: flag('undo', true),
      contention: top.get('contention')?.word('first', 'last') ?? 'first',
      partialMoves: flag('partialMoves', false),
      mixedSources: flag('mixedSources', true),
      /** The attribute that no two items have the same value of; `undefined` for none. */
      key: top.get('key')?.text(),
      chat: flag('chat', true),
      hasSecrets: kinds.some(isSecret),
      kinds,
      collections: this.collections,
      openedKinds: this.openedKinds,
      actions,
      endings,
    };
  }

  readSeats(node) {
    const max = node?.object(['min', 'max', 'keep']).require('max');
    this.seatsMax = max ? this.number(max) : 1;
    if (!(this.seatsMax >= 1 && this.seatsMax <= DOCUMENT_SEATS_MAX)) throw new DocumentError('a number of seats', 'seats');
  }

  readGroup(name, node) {
    const groups = new Map();
    node.members().forEach((values, group) => values.list().forEach((value) => groups.set(value.value(), group)));
    this.groups.set(name, groups);
  }

  // ---- Values

  /** Returns a number, written out or as `{ "option": name }`. */
  number(node) {
    if (!node.isObject) return node.integer();
    const value = this.option(node.object(['option']).require('option'));
    if (typeof value !== 'number') throw node.mistake('an option that is no number');
    return value;
  }

  option(node) {
    const value = this.options.get(node.text());
    if (value === undefined) throw node.mistake('an unknown option');
    return value;
  }

  /** Returns whether an `if` holds; there may be none. */
  isActive(node) {
    if (!node) return true;
    const fields = node.object(['option', 'is', 'isNot']);
    const expected = fields.get('is') ?? fields.require('isNot');
    const wanted = typeof expected.json === 'boolean' ? String(expected.json) : expected.value();
    return (this.option(fields.require('option')) === wanted) === fields.has('is');
  }

  // ---- Collections

  /** Returns the entries of a list of kinds that the options do not exclude. */
  activeKinds(node) {
    return (node?.list() ?? []).filter((entry) => this.isActive(entry.object(KIND_KEYS).get('if')));
  }

  readNames(fields, kind) {
    const name = fields.require('kind').text();
    if (this.handles.has(name)) throw fields.node.mistake(`the name ${name} is taken`);
    this.handles.set(name, []);
    const family = fields.get('family');
    if (family) this.readFamily(family, name, kind);
    else (fields.get('ids')?.list().map((node) => node.text()) ?? [name]).forEach((id) => this.addCollection({ id, kind }, name));
  }

  addCollection({ id, kind, owner = 0, attributes = new Map() }, ...groups) {
    this.collections.push({ id, kind, owner, attributes });
    const handle = this.collections.length;
    if (handle > COLLECTIONS_MAX) throw new DocumentError('too many collections', 'collections');
    for (const group of groups) {
      if (group === id) continue;
      if (!this.handles.has(group)) this.handles.set(group, []);
      this.handles.get(group).push(handle);
    }
    if (this.handles.get(id)?.length) throw new DocumentError(`the name ${id} is taken`, 'collections');
    this.handles.set(id, [handle]);
  }

  readFamily(node, name, kind) {
    const fields = node.object(['each', 'from', 'to', 'as', 'seats', 'owned']);
    const as = fields.get('as')?.text() ?? 'index';
    if (!fields.has('seats')) {
      for (const value of this.familyValues(fields)) {
        this.addCollection({ id: `${name}/${value}`, kind, attributes: new Map([[as, value]]) }, name);
      }
      return;
    }
    const isOwned = fields.get('owned')?.boolean() ?? true;
    const values = fields.has('from') ? this.familyValues(fields) : undefined;
    for (let seat = 1; seat <= this.seatsMax; seat++) {
      const owner = isOwned ? seat : 0;
      if (!values) {
        this.addCollection({ id: `${name}/${seat}`, kind, owner, attributes: new Map([['seat', seat]]) }, name);
      } else {
        for (const value of values) {
          const attributes = new Map([[as, value], ['seat', seat]]);
          this.addCollection({ id: `${name}/${seat}-${value}`, kind, owner, attributes }, name, `${name}/${seat}`);
        }
      }
    }
  }

  familyValues(fields) {
    if (fields.has('each')) return fields.get('each').list().map((value) => value.value());
    const from = fields.require('from').integer();
    const length = fields.require('to').integer() - from + 1;
    if (length < 1 || length > COLLECTIONS_MAX) throw fields.node.mistake('a family of this size');
    return Array.from({ length }, (_, index) => from + index);
  }

  /** Returns a function of the acting seat to the handles that a name stands for. */
  named(node) {
    const handles = names(node, (name) => this.handles.get(name));
    if (!handles(1)) throw node.mistake('no collection is called so');
    return handles;
  }

  /** Returns a function of the acting seat to the one handle that a name stands for; 0 for none. */
  one(node) {
    const named = this.named(node);
    return (seat) => (named(seat)?.length === 1 ? named(seat)[0] : 0);
  }

  // ---- Kinds

  readKind(node) {
    const fields = node.object(KIND_KEYS);
    return {
      name: fields.require('kind').text(),
      path: node.path,
      faces: fields.get('faces')?.word('up', 'down', 'each', 'owner') ?? 'up',
      private: fields.get('private')?.boolean() ?? false,
      turnsExposed: fields.get('exposed')?.word('turn') === 'turn',
      opens: fields.has('opens') ? this.readOpening(fields.get('opens')) : undefined,
      ...this.readUpdates(fields.get('updates')),
      lift: this.readLift(fields.get('lift') ?? new Node({}, node.path)),
      accept: this.readAccept(fields.get('accept') ?? new Node({}, node.path)),
    };
  }

  /** Reads the name of a kind that items open, or an object with it and whether a removal takes along what is in there. */
  readOpening(node) {
    const fields = node.isObject ? node.object(['kind', 'removal']) : undefined;
    const kind = this.openedKinds.get((fields?.require('kind') ?? node).text());
    if (kind === undefined) throw node.mistake('an unknown kind');
    return { kind, removesItems: fields?.get('removal')?.word('empty', 'withItems') === 'withItems' };
  }

  /** Reads the names of collections, and those of kinds that items open. */
  readSources(node) {
    const from = { handles: new Set(), kinds: new Set() };
    for (const name of node.list()) {
      const kind = this.openedKinds.get(name.text());
      if (kind !== undefined) from.kinds.add(kind);
      else for (const handle of this.named(name)(0) ?? []) from.handles.add(handle);
    }
    return from;
  }

  /** Reads a number of items, or the attribute of the collection that has it. */
  readCapacity(node) {
    const isAttribute = node.isObject && node.has('destination');
    return isAttribute ? { attribute: node.object(['destination']).require('destination').text() } : { max: this.number(node) };
  }

  /** Reads `true`, `false`, or an object with conditions. */
  readUpdates(node) {
    if (!node?.isObject) return { updates: node?.boolean() ?? false, updateConditions: [] };
    return { updates: true, updateConditions: this.conditions(node.object(['conditions']).require('conditions')) };
  }

  readLift(node) {
    const isNone = !node.isObject && node.word('none') === 'none';
    const fields = (isNone ? new Node({}, node.path) : node).object(LIFT_KEYS);
    return {
      path: node.path,
      by: fields.get('by')?.word('owner', 'anyone'),
      shape: isNone ? 'none' : (fields.get('shape')?.word('any', 'top', 'run') ?? 'any'),
      offers: isNone ? 0 : this.operations(fields.get('offers')).reduce((bits, operation) => bits | operation, 0),
      conditions: this.conditions(fields.get('conditions')),
      each: this.conditions(fields.get('each')),
      pairs: this.conditions(fields.get('pairs')),
      then: this.steps(fields.get('then')),
    };
  }

  readAccept(node) {
    const isClosed = !node.isObject && node.word('closed') === 'closed';
    const fields = (isClosed ? new Node({}, node.path) : node).object(ACCEPT_KEYS);
    const capacity = fields.get('capacity')?.object(['max', 'partial']);
    const redirect = fields.get('redirect');
    return {
      path: node.path,
      by: fields.get('by')?.word('owner', 'anyone'),
      operations: isClosed ? [] : this.operations(fields.get('operations')),
      inserts: fields.get('inserts')?.boolean() ?? false,
      from: fields.has('from') ? this.readSources(fields.get('from')) : undefined,
      landing: fields.get('landing')?.word('anywhere', 'end', 'endOnly', 'start') ?? 'anywhere',
      redirect: redirect ? this.one(redirect)(0) : 0,
      capacity: capacity && {
        ...this.readCapacity(capacity.require('max')),
        partial: capacity.get('partial')?.boolean() ?? false,
        path: capacity.node.path,
      },
      contentTypes: new Set(fields.get('contentTypes')?.list().map((type) => type.text()) ?? []),
      conditions: this.conditions(fields.get('conditions')),
      each: this.conditions(fields.get('each')),
      onEmpty: this.conditions(fields.get('onEmpty')),
      onItem: this.conditions(fields.get('onItem')),
      pairs: this.conditions(fields.get('pairs')),
      stamps: this.stamps(fields.get('stamp')),
      then: this.steps(fields.get('then')),
      passesTurn: fields.get('passesTurn')?.boolean() ?? false,
      outOfTurn: fields.get('outOfTurn')?.boolean() ?? false,
    };
  }

  /** The attributes that moved items get, each with its value as a function of the context. */
  stamps(node) {
    const stamps = [...(node?.members() ?? [])];
    return stamps.map(([name, term]) => ({
      name,
      value: term.json === null ? () => undefined : compileTerm(term, this).value,
    }));
  }

  operations(node) {
    if (!node) return [OPERATIONS.get('move')];
    return node.list().map((entry) => OPERATIONS.get(entry.word(...OPERATIONS.keys())));
  }

  // ---- Conditions

  conditions(node) {
    return (node?.list() ?? []).flatMap((entry) => (entry.has('use') ? this.used(entry) : this.condition(entry)));
  }

  condition(node) {
    const fields = node.object(['require', 'else', 'detail', 'blind', 'if']);
    this.admit(1, node);
    if (!this.isActive(fields.get('if'))) return [];
    const predicate = compilePredicate(fields.require('require'), this);
    const refusal = new Refusal(fields.require('else').text(), node.path, fields.get('detail')?.text() ?? '');
    const isBlind = fields.get('blind')?.boolean() ?? false;
    return [{ ...predicate, refusal, isBlind }];
  }

  used(node) {
    const fields = node.object(['use', 'else', 'detail', 'if']);
    const check = this.checks.get(fields.require('use').text());
    if (!check) throw node.mistake('an unknown check');
    this.admit(check.length, node);
    if (!this.isActive(fields.get('if'))) return [];
    return check.map((condition) => {
      const { reason, rule, detail } = condition.refusal;
      const refusal = new Refusal(fields.get('else')?.text() ?? reason, rule, fields.get('detail')?.text() ?? detail);
      return { ...condition, refusal };
    });
  }

  admit(count, node) {
    this.conditionCount += count;
    if (this.conditionCount > DOCUMENT_CONDITIONS_MAX) throw node.mistake('too many conditions');
  }

  // ---- Actions

  readAction(node) {
    const fields = node.object(['items', 'outOfTurn', 'each', 'cases', 'else', 'detail']);
    return {
      items: fields.get('items')?.word('contended', 'subject') ?? 'contended',
      outOfTurn: fields.get('outOfTurn')?.boolean() ?? false,
      each: this.conditions(fields.get('each')),
      cases: fields.require('cases').list().flatMap((entry) => this.readCase(entry)),
      otherwise: new Refusal(fields.get('else')?.text() ?? 'FORBIDDEN', node.path, fields.get('detail')?.text() ?? ''),
    };
  }

  readCase(node) {
    const fields = node.object(['when', 'conditions', 'steps', 'if']);
    if (!this.isActive(fields.get('if'))) return [];
    const when = fields.has('when') ? compilePredicate(fields.get('when'), this).holds : () => true;
    const entry = { when, conditions: this.conditions(fields.get('conditions')), steps: this.steps(fields.require('steps')) };
    return [entry];
  }

  steps(node) {
    return (node?.list() ?? []).flatMap((entry) => this.readStep(entry));
  }

  readStep(node) {
    const fields = node.object([...STEP_FORMS, ...STEP_KEYS]);
    const forms = [...fields.keys()].filter((key) => !STEP_KEYS.includes(key));
    if (forms.length !== 1) throw node.mistake('a step of one form');
    // What the options exclude may name collections that they exclude, too.
    if (!this.isActive(fields.get('if'))) return [];
    const { isInActing } = this;
    const actor = fields.has('as') ? this.readActor(fields.get('as')) : undefined;
    const when = fields.has('when') ? compilePredicate(fields.get('when'), this).holds : undefined;
    const part = fields.get(forms[0]);
    let steps = forms[0] === 'steps' ? this.steps(part) : [this.readStepForm(forms[0], part)];
    this.isInActing = isInActing;
    if (when) steps = [{ form: 'when', when, steps }];
    if (actor) steps = [{ form: 'as', ...actor, steps }];
    return steps;
  }

  /**
   * Reads whom the steps are carried out as: a function of the context to seats, and one to all that it may be once the steps
   * before have been carried out.
   */
  readActor(node) {
    // Nested it would take time exponential in the depth.
    if (this.isInActing) throw node.mistake('as in as');
    this.isInActing = true;
    if (node.json === 'everySeat') {
      const seats = ({ state }) => state.activeSeats.map(({ seat }) => seat);
      return { seats, possibleSeats: seats };
    }
    const { seatsMax } = this;
    const { value } = compileTerm(node, this);
    const isSeat = (seat) => typeof seat === 'number' && seat >= 1 && seat <= seatsMax;
    const all = Array.from({ length: seatsMax }, (_, index) => index + 1);
    return { seats: (context) => [value(context)].filter(isSeat), possibleSeats: () => all };
  }

  readStepForm(form, node) {
    switch (form) {
      case 'deal': {
        const fields = node.object(['from', 'to', 'count']);
        const count = fields.has('count') ? compileTerm(fields.get('count'), this).value : undefined;
        return { form, from: this.one(fields.require('from')), to: this.one(fields.require('to')), count };
      }
      case 'shuffle':
        return { form, collection: this.one(node) };
      case 'turn':
        return { form, up: node.word('up', 'down') === 'up' };
      case 'pin':
        return { form, pinned: node.boolean() };
      case 'set': {
        const [[name, term], ...others] = [...node.members()];
        if (others.length > 0) throw node.mistake('a step that sets one variable');
        return { form, variable: names(new Node(name, node.path), (bound) => bound), value: compileTerm(term, this).value };
      }
      default:
        return { form };
    }
  }

  readEnding(node) {
    const fields = node.object(['when', 'status', 'final']);
    const status = fields.require('status');
    return {
      when: compilePredicate(fields.require('when'), this).holds,
      isOfSeats: JSON.stringify(status.json).includes('{seat}'),
      status: names(status, (name) => name),
      isFinal: fields.get('final')?.boolean() ?? true,
    };
  }
}
