/**
 * Players that this tab plays for, while others are missing: each has a session and a seat of its own, sees what its seat sees, and
 * makes any move that the rules allow; hearts it plays with some sense. They stay while the tab does, and come back with it. Each shows by
 * its presence, `{"robot":true}`, that it gives its seat to a person who asks for one (`giving.js`).
 */

import { join } from '../baize.js';
import { readTab, robotsKey, storeTab } from './address.js';
import { chooseHeart } from './hearts.js';
import { say } from './language.js';
import { notify } from './notices.js';
import { goodbyeText } from './words.js';

const ROBOTS_MAX = 7;
/** The time between two moves of a robot, in milliseconds; where nobody waits for a turn, people need longer. */
const THINKING = { turns: 900, zones: 2_200 };
/** The first action is the usual one. */
const FIRST_ACTION_SHARE = 0.85;
const VISITED_MAX = 1_000;
/** So long robots play on after the last move of a person. */
const AWAKE_MILLISECONDS = 300_000;

export class Robots {
  #page;
  #url;
  #robots = new Map();
  #isClosed = false;
  #awakeUntil = performance.now() + AWAKE_MILLISECONDS;

  constructor(page, url) {
    this.#page = page;
    this.#url = url;
    page.table.on('change', ({ cause }) => this.#heard(cause));
    for (const number of this.#kept) this.#join(number);
  }

  get #key() {
    return robotsKey(this.#page.commands.table);
  }

  /** The numbers of the robots that this tab has. */
  get #kept() {
    try {
      const kept = JSON.parse(readTab(this.#key) ?? '[]');
      return Array.isArray(kept) ? kept.filter(Number.isInteger).slice(0, ROBOTS_MAX) : [];
    } catch {
      return [];
    }
  }

  add() {
    const number = Array.from({ length: ROBOTS_MAX }, (_, index) => index + 1).find((one) => !this.#robots.has(one));
    if (number !== undefined) this.#join(number);
  }

  async #join(number) {
    const { table, invite } = { table: this.#page.commands.table, invite: this.#page.table.invite };
    const key = `${this.#key} ${number}`;
    const store = { load: () => readTab(key) ?? undefined, save: (text) => storeTab(key, text), clear: () => storeTab(key, undefined) };
    this.#robots.set(number, undefined);
    try {
      const client = await join(this.#url, { table, name: say('Robot {number}', { number }), invite: invite || undefined, store });
      if (this.#isClosed) return client.leave();
      this.#robots.set(number, new Robot(client, () => performance.now() < this.#awakeUntil));
      client.on('end', () => this.#forget(number));
      client.setPresence(JSON.stringify({ robot: true }));
    } catch (error) {
      this.#forget(number);
      notify(`${say('The robot could not join.')} ${goodbyeText({ reason: error.reason ?? 'TIMEOUT', detail: error.detail })}`, { kind: 'refusal' });
    }
    return this.#store();
  }

  /** Robots rest where no person does anything. */
  #heard(cause) {
    const isRobots = [...this.#robots.values()].some((robot) => robot?.session === cause?.author);
    if (!isRobots) this.#awakeUntil = performance.now() + AWAKE_MILLISECONDS;
  }

  #forget(number) {
    this.#robots.delete(number);
    this.#store();
  }

  #store() {
    if (!this.#isClosed) storeTab(this.#key, this.#robots.size > 0 ? JSON.stringify([...this.#robots.keys()]) : undefined);
  }

  /** Lets them move when it is time. */
  act() {
    for (const robot of this.#robots.values()) robot?.act();
  }

  leave() {
    const robots = [...this.#robots.values()];
    this.#robots.clear();
    this.#store();
    this.#isClosed = true;
    for (const robot of robots) robot?.leave();
  }
}

class Robot {
  #table;
  #timer;
  /** Where each card that all see has been: it does not go back there. */
  #visited = new Map();
  #document;
  #isAwake;

  constructor(table, isAwake) {
    this.#table = table;
    this.#isAwake = isAwake;
    this.#document = JSON.parse(table.type.document);
    for (const name of ['change', 'answer', 'connection']) table.on(name, () => this.act());
    // Its seat was given to a person.
    table.on('connection', () => table.connection === 'live' && table.seat === 0 && this.leave());
    table.on('end', () => clearTimeout(this.#timer));
    this.act();
  }

  get session() {
    return this.#table.session;
  }

  leave() {
    clearTimeout(this.#timer);
    this.#table.leave();
  }

  act() {
    const pause = THINKING[this.#document.turns] ?? THINKING.zones;
    this.#timer ??= setTimeout(() => this.#think(), pause * (0.6 + 0.8 * Math.random()));
  }

  #think() {
    this.#timer = undefined;
    const table = this.#table;
    if (!this.#isAwake() || table.connection !== 'live' || table.pendingCount > 0 || table.status !== 'open') return;
    const moves = this.#moves();
    const shared = moves.filter(({ to }) => table.collection(to).owner === 0);
    const move = this.#choose(shared.length > 0 ? shared : moves);
    if (move) {
      this.#visit(move);
      table.reorder(move.items, move.to);
      return;
    }
    const action = this.#action();
    if (action) table.perform(action);
  }

  #choose(moves) {
    const { type, variables } = this.#table;
    if (type.name !== 'hearts' || moves.length === 0) return anyOf(moves);
    const trick = this.#table.collection('trick')?.items ?? [];
    const situation = { phase: variables.get('phase'), trick, led: variables.get('led'), best: variables.get('best') };
    return chooseHeart(moves.map((move) => ({ ...move, card: move.items[0] })), situation);
  }

  #moves() {
    const table = this.#table;
    const isMine = ({ owner }) => owner === 0 || owner === table.seat;
    return table.collections.filter(isMine).flatMap(({ id: from, items }) => items.flatMap((item) => {
      const lifted = table.liftSet(item);
      if (lifted.length === 0 || table.refusalToLift(lifted)) return [];
      const been = this.#visited.get(item.id);
      const isNew = ({ collection, configuration }) => collection !== from && configuration.operation === 'move' && !been?.has(collection) && !this.#leadsBack(from, collection);
      return table.legalDestinations(lifted).filter(isNew).map(({ collection }) => ({ items: lifted, from, to: collection }));
    }));
  }

  /**
   * Whether a move goes from a later kind of collections to an earlier one, where both take from one another: a robot that puts cards
   * down there again and again would not come to an end. Hidden cards have other ids after each move.
   */
  #leadsBack(from, to) {
    const kinds = this.#document.collections;
    const [source, target] = [from, to].map((id) => kinds.findIndex(({ kind }) => kind === id.split('/')[0]));
    if (source < 0 || target < 0 || source <= target) return false;
    const takes = ({ accept = {} }, { kind }) => accept !== 'closed' && (accept.from === undefined || accept.from.includes(kind));
    return takes(kinds[source], kinds[target]) && takes(kinds[target], kinds[source]);
  }

  #visit({ items, from }) {
    if (this.#visited.size > VISITED_MAX) this.#visited.clear();
    for (const { id } of items) this.#visited.set(id, (this.#visited.get(id) ?? new Set()).add(from));
  }

  /** Returns an action that does something; in turns, the one whose turn it is performs it. */
  #action() {
    const table = this.#table;
    if (this.#document.turns === 'turns' && table.variables.get('turn') !== table.seat) return undefined;
    const { actions = {} } = this.#document;
    const possible = Object.keys(actions).filter((name) => actions[name].items !== 'subject' && !table.refusalToPerform(name));
    return Math.random() < FIRST_ACTION_SHARE ? possible[0] : anyOf(possible);
  }
}

const anyOf = (list) => list[Math.floor(Math.random() * list.length)];
