/** A table on the page: its bar, its collections, what happens to them, and what one does with them. */

import { Arrangement } from './arrangement.js';
import { Carry } from './carry.js';
import { Chat } from './chat.js';
import { Bar } from './bar.js';
import { make } from './dom.js';
import { Guide } from './guide.js';
import { History } from './history.js';
import { Keyboard } from './keyboard.js';
import { say } from './language.js';
import { SeenKeeper } from './last-seen.js';
import { Lights } from './lights.js';
import { Look } from './look.js';
import { closeMenu } from './menu.js';
import { Motion, flash, shake } from './motion.js';
import { announce, keepText, notify } from './notices.js';
import { Others } from './others.js';
import { Overview } from './overview.js';
import { keepAwake } from './pulse.js';
import { Saving } from './saving.js';
import { Selection } from './selection.js';
import { Writers } from './writers.js';
import { Pointer } from './pointer.js';
import { humanized, personName, reasonText, seenText, statusText, timeUpText } from './words.js';

/** The number of items that are named when others move them. */
const NAMED_MAX = 3;

export class TableView {
  #root;
  #frame;
  #causes = [];
  /** Where each item of a large board is, by its id. */
  #places = new Map();
  #motion = new Motion();
  #stop = [];
  #document;

  /**
   * @param root the element that is filled
   * @param table a `TableClient`
   * @param commands `{ table, leave, again, play, isWaiting }`: the table's name, what leaves it, begins another one of its type, or, for one
   *   who only watches, asks for a seat, and whether the person waits for one
   */
  constructor(root, table, commands) {
    this.#root = root;
    this.table = table;
    this.commands = commands;
    this.look = new Look(table.type);
    this.#document = table.type.document;
    /** The elements of the items, by the items' keys. */
    this.items = new Map();
    this.nameOfSeat = (seat) => this.#nameOfSeat(seat);
    this.carry = new Carry(this);
    this.history = new History(table, () => this.bar.show());
    this.chat = new Chat(this);
    this.overview = new Overview(this);
    this.guide = new Guide(this);
    this.bar = new Bar(this);
    this.arrangement = new Arrangement(this);
    this.overlay = make('div.overlay', { 'aria-hidden': 'true' });
    /** Where the editor is: outside of the items, which others may move. */
    this.layer = make('div.layer', {});
    this.lights = new Lights(this);
    this.others = new Others(this);
    this.writers = new Writers(this);
    this.saving = new Saving(this);
    this.keyboard = new Keyboard(this);
    this.pointer = new Pointer(this);
    this.selection = new Selection(this);
  }

  /** Whether the person may do anything here: what is shown may be what was seen last, and the person may watch only. */
  get canAct() {
    return this.table.seat > 0 && this.table.seenAt === undefined;
  }

