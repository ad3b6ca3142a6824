/**
 * Dragging with a mouse, a pen or a finger, and touching. A mouse drags once it has moved a little; a finger drags at once where
 * nothing scrolls, and elsewhere after it has rested.
 */

import { EdgeScroller } from './edges.js';
import { gapAt } from './gaps.js';
import { make, named } from './dom.js';
import { openItemMenu } from './item-menu.js';
import { flyTo, shake } from './motion.js';
import { notify } from './notices.js';
import { reasonText } from './words.js';

const DISTANCE_MIN = 6;
const REST_MILLISECONDS = 260;
/** So far the pointer moves before the gap that is held is another one: nobody holds quite still. */
const STILL_MAX = 3;
const GHOSTS_MAX = 12;
const DOUBLE_MILLISECONDS = 350;

export class Pointer {
  #page;
  #down;
  #ghost;
  #lastTap = { key: '', time: 0 };
  #edges = new EdgeScroller(() => this.#areas());

  constructor(page) {
    this.#page = page;
  }

  /** Listens on the table's surface; returns a function that ends that. */
  listen(surface) {
    const ending = new AbortController();
    const { signal } = ending;
    surface.addEventListener('pointerdown', (event) => this.#pressed(event), { signal });
    surface.addEventListener('click', (event) => this.#clicked(event), { signal });
    surface.addEventListener('contextmenu', (event) => this.#menu(event), { signal });
    // What the wheel brings below the pointer is where the drop lands.
    surface.addEventListener('scroll', () => this.aimAgain(), { signal, capture: true });
    addEventListener('pointermove', (event) => this.#moved(event), { signal });
    addEventListener('pointerup', (event) => this.#released(event), { signal });
    addEventListener('pointercancel', () => this.cancel(), { signal });
    addEventListener('blur', () => this.cancel(), { signal });
    // Once a finger drags an item, the page must not scroll.
    addEventListener('touchmove', (event) => this.#ghost && event.preventDefault(), { signal, passive: false });
    return () => {
      ending.abort();
      this.cancel();
    };
  }

  #pressed(event) {
    const view = event.target.closest('.slot')?.view;
    if (event.button !== 0 || !view || this.#down || event.target.closest('.menu, .collapse, .editor') || !this.#page.canAct) return;
    this.#down = { view, id: event.pointerId, x: event.clientX, y: event.clientY, isTouch: event.pointerType === 'touch' };
    if (this.#waitsForRest) this.#down.timer = setTimeout(() => this.#begin(), REST_MILLISECONDS);
    else if (this.#down.isTouch) event.target.releasePointerCapture?.(event.pointerId);
  }

  get #waitsForRest() {
    return this.#down.isTouch && !this.#page.look.isCards;
  }

  #moved(event) {
    if (!this.#down || event.pointerId !== this.#down.id) return;
    const isFar = Math.hypot(event.clientX - this.#down.x, event.clientY - this.#down.y) >= DISTANCE_MIN;
    if (this.#ghost) this.#drag(event);
    else if (isFar && this.#waitsForRest) this.#forget();
    else if (isFar) this.#begin(event);
  }

  /** Lifts the item, with what comes along: those on top of it, or all that are selected. */
  #begin(event) {
    const { view } = this.#down;
    const { carry, table, keyboard } = this.#page;
    const items = keyboard.isSelected(view) ? keyboard.selectedItems : carry.mode === 'tap' && carry.carried.has(view.item.id) ? carry.items : table.liftSet(view.item);
    const refusal = carry.begin(items, 'pointer');
    if (refusal) {
      shake(view.handle);
      notify(reasonText(refusal), { kind: 'refusal' });
      return this.#forget();
    }
    this.#makeGhost(items);
    this.#page.render();
    this.#drag(event ?? { clientX: this.#down.x, clientY: this.#down.y });
    return undefined;
  }

  /** Shows what is still carried. */
  showCarried() {
    if (!this.#ghost) return;
    const { transform } = this.#ghost.style;
    this.#ghost.remove();
    this.#makeGhost(this.#page.carry.items);
    this.#ghost.style.transform = transform;
  }

  /** What moves with the pointer: copies of the items, where they were lifted. */
  #makeGhost(items) {
    const views = items.map(({ key }) => this.#page.items.get(key)).filter(Boolean);
    const origin = this.#down.view.handle.getBoundingClientRect();
    this.#ghost = make('div.ghost', {});
    for (const [index, view] of views.slice(0, GHOSTS_MAX).entries()) {
      const copy = view.handle.cloneNode(true);
      const { left, top, width, height } = view.handle.getBoundingClientRect();
      // Cards stay as they lie; other items are gathered under the pointer.
      const [x, y] = this.#page.look.isCards ? [left, top] : [origin.left + index * 4, origin.top + index * 4];
      Object.assign(copy.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
      copy.style.setProperty('--width', `${width}px`);
      copy.removeAttribute('role');
      copy.removeAttribute('tabindex');
      this.#ghost.append(copy);
    }
    if (views.length > 1 && !this.#page.look.isCards) {
      const number = make('span.number', { text: String(views.length) });
      Object.assign(number.style, { left: `${origin.left - 8}px`, top: `${origin.top - 8}px` });
      this.#ghost.append(number);
    }
    this.#page.overlay.append(this.#ghost);
  }

  #drag(event) {
    const { clientX, clientY } = event;
    Object.assign(this.#down, { nowX: clientX, nowY: clientY });
    this.#ghost.style.transform = `translate(${clientX - this.#down.x}px, ${clientY - this.#down.y}px)`;
    this.#edges.move(clientX, clientY);
    const { aimed } = this.#down;
    if (!aimed || Math.hypot(clientX - aimed.x, clientY - aimed.y) > STILL_MAX) this.#aim();
  }

  /** What is below the pointer is another thing. */
  aimAgain() {
    if (this.#ghost) this.#aim();
  }

  /** Aims at the gap under the pointer. It stays between what stands around it until the pointer or what is below it moves. */
  #aim() {
    const { nowX, nowY } = this.#down;
    this.#down.aimed = { x: nowX, y: nowY };
    this.#page.carry.aim(this.#targetAt(nowX, nowY));
    this.#page.lights.show();
  }

  /** What scrolls at its edges: the table, and the column at the pointer when it was aimed last. */
  #areas() {
    const { arrangement, look } = this.#page;
    const column = this.#down?.over?.list.parentElement;
    const table = { element: arrangement.element, isAcross: true, isDown: look.isCards };
    return look.isCards || !column ? [table] : [table, { element: column, isAcross: false, isDown: true }];
  }

  /** The collection at a point; of one in another that where the carried items may land, if one may take them. */
  #collectionAt(x, y) {
    const enclosing = (element) => (element ? [element, ...enclosing(element.parentElement?.closest('.collection'))] : []);
    const views = document.elementsFromPoint(x, y).flatMap((element) => enclosing(element.closest?.('.collection'))).map(({ view }) => view);
    return views.find(({ id }) => this.#page.carry.isLegal(id)) ?? views.find(({ isFrame }) => !isFrame) ?? this.#columnAbove(x, y);
  }

  /** Below a short column is its end. */
  #columnAbove(x, y) {
    if (this.#page.look.isCards) return undefined;
    const isAbove = ({ isFrame, element }) => {
      const { left, right, bottom } = element.getBoundingClientRect();
      return !isFrame && left <= x && x <= right && bottom <= y;
    };
    return this.#page.arrangement.views.find(isAbove);
  }

  #targetAt(x, y) {
    const { carry, look } = this.#page;
    this.#down.over = this.#collectionAt(x, y);
    const view = this.#down.over ?? this.#nearest(x, y);
    if (!view) return undefined;
    const target = gapAt(view, look, carry.carried, x, y);
    return carry.verdict(target).operation === 'forbidden' ? undefined : target;
  }

  /** The legal collection that the carried card overlaps. */
  #nearest() {
    const card = this.#ghost.firstChild.getBoundingClientRect();
    const overlap = ({ element }) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return Math.max(0, Math.min(right, card.right) - Math.max(left, card.left)) * Math.max(0, Math.min(bottom, card.bottom) - Math.max(top, card.top));
    };
    const legal = this.#page.arrangement.views.filter(({ id }) => this.#page.carry.isLegal(id));
    return legal.map((view) => ({ view, area: overlap(view) })).filter(({ area }) => area > 0).sort((one, other) => other.area - one.area)[0]?.view;
  }

  #released(event) {
    if (!this.#down || event.pointerId !== this.#down.id) return;
    if (!this.#ghost) return this.#forget();
    this.#suppressClick();
    const { carry } = this.#page;
    if (carry.target) return this.#drop();
    return this.#springBack();
  }

  /** The copies stay at the pointer until the items come from there. */
  #drop() {
    const shown = [...this.#ghost.querySelectorAll('.item')].map((copy) => copy.getBoundingClientRect());
    const from = new Map(this.#page.carry.items.map(({ key }, index) => [key, shown[Math.min(index, shown.length - 1)]]));
    this.#removeGhost();
    this.#page.drop(from);
    this.#page.keyboard.clearSelection();
  }

  /** Nothing may land here: the items go back, and why is said if there is a place below. */
  async #springBack() {
    const { carry, look, arrangement } = this.#page;
    const { view, nowX, nowY } = this.#down;
    const over = this.#collectionAt(nowX, nowY);
    const isElsewhere = over && over.id !== view.collection;
    const verdict = isElsewhere ? carry.verdict(gapAt(over, look, carry.carried, nowX, nowY)) : undefined;
    if (verdict?.refusal) notify([named(arrangement.nameOf(over.id)), `: ${reasonText(verdict.refusal)}`], { kind: 'refusal' });
    const ghost = this.#ghost;
    this.#ghost = undefined;
    this.#removeGhost();
    await flyTo(ghost.firstChild, view.handle.getBoundingClientRect());
    ghost.remove();
    carry.cancel();
    this.#page.render();
  }

  /** Ends a drag without a drop. */
  cancel() {
    if (!this.#ghost) return this.#forget();
    this.#page.carry.cancel();
    return this.#page.draw();
  }

  /** Nothing is carried any more: by Escape, or as it was deleted. What follows of the button or the finger is nothing. */
  release() {
    if (!this.#ghost) return;
    addEventListener('pointerup', () => this.#suppressClick(), { once: true, capture: true });
    this.#removeGhost();
  }

  #removeGhost() {
    this.#ghost?.remove();
    this.#ghost = undefined;
    this.#edges.stop();
    this.#forget();
  }

  #forget() {
    clearTimeout(this.#down?.timer);
    this.#down = undefined;
  }

  /** The click that ends a drag is none. */
  #suppressClick() {
    const stop = (event) => event.stopPropagation();
    addEventListener('click', stop, { capture: true, once: true });
    setTimeout(() => removeEventListener('click', stop, { capture: true }), 0);
  }

  // ---- Touching

  #menu(event) {
    const view = event.target.closest('.slot')?.view;
    if (!view || this.#page.look.isCards) return;
    event.preventDefault();
    if (!this.#ghost && event.pointerType !== 'touch') openItemMenu(this.#page, view);
  }

  #clicked(event) {
    const { keyboard } = this.#page;
    const button = event.target.closest('.menu');
    const view = event.target.closest('.slot')?.view;
    const collection = event.target.closest('.collection')?.view;
    if (!collection || event.target.closest('.collapse, .composer, .editor, .more, .tools, .new-column')) return undefined;
    if (button && view) return openItemMenu(this.#page, view);
    if (!this.#page.canAct) return undefined;
    if (view && !keyboard.isSelecting && this.#isSecondTap(view)) return keyboard.sendAway(view);
    return keyboard.touch(view, collection, event);
  }

  #isSecondTap({ key }) {
    const now = performance.now();
    const isSecond = this.#lastTap.key === key && now - this.#lastTap.time < DOUBLE_MILLISECONDS;
    this.#lastTap = { key: isSecond ? '' : key, time: now };
    return isSecond;
  }
}
