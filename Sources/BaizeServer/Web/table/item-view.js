/** An item as an element: a card with its face or its back, or a line of a list. */

import { shortField } from './fields.js';
import { make, named, setAttribute, setText } from './dom.js';
import { say, sayParts } from './language.js';
import { personName, plainName } from './words.js';

export class ItemView {
  #face = '';

  /**
   * @param tag the element around the item: a line of a list, or the heading of the collection that the item opens
   */
  constructor(key, tag = 'li.slot') {
    this.key = key;
    this.handle = make('div.item', { role: 'button', tabindex: '-1' });
    this.handle.classList.toggle('heading', tag !== 'li.slot');
    this.element = make(tag, {}, this.handle);
    this.element.view = this;
  }

  /**
   * Shows an item.
   *
   * @param place what its name says besides: `Pile 3, 2 of 5`
   * @param noun what it is called
   * @param people who owns it, or holds it
   */
  show(item, look, { place, colour, canMenu, noun = look.noun, people = '' }) {
    this.item = item;
    const { handle } = this;
    const face = item.hidden ? undefined : look.faceOf(item);
    const isCard = look.isCards && (item.hidden || face !== undefined);
    this.element.classList.toggle('down', item.hidden);
    handle.classList.toggle('card', isCard);
    handle.classList.toggle('back', item.hidden && isCard);
    handle.classList.toggle('pinned', item.pinned);
    handle.classList.toggle('alias', item.aliasOf !== 0);
    setAttribute(handle, 'data-colour', item.hidden ? look.back : colour);
    setAttribute(handle, 'aria-label', `${look.nameOf(item)}, ${place}${people ? `, ${people}` : ''}${item.pinned ? say(', pinned') : ''}${item.aliasOf ? say(', alias') : ''}`);
    setAttribute(handle, 'aria-roledescription', say(noun));
    this.#draw(item, look, face, isCard, canMenu, people);
  }

  #draw(item, look, face, isCard, canMenu, people) {
    const title = isCard || item.hidden ? '' : plainName(look.titleOf(item), say('Untitled'));
    const detail = title === '' ? '' : [look.detailOf(item), ...look.fields.filter(({ attribute }) => attribute !== look.detailAttribute).map((field) => shortField(field, item)), people].filter(Boolean).join(' · ');
    const drawn = JSON.stringify([face, isCard, title, detail, canMenu]);
    if (drawn === this.#face) return;
    this.#face = drawn;
    if (face) {
      const corner = () => make('span.corner', { 'aria-hidden': 'true' }, ...face.map((text) => make('b', { text })));
      this.handle.replaceChildren(corner(), make('span.pip', { 'aria-hidden': 'true', text: face.at(-1) }), corner());
    } else if (isCard) {
      this.handle.replaceChildren();
    } else {
      const words = make('span.words', {}, make('span.title', { text: title, dir: 'auto' }));
      if (detail) words.append(make('small', { text: detail, dir: 'auto' }));
      this.handle.replaceChildren(words);
    }
    if (canMenu === (this.menuButton !== undefined)) return;
    this.menuButton?.remove();
    this.menuButton = canMenu ? this.#menuButton() : undefined;
    if (this.menuButton) this.element.append(this.menuButton);
  }

  #menuButton() {
    const button = make('button.menu', { type: 'button', tabindex: '-1', 'aria-haspopup': 'menu', 'data-menu': this.key });
    setText(button, '⋯');
    return button;
  }

  /** Shows who is writing here; `undefined` for nobody. */
  showWriter(seat) {
    if (!seat && !this.writer) return;
    this.writer ??= make('span.writer', {});
    this.writer.hidden = !seat;
    if (!seat) return;
    if (!this.writer.isConnected) this.element.append(this.writer);
    this.writer.dataset.seat = (seat.seat - 1) % 8;
    if (this.writer.firstChild?.textContent !== personName(seat)) this.writer.replaceChildren(...sayParts('{name} is writing…', { name: named(personName(seat)) }));
  }

  /** Shows who played the card; `undefined` for nobody. */
  showPlayer(seat) {
    if (!seat && !this.player) return;
    this.player ??= make('span.player-name', { 'aria-hidden': 'true', dir: 'auto' });
    if (!seat) return void this.player.remove();
    if (!this.player.isConnected) this.element.append(this.player);
    setAttribute(this.player, 'data-seat', (seat.seat - 1) % 8);
    setText(this.player, personName(seat));
  }

  nameMenu(name) {
    if (this.menuButton) setAttribute(this.menuButton, 'aria-label', say('Options of {name}', { name }));
  }
}
