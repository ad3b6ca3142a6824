/**
 * Focus, selection, and carrying without a pointer. In each collection one item is in the order of the tab key; arrows move
 * between neighbours on the screen. Space takes hold of an item, arrows choose among the places where it may land, and Space or
 * Enter drops it there.
 */

import { editTitle } from './editor.js';
import { setAttribute } from './dom.js';
import { gapAt } from './gaps.js';
import { isChord, isComposing } from './keys.js';
import { say, sayCount } from './language.js';
import { load } from './load.js';
import { restingBox, shake } from './motion.js';
import { announce, notify } from './notices.js';
import { Steps } from './steps.js';
import { reasonText } from './words.js';

const ARROWS = { ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1] };

export class Keyboard {
  #page;
  #steps;
  #selected = new Set();
  /** Whether touching an item selects it besides the others. */
  isSelecting = false;
  #current = new Map();

  constructor(page) {
    this.#page = page;
    this.#steps = new Steps(page);
  }

  listen(root) {
    const ending = new AbortController();
    // Also while nothing has the focus.
    document.addEventListener('keydown', (event) => this.#pressed(event), { signal: ending.signal });
    root.addEventListener('focusin', ({ target }) => this.#focused(target), { signal: ending.signal });
    return () => ending.abort();
  }

  // ---- Focus

  #focused(target) {
    const view = target.closest('.slot')?.view;
    if (!view) return;
    this.#current.set(view.collection, view.key);
    this.rove();
  }

  /** Puts one item of each collection in the order of the tab key: the one that had the focus last, or where one would begin. */
  rove() {
    const { arrangement, look, items } = this.#page;
    for (const view of arrangement.views) {
      const slots = view.slots(new Set());
      const kept = slots.find((slot) => slot.view.key === this.#current.get(view.id));
      const current = kept ?? (look.isCards ? slots.at(-1) : slots[0]);
      for (const slot of slots) slot.view.handle.tabIndex = slot === current ? 0 : -1;
      for (const slot of slots) if (slot.view.menuButton) slot.view.menuButton.tabIndex = slot === current ? 0 : -1;
    }
    for (const key of this.#selected) if (!items.has(key)) this.#selected.delete(key);
    for (const view of items.values()) {
      const isSelected = this.isSelected(view);
      view.element.classList.toggle('selected', isSelected);
      setAttribute(view.handle, 'aria-pressed', String(isSelected || this.#page.carry.ids.includes(view.item.id)));
    }
    this.#page.selection?.show();
  }

  /** Moves the focus to the nearest item or place in a direction, by where things come to rest. */
  #walk(from, [x, y]) {
    const box = restingBox(from);
    const [fromX, fromY] = [box.left + box.width / 2, box.top + box.height / 2];
    let [nearest, least] = [undefined, Infinity];
    for (const element of this.#page.arrangement.element.querySelectorAll('.slot > .item[role], .place[tabindex="0"]')) {
      if (element === from || element.closest('[hidden]')) continue;
      const { left, top, width, height } = restingBox(element);
      const [awayX, awayY] = [left + width / 2 - fromX, top + height / 2 - fromY];
      const [along, across] = [awayX * x + awayY * y, Math.abs(awayX * y) + Math.abs(awayY * x)];
      const distance = along + across * 3;
      if (along > 2 && distance < least) [nearest, least] = [element, distance];
    }
    nearest?.focus();
  }

  // ---- Keys

  #pressed(event) {
    if (event.target.closest('input, textarea, select, [role=menu], dialog')) return;
    if (isComposing(event)) return undefined;
    const done = () => event.preventDefault();
    const { look, overview } = this.#page;
    const isUndo = isChord(event, 'z');
    if ((isUndo || isChord(event, 'y')) && this.#page.carry.isActive) return done(this.#putBack(say('Put back. Nothing else was undone.')));
    if (isUndo) return done(event.shiftKey ? this.#page.redo() : this.#page.undo());
    if (isChord(event, 'y')) return done(this.#page.redo());
    if (event.key === '/' && !event.ctrlKey && !event.altKey && !event.metaKey && !look.isCards) return done(overview.openSearch());
    if (event.key === 'Escape' && this.#escape()) return done();
    const { carry } = this.#page;
    if (carry.mode === 'keys') return this.#carrying(event, done);
    const handle = event.target.closest('.item, .place');
    if (!handle || event.target.closest('.menu')) return undefined;
    if (ARROWS[event.key]) {
      done();
      if (event.shiftKey) this.#select(handle.closest('.slot')?.view, true);
      this.#walk(handle, ARROWS[event.key]);
      if (event.shiftKey) this.#select(document.activeElement.closest('.slot')?.view, true);
      return undefined;
    }
    const view = handle.closest('.slot')?.view;
    if (!view || !this.#page.canAct) return undefined;
    return this.#itemKey(event, view, done);
  }

  #itemKey(event, view, done) {
    const { look } = this.#page;
    switch (event.key) {
      case ' ':
        done();
        return event.ctrlKey || event.shiftKey ? this.#toggle(view) : this.#grab(view);
      case 'Enter':
        done();
        return !look.isCards && look.allowsUpdate(view.collection) ? editTitle(this.#page, view) : this.#grab(view);
      case 'o':
      case 'O':
        return look.fields.length > 0 && !view.item.opens ? done(load(({ openCard }) => openCard(this.#page, view))) : undefined;
      case 'F2':
        return look.allowsUpdate(view.collection) ? done(editTitle(this.#page, view)) : undefined;
      case 'Delete':
      case 'Backspace':
        return look.allowsRemove(view.collection) ? done(this.#page.remove(this.isSelected(view) ? this.selectedViews : [view])) : undefined;
      case 'Home':
      case 'End': {
        done();
        const collection = this.#page.arrangement.view(view.collection);
        if (event.key === 'End') this.#page.arrangement.makeAll([collection]);
        const slots = collection.slots(new Set());
        return (event.key === 'Home' ? slots[0] : slots.at(-1)).view.handle.focus();
      }
      default:
        return undefined;
    }
  }

  #escape() {
    const { carry } = this.#page;
    const isUsed = carry.isActive || this.#selected.size > 0 || this.isSelecting;
    if (carry.isActive) this.#putBack(say('Put back.'));
    this.isSelecting = false;
    this.clearSelection();
    return isUsed;
  }

  #putBack(text) {
    const { carry } = this.#page;
    if (carry.mode === 'pointer') notify(text);
    else announce(text);
    carry.cancel();
    this.#page.render();
  }

  // ---- Carrying

  #grab(view) {
    const { carry, table, look, arrangement } = this.#page;
    const collection = arrangement.view(view.collection);
    if (carry.mode === '' && this.#performs(collection, view)) return;
    const items = this.isSelected(view) ? this.selectedItems : carry.carried.has(view.item.id) ? carry.items : table.liftSet(view.item);
    const refusal = carry.begin(items, 'keys');
    if (refusal) return this.#refuse(view, refusal);
    const names = items.map((item) => look.nameOf(item)).join(', ');
    const { items: all } = table.collection(view.collection);
    const values = { items: names, number: all.findIndex(({ id }) => id === items[0].id) + 1, all: all.length, place: collection.name };
    const count = this.#steps.begin();
    announce(count === 0 ? say('{items} can go nowhere at present.', values) : sayCount(count,
      'Picked up {items}, {number} of {all} in {place}. {count} place. Arrows choose, Space drops, Escape puts back.',
      'Picked up {items}, {number} of {all} in {place}. {count} places. Arrows choose, Space drops, Escape puts back.', values));
    if (count === 0) carry.cancel();
    this.#page.render();
  }

  #carrying(event, done) {
    if (ARROWS[event.key]) {
      done();
      this.#steps.move(...ARROWS[event.key]);
      this.#page.lights.show();
    } else if (event.key === ' ' || event.key === 'Enter') {
      done();
      if (this.#page.carry.target) this.#page.drop();
      this.clearSelection();
    } else if (event.key === 'Home' || event.key === 'End') {
      done();
      this.#steps.jump(event.key === 'Home' ? 0 : -1);
      this.#page.lights.show();
    } else if (event.key === 'Tab') {
      this.#escape();
    }
  }

  /** Says why an item is not lifted; where touching it performs an action at other times, why it does not. */
  #refuse(view, reason) {
    const { look, table } = this.#page;
    const [action] = look.liftsNone(view.collection) ? look.actionsOf(view.collection, table.seat) : [];
    const refusal = (action && table.refusalToPerform(action.name)) ?? reason;
    shake(view.handle);
    notify(reasonText(refusal), { kind: 'refusal' });
  }

  /** Performs the action of a stock; returns whether there is one. */
  #performs(collection, view) {
    const { look, table, guide } = this.#page;
    const action = guide.actionOf(collection.id);
    const last = table.collection(collection.id).items.at(-1);
    // Of cards that nobody lifts one by one, each stands for all.
    if (!action || (view && view.item.id !== last?.id && !look.liftsNone(collection.id))) return false;
    this.#page.perform(action.name, last ? [last] : []);
    return true;
  }

  // ---- Touching

  /** An item or a place is touched: of cards it is picked up or put down, of other items it is selected. */
  touch(view, collection, event) {
    const { carry, look, table } = this.#page;
    view?.handle.focus({ preventScroll: true });
    if (!look.isCards) return this.#choose(view, event);
    if (carry.mode === 'tap') {
      if (view && collection.id === carry.origin && look.liftsAny(carry.origin)) return this.#toggle(view);
      if (view && carry.carried.has(view.item.id)) return this.#escape();
      if (carry.isLegal(collection.id)) return this.#dropAt(collection, event);
      carry.cancel();
    }
    if (carry.mode === '' && !this.#performs(collection, view) && view) {
      const refusal = carry.begin(table.liftSet(view.item), 'tap');
      if (refusal) this.#refuse(view, refusal);
    }
    return this.#page.render();
  }

  #dropAt(collection, event) {
    const { carry, look } = this.#page;
    carry.aim(gapAt(collection, look, carry.carried, event.clientX, event.clientY));
    this.#page.drop();
  }

  /** An item is touched twice: a card goes where it fits best, the title of another item is edited. */
  sendAway(view) {
    const { carry, look, table, arrangement } = this.#page;
    if (!look.isCards) return look.allowsUpdate(view.collection) ? editTitle(this.#page, view) : undefined;
    if (carry.mode === '' && this.#performs(arrangement.view(view.collection), view)) return undefined;
    if (carry.begin(table.liftSet(view.item), 'tap')) return undefined;
    const places = carry.legal.filter((id) => id !== view.collection).map((id) => arrangement.view(id));
    const best = places.find(({ kind }) => kind.layout === 'pile') ?? places[0];
    if (!best) return this.#escape();
    carry.aim({ collection: best.id, before: null });
    return this.#page.drop();
  }

  // ---- Selection

  isSelected({ key }) {
    return this.#selected.has(key);
  }

  get selectedViews() {
    return this.#page.arrangement.views.flatMap((view) => view.slots(new Set()).map((slot) => slot.view)).filter((view) => this.isSelected(view));
  }

  get selectedItems() {
    return this.selectedViews.map(({ item }) => item);
  }

  clearSelection() {
    this.#selected.clear();
    this.rove();
  }

  /** From now on touching selects and leaves out, beginning with an item. */
  beginSelecting(view) {
    this.isSelecting = true;
    this.#select(view, true);
  }

  #choose(view, { ctrlKey, metaKey, shiftKey }) {
    if (!view) return this.isSelecting ? undefined : this.clearSelection();
    if (shiftKey) return this.#selectTo(view);
    if (ctrlKey || metaKey || this.isSelecting) return this.#select(view, !this.isSelected(view));
    const wasOnly = this.isSelected(view) && this.#selected.size === 1;
    this.#selected.clear();
    return this.#select(view, !wasOnly);
  }

  #select(view, isWanted) {
    if (!view) return;
    if (isWanted) this.#selected.add(view.key);
    else this.#selected.delete(view.key);
    this.rove();
    announce(say(isWanted ? '{item} selected, {count} in all.' : '{item} not selected, {count} in all.', { item: this.#page.look.nameOf(view.item), count: this.#selected.size }));
  }

  /** Selects all from the item that was selected last to this one. */
  #selectTo(view) {
    const views = this.#page.arrangement.view(view.collection).slots(new Set()).map((slot) => slot.view);
    const last = views.findIndex(({ key }) => key === [...this.#selected].at(-1));
    const [from, to] = [last < 0 ? views.indexOf(view) : last, views.indexOf(view)];
    for (const one of views.slice(Math.min(from, to), Math.max(from, to) + 1)) this.#selected.add(one.key);
    this.rove();
    announce(say('{count} selected.', { count: this.#selected.size }));
  }

  /** Adds an item to what is picked up or selected, or takes it away. */
  #toggle(view) {
    const { carry, look } = this.#page;
    if (!look.isCards) return this.#select(view, !this.isSelected(view));
    const { id } = view.item;
    const items = carry.carried.has(id) ? carry.items.filter((item) => item.id !== id) : [...(carry.mode === 'tap' ? carry.items : []), view.item];
    const refusal = items.length > 0 ? carry.begin(items, 'tap') : carry.cancel();
    if (refusal) this.#refuse(view, refusal);
    return this.#page.render();
  }
}