  /** Fills the page, and follows the table. */
  show() {
    const { table } = this;
    this.ending = make('div.ending', { role: 'status', hidden: true });
    const main = make('main.surface', { 'aria-label': say('Table') }, this.ending, this.overview.element, this.arrangement.element, this.selection.element);
    main.classList.add(this.look.isCards ? 'felt' : 'paper');
    document.body.classList.toggle('on-felt', this.look.isCards);
    this.#root.replaceChildren(this.bar.element, main, this.guide.element, this.chat.element, this.overlay, this.layer);
    this.#root.hidden = false;
    this.#stop = [
      table.on('change', (change) => this.#changed(change)),
      table.on('presence', () => this.draw()),
      table.on('connection', () => this.bar.show()),
      table.on('time', (time) => this.#timed(time)),
      table.on('answer', (answer) => !answer.submission && answer.verdict === 'refused' && this.#answered(answer)),
      table.on('drag', (drag) => this.#dragged(drag)),
      table.on('chat', (message) => this.chat.receive(message)),
      this.pointer.listen(main),
      this.keyboard.listen(this.#root),
      this.saving.start(),
      new SeenKeeper(this).start(),
      keepAwake(table),
      listen(main, 'scroll', () => this.editor?.place(), { capture: true }),
      listen(window, 'resize', () => this.editor?.place()),
      listen(window, 'beforeprint', () => this.arrangement.makeAll()),
    ];
    this.render();
    announce(this.table.seenAt === undefined ? say('You are at the table {table}.', { table: this.commands.table }) : seenText(this.table.seenAt));
  }

  /** Ends, and empties the page: the table is left for good, or the seat is kept for a page that comes back. */
  close({ keepsSeat = false } = {}) {
    cancelAnimationFrame(this.#frame);
    for (const stop of this.#stop) stop();
    this.#stop = [];
    this.bar.stop();
    this.guide.stop();
    closeMenu();
    for (const text of this.unsavedTexts) keepText(text);
    this.editor?.close(false);
    this.card?.element.close();
    if (keepsSeat) this.table.close();
    else this.table.leave();
    this.#root.hidden = true;
    this.#root.replaceChildren();
    document.body.classList.remove('on-felt');
  }

  // ---- What happens

  #changed({ items, cause, reloaded }) {
    // Between two sessions there is none.
    const document = this.table.type?.document ?? this.#document;
    if (document !== this.#document) {
      // The operator has moved the table to another document of its type: the page is made again, at the same seat.
      location.reload();
      return;
    }
    const moved = this.#movedOf(items, reloaded);
    if (cause && cause.author !== this.table.session) {
      this.#causes.push({ author: cause.author, items, moved });
      this.writers.compare(cause.author, items);
    }
    this.draw();
  }

  /** Returns which of some items of a large board are in another collection than before. */
  #movedOf(items, reloaded) {
    const { table, arrangement } = this;
    if (!arrangement.isLarge || reloaded || this.#places.size === 0) {
      this.#places = new Map(arrangement.isLarge ? table.collections.flatMap(({ id, items: all }) => all.map((item) => [item.id, id])) : []);
      return [];
    }
    return [...items].filter((id) => {
      const [old, now] = [this.#places.get(id), table.locate(id)?.collection];
      if (now) this.#places.set(id, now);
      else this.#places.delete(id);
      return now && now !== old;
    });
  }

  #timed(time) {
    if (time.up) notify(time.seat === this.table.seat && time.up === 'turn' ? say('Your time is up.') : timeUpText(time, this.nameOfSeat));
    this.bar.showTime();
  }

  #dragged(drag) {
    if (drag.refused && this.carry.isActive) {
      this.carry.cancel();
      notify(say('Someone else is holding that.'), { kind: 'refusal' });
    }
    this.draw();
  }

  /** Draws before the next frame, however many changes there are until then. */
  draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.render());
  }

  /**
   * Draws now.
   *
   * @param from where items are shown instead of where they are, by key: what is dropped comes from the pointer
   */
  render(from) {
    const focused = document.activeElement?.closest?.('.slot')?.view;
    const index = focused && this.#slotsBeside(focused).findIndex(({ view }) => view.key === focused.key);
    const places = new Map([...this.items].map(([key, { collection }]) => [key, collection]));
    this.#root.classList.toggle('as-seen', this.table.seenAt !== undefined);
    this.#motion.measure(this.#elements(), from);
    this.carry.update();
    this.guide.update();
    this.arrangement.show();
    this.#forget();
    this.bar.show();
    this.guide.show();
    this.overview.show();
    this.#showEnding();
    this.lights.show();
    const moved = this.#motion.play(this.#elements());
    if (focused && document.activeElement === document.body) this.#focusAgain(focused, index);
    this.keyboard.rove();
    this.others.show();
    this.writers.show();
    this.saving.show();
    this.editor?.update();
    this.card?.update();
    this.#announce(moved, places);
  }

  #slotsBeside({ collection }) {
    return this.arrangement.view(collection)?.slots(new Set()) ?? [];
  }

