/**
 * What is to do now, in a sentence, and the actions that do something: the rules are tried on what is shown. While players are
 * missing, how to find some. The tab's title says when it is one's turn, and a sound if it is wished.
 */

import { linkTo, readTab, robotsKey, socketAddress } from './address.js';
import { make, setText } from './dom.js';
import { GUIDES } from './guides.js';
import { say, sayCount } from './language.js';
import { load } from './load.js';
import { openShare } from './share.js';
import { chime } from './sound.js';
import { personName } from './words.js';

export class Guide {
  #page;
  #guide;
  #isOwn = false;
  #isOpen = false;
  #missing = 0;
  #possible = new Set();
  /** The robots of this tab, once it has some. */
  #robots;
  #isStopped = false;

  constructor(page) {
    this.#page = page;
    const { table, look } = page;
    this.#guide = Object.hasOwn(GUIDES, table.type.name) ? GUIDES[table.type.name] : {};
    this.text = make('p.ask', { role: 'status' });
    this.actions = look.actions.filter(({ isForItems }) => !isForItems).map(({ name, title }) =>
      make('button.action', { type: 'button', 'data-action': name, text: title, on: { click: () => page.perform(name) } }));
    this.invite = make('button.primary', { type: 'button', text: say('Invite others'), on: { click: () => openShare(page, linkTo) } });
    this.robot = make('button', { type: 'button', text: say('Add a robot'), on: { click: () => this.#withRobots((robots) => robots.add()) } });
    if (readTab(robotsKey(page.commands.table))) this.#withRobots(() => {});
    this.ask = make('button.primary', { type: 'button', text: say('Ask for a seat'), on: { click: () => page.commands.play() } });
    this.element = make('div.guide', { role: 'region', 'aria-label': say('What to do'), hidden: true }, this.text, make('div.actions', {}, ...this.actions, this.invite, this.robot, this.ask));
  }

  /** Calls `use` with the robots of this tab, unless the table is left meanwhile. */
  #withRobots(use) {
    return load(({ Robots }) => {
      if (this.#isStopped) return;
      this.#robots ??= new Robots(this.#page, socketAddress());
      use(this.#robots);
    });
  }

  /** Looks which actions would do something; before everything else is shown. */
  update() {
    const { table, look } = this.#page;
    this.#isOpen = table.status === 'open' && this.#page.canAct;
    this.#missing = this.#isOpen ? Math.max(0, look.seatsMin - table.seats.filter(({ person }) => person !== 0).length) : 0;
    const actions = this.#isOpen ? this.actions.map(({ dataset }) => dataset.action) : [];
    this.#possible = new Set(actions.filter((name) => table.refusalToPerform(name) === undefined));
  }

  /** Whether an action would do something, as far as the rules here know. */
  can(action) {
    return this.#possible.has(action);
  }

  /** Returns the action that touching a collection performs now; `undefined` for none. */
  actionOf(collection) {
    const { look, table } = this.#page;
    return look.actionsOf(collection, table.seat).find(({ name }) => this.can(name));
  }

  show() {
    const { table } = this.#page;
    const missing = this.#missing;
    this.invite.hidden = this.robot.hidden = missing === 0;
    for (const button of this.actions) button.hidden = missing > 0 || !this.can(button.dataset.action);
    const { text = '', isOwn = false } = missing > 0 ? this.#tellMissing(missing) : table.status === 'open' ? (this.#ask() ?? {}) : {};
    setText(this.text, text);
    this.ask.hidden = !this.#page.commands.play || table.seat !== 0 || table.seenAt !== undefined;
    this.element.hidden = text === '' && this.actions.length === 0 && this.ask.hidden;
    this.#tellTurn(isOwn === true && this.#isOpen);
    this.#robots?.act();
    if (table.isHost && table.watching.asking.length > 0) load(({ giveWay }) => giveWay(this.#page));
  }

  #tellMissing(missing) {
    const { table, look } = this.#page;
    const values = { game: say(table.type.title), players: look.seatsMin };
    const text = look.seatsMin < look.seatsMax
      ? sayCount(missing, '{game} is for {players} or more: one is missing.', '{game} is for {players} or more: {count} are missing.', values)
      : sayCount(missing, '{game} is for {players} players: one is missing.', '{game} is for {players} players: {count} are missing.', values);
    return { text, isOwn: false };
  }

  /** The seat whose turn it is; 0 where there are no turns. */
  get acting() {
    const { table, look } = this.#page;
    const turn = Number(table.variables.get('turn'));
    if (look.document.turns !== 'turns' || !turn) return 0;
    const present = table.seats.filter(({ absent }) => !absent);
    const seats = (present.length ? present : table.seats).map(({ seat }) => seat);
    return seats.includes(turn) ? turn : seats.find((seat) => seat > turn) ?? seats[0] ?? 0;
  }

  #ask() {
    const { acting } = this;
    const { seat } = this.#page.table;
    const asked = this.#guide.ask?.(this.#situation);
    if (asked) return asked;
    if (acting === 0) return undefined;
    return acting === seat ? { text: say('It is your turn.'), isOwn: true } : { text: say('It is {name}’s turn.', { name: this.#name(acting) }) };
  }

  /** What a guide reads. */
  get #situation() {
    const { table } = this.#page;
    const { seat, variables } = table;
    return {
      seat,
      acting: this.acting,
      others: table.seats.filter((one) => one.seat !== seat).map((one) => one.seat),
      variable: (name) => variables.get(name),
      count: (id) => table.collection(id)?.count ?? 0,
      items: (id) => table.collection(id)?.items ?? [],
      name: (one) => this.#name(one),
      can: (action) => this.can(action),
    };
  }

  #name(seat) {
    return personName(this.#page.table.seats.find((one) => one.seat === seat) ?? { name: '', seat });
  }

  /** Returns a function of an index to who played that card of a collection; `undefined` where it is not known. */
  playersOf(collection) {
    const { playerOf } = this.#guide;
    if (!playerOf) return () => undefined;
    const situation = this.#situation;
    return (index) => this.#page.table.seats.find(({ seat }) => seat === playerOf(situation, collection, index));
  }

  #tellTurn(isOwn) {
    const title = say(this.#page.table.type.title);
    document.title = isOwn ? say('● Your turn · {title}', { title }) : `${title} · Baize`;
    if (isOwn && !this.#isOwn) chime();
    this.#isOwn = isOwn;
  }

  stop() {
    this.#isStopped = true;
    this.#robots?.leave();
  }
}
