/**
 * How a table looks: what its document says in `show` (Protocol/table-types.md, "Looks"), and what can be guessed from the rules.
 * What a document holds is data: it becomes text, or chooses among the classes here.
 */

import { isIncluded } from '../baize/state.js';
import { say, sayCount } from './language.js';
import { humanized, plainName } from './words.js';

const COLOURS = ['black', 'blue', 'green', 'grey', 'orange', 'pink', 'purple', 'red', 'teal', 'yellow'];
const LAYOUTS = ['cascade', 'fan', 'list', 'pile', 'row'];
const FIELDS = ['comments', 'date', 'labels', 'line', 'number', 'person', 'text'];
const BACK = 'blue';
/** A family with more members than this has one place for all its empty members. */
const MEMBERS_SHOWN_MAX = 8;

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const object = (value) => (isObject(value) ? value : {});
const listOf = (value) => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
const own = (values, key) => (Object.hasOwn(object(values), key) ? values[key] : undefined);

export class Look {
  #show;
  #kinds = new Map();
  #byID = new Map();
  /** The attributes whose values are seats: rules compare them with the acting one, or stamp it. */
  #seatAttributes = new Set();
  /** The kinds to which several cards are dealt at once. */
  #spread = new Set();

  /** @param type `TableClient.type` */
  constructor({ document, options }) {
    this.document = JSON.parse(document);
    this.options = options;
    this.#show = object(this.document.show);
    this.face = listOf(this.#show.face).map((part) => (isObject(part) ? part : { attribute: part, values: {} }));
    for (const entry of [...listOf(this.document.collections), ...listOf(this.document.opened)].map(object)) {
      if (isIncluded(entry.if, options)) this.#addKind(entry);
    }
    this.#findSeats(this.document);
    this.actions = Object.entries(object(this.document.actions)).map(([name, action]) => this.#action(name, object(action)));
  }

  #findSeats(node) {
    const isActor = (value) => isObject(value) && value.actor === 'seat';
    if (Array.isArray(node) && node.some(isActor)) {
      for (const { item, counted, new: updated } of node.map(object)) for (const name of [item, counted, updated]) if (typeof name === 'string') this.#seatAttributes.add(name);
    }
    for (const [name, value] of Object.entries(object(object(node).stamp))) if (isActor(value)) this.#seatAttributes.add(name);
    if (typeof node === 'object' && node !== null) for (const value of Object.values(node)) this.#findSeats(value);
  }

  /** Returns the seats that an item names, by attribute: who owns it, or holds a role. */
  seatsOf(item) {
    return [...this.#seatAttributes].map((name) => [name, item.get(name)]).filter(([, seat]) => Number.isInteger(seat) && seat > 0);
  }

  /** Returns the attributes of an item in which a person may write another seat: those that the conditions of updates are about. */
  changeableSeats(collection, item) {
    const { updates } = this.kindOf(collection).entry;
    const text = isObject(updates) ? JSON.stringify(updates) : '';
    return this.seatsOf(item).map(([name]) => name).filter((name) => text.includes(JSON.stringify({ new: name })));
  }

  get isCards() {
    return this.face.length > 0;
  }

  /** The number of players without whom nothing begins. */
  get seatsMin() {
    return this.#number(object(this.document.seats).min) ?? 1;
  }

  get seatsMax() {
    return this.#number(object(this.document.seats).max) ?? this.seatsMin;
  }

  /** Whether items open collections. */
  get opensCollections() {
    return [...this.#kinds.values()].some(({ entry }) => entry.opens !== undefined);
  }

  get allowsUndo() {
    return this.document.undo !== false;
  }

  get allowsChat() {
    return this.document.chat !== false;
  }

  get back() {
    return COLOURS.includes(this.#show.back) ? this.#show.back : BACK;
  }

  /** What an item is called. */
  get noun() {
    return this.isCards ? 'card' : 'item';
  }

  /** Returns `1 card`, `2 items`. */
  countOf(count) {
    return this.isCards ? sayCount(count, '{count} card', '{count} cards') : sayCount(count, '{count} item', '{count} items');
  }

  /** The attribute that a person writes when adding an item. */
  get titleAttribute() {
    return listOf(this.#show.title)[0] ?? 'title';
  }

  // ---- Items

  /** Returns the texts on a card's face; `undefined` if the item lacks one. */
  faceOf(item) {
    const texts = this.face.map(({ attribute, values }) => faceText(values, item.get(attribute)));
    return texts.length > 0 && !texts.includes(undefined) ? texts : undefined;
  }

  /** Returns the name of an item as it is read: its face in words, its title, or its first attribute. */
  nameOf(item) {
    if (item.hidden) return say(this.isCards ? 'face-down card' : 'face-down item');
    const face = this.faceOf(item);
    if (face) return face.map((text, index) => say(spoken(item.get(this.face[index].attribute), text))).join(' ');
    return plainName(this.titleOf(item), say('untitled'));
  }

  titleOf(item) {
    const name = [...listOf(this.#show.title), 'title', 'name', 'text'].find((one) => item.get(one) !== undefined);
    const value = name === undefined ? [...item.attributes.values()][0] : item.get(name);
    if (value === undefined) return textOf(item.representations);
    return typeof value === 'string' ? value : `#${value}`;
  }

  detailOf(item) {
    const value = this.#show.detail === undefined ? undefined : item.get(this.#show.detail);
    return value === undefined ? '' : String(value);
  }

  /** The attribute that is shown as the detail; `undefined` for none. */
  get detailAttribute() {
    return typeof this.#show.detail === 'string' ? this.#show.detail : undefined;
  }

  /** What is shown of an item that is opened, besides its title: `{ attribute, as, title }` each. */
  get fields() {
    return listOf(this.#show.fields).map(object).filter(({ attribute, as }) => typeof attribute === 'string' && FIELDS.includes(as));
  }

  /** How it is played, in the document's own words; empty if it does not say so. */
  get rules() {
    return listOf(this.#show.rules).map(String);
  }

  /** The kinds of collections that a new table has. */
  get shownKinds() {
    return [...this.#kinds.values()].filter(({ entry }) => !listOf(this.document.opened).includes(entry));
  }

  colourOf(item) {
    const { colour } = this.#show;
    const name = isObject(colour) ? own(colour.values, String(item.get(colour.attribute))) : colour;
    return COLOURS.includes(name) ? name : undefined;
  }

  // ---- Collections

  #addKind(entry) {
    const ids = listOf(entry.ids);
    const kind = { name: String(entry.kind), entry, family: entry.family, layout: this.#layout(entry) };
    kind.title = say(object(entry.show).title || humanized(kind.name));
    this.#kinds.set(kind.name, kind);
    for (const id of ids) this.#byID.set(String(id), kind);
  }

  #layout({ show, lift, faces, private: isPrivate, accept }) {
    const named = object(show).layout;
    if (LAYOUTS.includes(named)) return named;
    if (!this.isCards) return isBin(accept) ? 'pile' : 'list';
    if (isPrivate || faces === 'owner') return 'fan';
    if (object(lift).shape === 'run') return 'cascade';
    return lift === 'none' || object(lift).shape === 'top' ? 'pile' : 'row';
  }

  kindOf(id) {
    return this.#byID.get(id) ?? this.#kinds.get(id.split('/')[0]) ?? { name: id, entry: {}, layout: 'list', title: say(humanized(id)) };
  }

  /** Returns the title of a collection, with its member: `Foundation ♣`, `Pile 3`. */
  titleOfCollection(id) {
    const kind = this.kindOf(id);
    const member = id.includes('/') ? id.slice(id.indexOf('/') + 1) : '';
    const { family } = kind;
    if (member === '' || !isObject(family)) return this.#byID.has(id) ? say(humanized(id)) : kind.title;
    if (family.seats === undefined) return `${kind.title} ${this.#member(family, member)}`;
    const [seat, index] = member.split('-').map(Number);
    if (index === undefined) return family.owned === false ? `${kind.title} ${seat}` : kind.title;
    const number = index - family.from + 1;
    return `${kind.title} ${family.owned === false ? (seat - 1) * (family.to - family.from + 1) + number : number}`;
  }

  #member(family, member) {
    const part = this.face.find(({ attribute }) => attribute === (family.as ?? 'index'));
    if (part) return faceText(part.values, member);
    if (family.each) return say(humanized(member));
    return String(Number(member) - Number(family.from) + 1);
  }

  /** Whether the empty members of a collection's family share one place. */
  sharesEmptyPlace(id) {
    const { family } = this.kindOf(id);
    if (!isObject(family) || family.seats !== undefined) return false;
    return (family.each?.length ?? family.to - family.from + 1) > MEMBERS_SHOWN_MAX;
  }

  /** Whether what is dropped here is deleted. */
  isBin(id) {
    return isBin(this.kindOf(id).entry.accept);
  }

  allowsInsert(id) {
    return object(this.kindOf(id).entry.accept).inserts === true;
  }

  allowsUpdate(id) {
    const { updates } = this.kindOf(id).entry;
    return updates === true || isObject(updates);
  }

  allowsRemove(id) {
    return listOf(object(this.kindOf(id).entry.lift).offers).includes('delete');
  }

  /** Whether no person lifts items here. */
  liftsNone(id) {
    return this.kindOf(id).entry.lift === 'none';
  }

  /** Whether any items may be lifted together here, and not only the last ones. */
  liftsAny(id) {
    const { lift } = this.kindOf(id).entry;
    return lift !== 'none' && (object(lift).shape ?? 'any') === 'any';
  }

  /** Returns a new item with a title, as a collection accepts it. */
  newItem(id, title) {
    const contentType = this.contentTypeFor(id);
    return { attributes: { [this.titleAttribute]: title }, representations: contentType ? [{ contentType, data: title }] : [] };
  }

  /** Whether an item may land between others. */
  landsAnywhere(id) {
    const { accept, layout } = { ...this.kindOf(id).entry, layout: this.kindOf(id).layout };
    return (object(accept).landing ?? 'anywhere') === 'anywhere' && layout !== 'pile' && layout !== 'cascade';
  }

  /** Returns the content type that a new item needs to be accepted; `undefined` for none. */
  contentTypeFor(id) {
    const types = listOf(object(this.kindOf(id).entry.accept).contentTypes);
    return types.includes('text/plain') ? 'text/plain' : types[0];
  }

  /**
   * Returns the number of items that a collection holds at most; `undefined` for any number.
   *
   * @param opener the item that opens it, if one does
   */
  capacityOf(id, opener) {
    const max = object(object(this.kindOf(id).entry.accept).capacity).max;
    if (!isObject(max) || max.destination === undefined) return this.#number(max);
    const limit = opener?.get(String(max.destination));
    return typeof limit === 'number' && limit > 0 ? limit : undefined;
  }

  /** Returns the attribute of an item that limits the number of items in the collection which it opens; `undefined` for none. */
  limitOf(id) {
    const max = object(object(this.kindOf(id).entry.accept).capacity).max;
    return isObject(max) && max.destination !== undefined ? String(max.destination) : undefined;
  }

  /** Whether the items of a collection are columns: it is shown as those that its items open, side by side. */
  isFrame(id) {
    const kind = this.#kinds.get(this.openedBy(id));
    return !this.isCards && kind !== undefined && kind.entry.opens === undefined;
  }

  /** Returns the kind of the collections that the items of a collection open; `undefined` for none. */
  openedBy(id) {
    const { opens } = this.kindOf(id).entry;
    return opens === undefined ? undefined : String(object(opens).kind ?? opens);
  }

  /** Returns a number of the document, which may be an option. */
  #number(value) {
    return isObject(value) ? this.options.get(value.option) : value;
  }

  /** Whether the last cards of a pile are side by side, as several were dealt at once. */
  isSpread(id) {
    const { name, layout } = this.kindOf(id);
    return layout === 'pile' && this.#spread.has(name);
  }

  // ---- Actions

  /**
   * An action, with the collections from which it deals: touching one of the kind from which it deals first performs it. `pins` is for
   * those that pin or unpin.
   */
  #action(name, { items, cases }) {
    const steps = listOf(cases).flatMap((one) => stepsOf(object(one).steps));
    const sources = steps.map((step) => object(object(step).deal).from).filter((one) => typeof one === 'string');
    const from = new Set(sources.filter((one) => one.split('/')[0] === sources[0].split('/')[0]));
    const deals = steps.map((step) => object(object(step).deal)).filter(({ to }) => typeof to === 'string');
    for (const { to, count } of deals) if (this.#number(count) > 1) this.#spread.add(to.split('/')[0]);
    const pins = steps.map((step) => object(step).pin).find((one) => typeof one === 'boolean');
    return { name, title: say(humanized(name)), isForItems: items === 'subject', from, pins };
  }

  /** Returns the actions that touching a collection may perform; nobody performs one by another's. */
  actionsOf(id, seat) {
    const owner = this.#ownerOf(id);
    if (owner !== 0 && owner !== seat) return [];
    return this.actions.filter(({ from, isForItems }) => !isForItems && [...from].some((one) => one.replace('{seat}', seat) === id));
  }

  /** The seat that owns a collection; 0 for none. */
  #ownerOf(id) {
    const { family } = this.kindOf(id);
    const isOwned = isObject(family) && family.seats !== undefined && family.owned !== false;
    return isOwned ? Number(/\/(\d+)/.exec(id)?.[1] ?? 0) : 0;
  }

  /** Whether no person puts cards in a collection or takes them, in a game of turns: empty, it says nothing. */
  isIdle(id) {
    const { lift, accept } = this.kindOf(id).entry;
    return this.isCards && this.document.turns === 'turns' && lift === 'none' && accept === 'closed';
  }
}

/** Steps, with those within them. */
const stepsOf = (steps) => listOf(steps).flatMap((step) => [step, ...stepsOf(object(step).steps)]);

const isBin = (accept) => {
  const operations = listOf(object(accept).operations);
  return operations.length === 1 && operations[0] === 'delete';
};

const faceText = (values, value) => {
  if (value === undefined) return undefined;
  const text = own(values, String(value));
  return typeof text === 'string' ? text : String(value);
};

/** A symbol is read by its value: `hearts`, and not "black heart suit". */
const spoken = (value, text) => (typeof value === 'string' ? value : text);

function textOf(representations) {
  const plain = representations.find(({ contentType }) => contentType.startsWith('text/plain'));
  return plain ? new TextDecoder().decode(plain.data.subarray(0, 512)) : '';
}