  /** Gives the focus back to an item that has moved, or to a neighbour of one that is gone: what follows it, what is before it, the place, the heading. */
  #focusAgain(view, index) {
    const slots = this.#slotsBeside(view);
    const next = view.handle.isConnected ? view : (slots[index] ?? slots.at(-1))?.view;
    const collection = this.arrangement.view(view.collection);
    const place = collection?.place.tabIndex === 0 ? collection.place : collection?.composer?.input;
    (next?.handle ?? collection?.handle ?? place)?.focus({ preventScroll: true });
  }

  #elements() {
    return new Map([...this.items].filter(([, view]) => view.element.isConnected).map(([key, { handle }]) => [key, handle]));
  }

  /** Forgets the elements of items that are not shown any more. */
  #forget() {
    for (const [key, view] of this.items) if (!view.element.isConnected) this.items.delete(key);
  }

  /** Says who has moved what, on the screen and to screen readers. */
  #announce(moved, places) {
    for (const { author, items, moved: placed } of this.#causes) {
      const seat = this.table.seatOf(author);
      const touched = [...this.items.values()].filter(({ item, key, collection }) => items.has(item.id) && (moved.has(key) || places.get(key) !== collection));
      // What has no element has moved all the same.
      const unmade = placed.map((id) => this.table.item(id)).filter((item) => item && !this.items.has(item.key));
      touched.push(...unmade.map((item) => ({ item, collection: this.table.locate(item)?.collection })));
      if (!seat || touched.length === 0) continue;
      for (const view of touched.slice(0, NAMED_MAX)) if (view.element) this.others.tag(view, seat);
      const names = touched.slice(0, NAMED_MAX).map(({ item }) => this.look.nameOf(item)).join(', ');
      announce(say('{name}: {items}, now in {place}.', { name: personName(seat), items: names, place: this.arrangement.nameOf(touched[0].collection) }));
    }
    this.#causes = [];
  }

  #showEnding() {
    const { status } = this.table;
    const isOver = status !== '' && status !== 'open' && this.#isFinal(status);
    if (this.ending.hidden === !isOver) return;
    this.ending.hidden = !isOver;
    if (!isOver) return;
    const text = statusText(status, this.nameOfSeat);
    const buttons = make('button.primary', { type: 'button', text: say('Play again'), on: { click: () => this.commands.again(this.#typeWithOptions()) } });
    this.ending.replaceChildren(make('strong', { text }), buttons);
    announce(text);
  }

  #isFinal(status) {
    const endings = this.look.document.endings ?? [];
    const ending = endings.find((one) => one.status === status || one.status === status.replace(/\d+$/, '{seat}'));
    return ending?.final !== false;
  }

  #typeWithOptions() {
    const { name, options } = this.table.type;
    return options.size > 0 ? `${name}?${[...options].map(([key, value]) => `${key}=${value}`).join('&')}` : name;
  }

  #nameOfSeat(number) {
    if (number === this.table.seat) return say('you');
    return personName(this.table.seats.find(({ seat }) => seat === number) ?? { name: '', seat: number });
  }

  /** What the person has written and not sent: in the editor, and in the lines for new items and messages. */
  get unsavedTexts() {
    const lines = this.arrangement.all.map(({ composer }) => composer?.unsaved);
    return [this.editor?.unsaved, ...(this.card?.unsaved ?? []), ...lines, this.chat.input.value.trim()].filter(Boolean);
  }

  // ---- What one does

  /**
   * Follows an own operation until it is answered, and says why if it is refused.
   *
   * @param options `text` is what the person has written for it: it is offered again if it comes to nothing
   * @returns whether it was submitted
   */
  act(submission, said, { element, isRemembered = true, text } = {}) {
    if (submission.refusal) {
      shake(element);
      notify(reasonText(submission.refusal), { kind: 'refusal' });
      return false;
    }
    if (isRemembered) this.history.add(submission);
    if (said) announce(said);
    submission.outcome.then((answer) => {
      this.#answered(answer, element);
      if (text && (answer.verdict === 'refused' || answer.verdict === 'unknown')) keepText(text);
    });
    this.draw();
    return true;
  }

  #answered(answer, element) {
    if (answer.verdict === 'refused') {
      notify(`${say('That went back.')} ${reasonText(answer)}`, { kind: 'refusal' });
      if (element) flash(element, 'refused');
    } else if (answer.verdict === 'unknown') {
      notify(say('The connection was lost: it is not known whether that was done.'), { kind: 'refusal' });
    } else if (answer.rebased) {
      notify(say('Others moved first: yours went along with its neighbours.'), { kind: 'rebased' });
      if (element) flash(element, 'rebased');
    } else if (answer.redirected && element) {
      flash(element, 'rebased');
    }
  }

  /** Drops what is carried where it is aimed at. */
  drop(from) {
    const { items } = this.carry;
    const [view] = items.map(({ key }) => this.items.get(key));
    const names = this.#namesOf(items);
    const target = this.carry.hold();
    const isNew = (item) => this.table.locate(item)?.collection !== target.collection;
    // Made before the drop, what is behind the gap would count as what is around it.
    const makeRoom = target && this.arrangement.roomFor(target, items.filter(isNew).length);
    const submission = this.carry.drop();
    makeRoom?.();
    if (!submission) return false;
    const isDone = this.act(submission, say('{items} to {place}.', { items: names, place: this.arrangement.nameOf(target.collection) }), { element: view?.handle });
    this.render(isDone && from ? this.#comingFrom(from, submission) : undefined);
    return isDone;
  }

  /** Moves items behind what is shown of a collection. */
  moveToEnd(items, collection) {
    const end = this.arrangement.endOf(collection);
    this.arrangement.makeRoom(end, items.length);
    const element = this.items.get(items[0].key)?.handle;
    this.act(this.table.reorder(items, end), say('{items} to {place}.', { items: this.#namesOf(items), place: this.arrangement.nameOf(collection) }), { element });
  }

  #namesOf(items) {
    return items.slice(0, NAMED_MAX).map((item) => this.look.nameOf(item)).join(', ');
  }

  /** Of a copy or an alias the new items come from the pointer, and the others stay where they are. */
  #comingFrom(from, { prediction, createdItems }) {
    if (prediction.operation !== 'copy' && prediction.operation !== 'alias') return from;
    const places = [...from.values()];
    return new Map(createdItems.map((id, index) => [this.table.item(id)?.key, places[index]]));
  }

  perform(action, items = []) {
    const text = this.look.actions.find(({ name }) => name === action)?.title ?? say(humanized(action.split('/').at(-1)));
    return this.act(this.table.perform(action, items), `${text}.`);
  }

  undo() {
    const submission = this.history.undo();
    if (submission) this.act(submission, say('Undone.'), { isRemembered: false });
  }

  redo() {
    const submission = this.history.redo();
    if (submission) this.act(submission, say('Done again.'), { isRemembered: false });
  }

  remove(views) {
    this.act(this.table.remove(views.map(({ item }) => item.id)), say('Removed {items}.', { items: views.map(({ item }) => this.look.nameOf(item)).join(', ') }));
  }
}

/** Listens for an event; returns a function that ends that. */
function listen(target, name, listener, options) {
  target.addEventListener(name, listener, options);
  return () => target.removeEventListener(name, listener, options);
}
