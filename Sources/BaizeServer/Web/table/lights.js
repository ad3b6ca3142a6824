/** The light on where carried items may land, the mark at the gap, and what is carried by keyboard or pointer. */

import { make } from './dom.js';
import { placeOf } from './gaps.js';

export class Lights {
  #marker = make('div.marker', { hidden: true });
  /** The views that are marked as carried: a large board has thousands that are not, at each movement. */
  #carried = new Set();

  constructor(page) {
    this.page = page;
    page.overlay.append(this.#marker);
  }

  /** Makes the page show what is carried, where it may land, and where it would. */
  show() {
    const { carry, arrangement, items, table } = this.page;
    const { carried, target } = carry;
    for (const view of arrangement.views) {
      // That cards may lie where they were is nothing new.
      const isOrigin = this.page.look.isCards && view.id === carry.origin;
      view.element.classList.toggle('legal', carry.isLegal(view.id) && !isOrigin);
      view.element.classList.toggle('target', target?.collection === view.id);
    }
    const views = new Set(carry.ids.map((id) => items.get(table.item(id)?.key)).filter(Boolean));
    for (const view of this.#carried) if (!views.has(view)) view.element.classList.remove('carried');
    for (const view of views) view.element.classList.add('carried');
    this.#carried = views;
    document.body.classList.toggle('carrying', carry.isActive && carry.mode !== 'tap');
    this.#mark(target && arrangement.view(target.collection), carried);
  }

  #mark(view, carried) {
    const { look, carry } = this.page;
    const isShown = view !== undefined && carry.mode !== 'tap' && look.landsAnywhere(view.id);
    this.#marker.hidden = !isShown;
    if (!isShown) return;
    const isAcross = view.kind.layout === 'fan' || view.kind.layout === 'row';
    const { left, top, width, height } = placeOf(view, carry.target, carried);
    const { style } = this.#marker;
    const half = view.slots(carried).length > 0 ? 4 : -2;
    style.left = `${isAcross ? left - 3 : left}px`;
    style.top = `${isAcross ? top : top - half}px`;
    style.width = `${isAcross ? 3 : width}px`;
    style.height = `${isAcross ? height : 3}px`;
  }
}
