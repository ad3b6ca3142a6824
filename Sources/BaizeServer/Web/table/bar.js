/** The bar above a table: what it is, who is here, and what one can do with all of it. */

import { linkTo } from './address.js';
import { iconButton, make, setAttribute, setText } from './dom.js';
import { say, sayCount } from './language.js';
import { load } from './load.js';
import { openMenu } from './menu.js';
import { announce } from './notices.js';
import { personName, timeText } from './words.js';
import { openShare } from './share.js';
import { isSoundOn, setSound } from './sound.js';
import { GAMES } from './types.js';

/** The seconds left at which one whose turn it is hears of it. */
const URGENT_SECONDS = 10;

export class Bar {
  #page;
  #people = new Map();
  #timer;
  #announced;

  constructor(page) {
    this.#page = page;
    const { table, look } = page;
    this.title = make('h1', { text: say(table.type.title) });
    this.status = make('p.status', { role: 'status' });
    // Read on demand, and at few moments announced: not every second.
    this.time = make('p.time', { role: 'timer', 'aria-live': 'off', 'aria-label': say('Time left'), hidden: true });
    this.watching = make('li.watching', { hidden: true });
    this.list = make('ul.people', { 'aria-label': say('Who is here') }, this.watching);
    this.undo = iconButton('undo', say('Undo'), () => page.undo());
    this.redo = iconButton('redo', say('Redo'), () => page.redo());
    this.chat = iconButton('chat', say('Messages'), () => page.chat.toggle(), { 'aria-expanded': 'false' });
    const { name, title } = table.type;
    const about = look.rules.length > 0 || GAMES.has(name) ? [iconButton('rules', say('How to play'), () => load(({ openRules }) => openRules(say(title), name, look.rules)))] : [];
    this.sound = iconButton('sound', say('Sound at my turn'), () => this.#turnSound());
    const { overview } = page;
    this.find = iconButton('search', say('Search and view'), () => overview.toggleSearch(), { 'aria-expanded': 'false' });
    const tools = make('div.tools', {}, ...about, ...(look.isCards ? [] : [this.find]), ...(look.document.turns === 'turns' ? [this.sound] : []), ...(look.allowsUndo ? [this.undo, this.redo] : []), ...(look.allowsChat ? [this.chat] : []),
      iconButton('share', say('Invite others'), () => openShare(page, linkTo), { isTextShown: true }));
    const leave = iconButton('leave', say('Leave the table'), ({ currentTarget }) => this.#leave(currentTarget));
    this.element = make('header.bar', {}, leave, make('div.heading', {}, this.title, this.status, this.time), this.list, tools);
  }

  show() {
    const { table, history } = this.#page;
    const { connection } = table;
    setText(this.status, this.#statusText());
    const { isUnsaved, isSilent } = this.#page.saving;
    this.element.classList.toggle('offline', connection !== 'live' || isUnsaved || isSilent);
    this.undo.disabled = !history.canUndo;
    this.redo.disabled = !history.canRedo;
    setAttribute(this.sound, 'aria-pressed', String(isSoundOn()));
    this.showTime();
    this.#showPeople();
  }

  #statusText() {
    const { table, commands } = this.#page;
    const { text } = this.#page.saving;
    if (text) return text;
    if (table.seat === 0) return commands.isWaiting ? say('All seats are taken. You get one as soon as it is free.') : say('You are watching');
    return '';
  }

  #turnSound() {
    setSound(!isSoundOn());
    this.show();
  }

  /** Shows the time that is left, each second anew while any runs. */
  showTime() {
    clearTimeout(this.#timer);
    const { turn, table } = this.#page.table.timeLeft;
    const left = turn ?? table;
    this.time.hidden = left === undefined;
    if (left === undefined) return;
    const seconds = Math.ceil(left / 1_000);
    setText(this.time, timeText(seconds));
    this.time.classList.toggle('urgent', seconds <= URGENT_SECONDS);
    const isOwn = turn !== undefined && this.#page.guide.acting === this.#page.table.seat;
    if (isOwn && seconds === URGENT_SECONDS && this.#announced !== seconds) announce(sayCount(seconds, 'You have {count} second left.', 'You have {count} seconds left.'));
    this.#announced = seconds;
    if (left > 0) this.#timer = setTimeout(() => this.showTime(), left % 1_000 || 1_000);
  }

  stop() {
    clearTimeout(this.#timer);
  }

  #showPeople() {
    const { table } = this.#page;
    const present = new Set();
    for (const seat of table.seats) {
      present.add(seat.seat);
      const chip = this.#people.get(seat.seat) ?? this.#makeChip(seat);
      this.#showChip(chip, seat, table);
    }
    const { count } = table.watching;
    this.watching.hidden = count === 0;
    setText(this.watching, sayCount(count, '{count} person is watching', '{count} people are watching'));
    for (const [seat, { element }] of this.#people) {
      if (present.has(seat)) continue;
      element.remove();
      this.#people.delete(seat);
    }
  }

  #makeChip({ seat }) {
    const face = make('span.face', { 'aria-hidden': 'true' });
    const name = make('span.name', { dir: 'auto' });
    const button = make('button.person', { type: 'button', 'data-seat': (seat - 1) % 8, on: { click: () => this.#openPerson(seat, button) } }, face, name);
    const element = make('li', {}, button);
    const chip = { element, button, face, name };
    this.#people.set(seat, chip);
    this.watching.before(element);
    return chip;
  }

  #showChip({ button, face, name }, person, table) {
    const { seat, connected, absent } = person;
    const isSelf = person.person === table.person;
    const shown = personName(person);
    const score = table.variables.get(`score/${seat}`);
    setText(face, [...shown][0].toUpperCase());
    setText(name, (isSelf ? say('{name} (you)', { name: shown }) : shown) + (score === undefined ? '' : ` ${score}`));
    const isHere = connected || isSelf;
    button.classList.toggle('away', !isHere);
    button.classList.toggle('own', isSelf);
    const away = isHere ? '' : person.person === 0 ? say(', has left, the cards are still here') : absent ? say(', away, the seat is kept') : say(', away');
    setAttribute(button, 'aria-label', `${shown}${isSelf ? say(', you') : ''}${away}${score === undefined ? '' : say(', score {score}', { score })}`);
    setAttribute(button, 'title', shown + away);
  }

  /** What the host can do with a participant. */
  #openPerson(seat, button) {
    const { table } = this.#page;
    const person = table.seats.find((one) => one.seat === seat);
    if (!person || !table.isHost) return;
    const isSelf = person.person === table.person;
    const entries = isSelf
      ? table.collections.map(({ id, enabled }) => ({ text: say(enabled ? 'Freeze {place}' : 'Thaw {place}', { place: this.#page.arrangement.nameOf(id) }), act: () => this.#host(enabled ? 'host/freeze' : 'host/thaw', id) }))
      : person.person === 0
      ? [{ text: say('Free the seat: the next player gets the cards'), kind: 'danger', act: () => this.#host(`host/kick/${seat}`) }]
      : [{ text: say('Remove {name}…', { name: personName(person) }), kind: 'danger', act: () => this.#askToRemove(person, button) }];
    openMenu(button, personName(person), entries);
  }

  #askToRemove(person, button) {
    openMenu(button, say('Remove {name}?', { name: personName(person) }), [
      { text: say('Let {name} stay', { name: personName(person) }), act: () => {} },
      { text: say('Yes, remove {name}', { name: personName(person) }), kind: 'danger', act: () => this.#host(`host/kick/${person.seat}`) },
    ]);
  }

  /** Leaves, and asks first if something would be lost by that: what is not saved, or the way back to a closed table. */
  #leave(button) {
    const { saving, commands, table } = this.#page;
    if (!saving.isAtRisk && !table.invite) return commands.leave();
    if (!saving.isAtRisk) {
      return openMenu(button, say('Leave the table'), [
        { text: say('Go to the start page: you can come back'), act: () => commands.leave(undefined, { keepsSeat: true }) },
        { text: say('Leave for good: to come back you need a new link'), kind: 'danger', act: () => commands.leave() },
      ]);
    }
    return openMenu(button, say('Something is not saved'), [
      { text: say('Stay: something is not saved'), act: () => {} },
      { text: say('Leave all the same'), kind: 'danger', act: () => commands.leave() },
    ]);
  }

  #host(action, collection) {
    this.#page.act(this.#page.table.perform(action, [], { collection }), undefined, { isRemembered: false });
  }
}
