/** The others at the table: what they hold, where they hold it, and whose move that was. */

import { make, setText } from './dom.js';
import { placeOf } from './gaps.js';
import { personName } from './words.js';

const TAG_MILLISECONDS = 1_600;
const HELD_MAX = 20;

export class Others {
  #page;
  #badges = new Map();

  constructor(page) {
    this.#page = page;
  }

  /** Shows the drags of others: the items have an edge in their color, and a badge with their name is where they are. */
  show() {
    const { table, items } = this.#page;
    const held = new Map();
    const drags = table.drags.slice(0, HELD_MAX);
    for (const { session, items: ids } of drags) {
      const seat = table.seatOf(session);
      if (seat) for (const id of ids) held.set(id, seat);
    }
    for (const { item, element } of items.values()) {
      const seat = held.get(item.id);
      element.classList.toggle('held', seat !== undefined);
      if (seat) element.dataset.seat = (seat.seat - 1) % 8;
      else delete element.dataset.seat;
    }
    this.#showBadges(drags);
  }

  #showBadges(drags) {
    const { table } = this.#page;
    const shown = new Set();
    for (const drag of drags) {
      const seat = table.seatOf(drag.session);
      const place = seat && this.#placeOf(drag);
      if (!place) continue;
      shown.add(drag.session);
      const badge = this.#badges.get(drag.session) ?? this.#makeBadge(drag.session, seat);
      badge.style.transform = `translate(${place.left + Math.min(place.width, 220) / 2}px, ${place.top + 6}px)`;
    }
    for (const [session, badge] of this.#badges) {
      if (shown.has(session)) continue;
      badge.remove();
      this.#badges.delete(session);
    }
  }

  #makeBadge(session, seat) {
    const badge = make('div.badge', { 'data-seat': (seat.seat - 1) % 8, dir: 'auto' });
    setText(badge, personName(seat));
    this.#badges.set(session, badge);
    this.#page.overlay.append(badge);
    return badge;
  }

  #placeOf({ over, items }) {
    const { arrangement, table } = this.#page;
    const view = over && arrangement.view(over.collection);
    if (view && !view.element.hidden) return placeOf(view, over, new Set(items));
    const item = table.item(items[0]);
    return item && this.#page.items.get(item.key)?.handle.getBoundingClientRect();
  }

  /** Names for a moment who has moved an item. */
  tag({ element }, seat) {
    element.querySelector('.tag')?.remove();
    const tag = make('span.tag', { text: personName(seat), dir: 'auto', 'data-seat': (seat.seat - 1) % 8, 'aria-hidden': 'true' });
    element.append(tag);
    setTimeout(() => tag.remove(), TAG_MILLISECONDS);
  }
}
