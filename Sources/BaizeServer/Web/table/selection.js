/** The line below a board while several items are selected, or are being selected with a finger: how many there are, and what one can do with them. */

import { make, setText } from './dom.js';
import { say } from './language.js';
import { openMenu } from './menu.js';
import { notify } from './notices.js';
import { reasonText } from './words.js';

export class Selection {
  #page;

  constructor(page) {
    this.#page = page;
    this.count = make('p', { role: 'status' });
    this.move = make('button', { type: 'button', text: say('Move to…'), 'aria-haspopup': 'menu', on: { click: () => this.#openMove() } });
    this.remove = make('button.danger', { type: 'button', text: say('Delete'), on: { click: () => this.#remove() } });
    const done = make('button.primary', { type: 'button', text: say('Done'), on: { click: () => this.#done() } });
    this.element = make('div.selection', { role: 'region', 'aria-label': say('Selection'), hidden: true }, this.count, this.move, this.remove, done);
  }

  show() {
    const { keyboard, look } = this.#page;
    const views = keyboard.selectedViews;
    this.element.hidden = look.isCards || !(keyboard.isSelecting || views.length > 1);
    if (this.element.hidden) return;
    setText(this.count, views.length === 0 ? say('Touch what you want to select.') : say('{items} selected', { items: look.countOf(views.length) }));
    this.move.hidden = views.length === 0;
    this.remove.hidden = views.length === 0 || !views.every(({ collection }) => look.allowsRemove(collection));
  }

  #openMove() {
    const { table, look, arrangement, keyboard } = this.#page;
    const items = keyboard.selectedItems;
    const refusal = table.refusalToLift(items);
    const places = refusal ? [] : table.legalDestinations(items).filter(({ collection }) => !look.isBin(collection));
    if (places.length === 0) return notify(refusal ? reasonText(refusal) : say('These can go nowhere together.'), { kind: 'refusal' });
    return openMenu(this.move, say('Move to'), places.map(({ collection }) => ({
      text: arrangement.nameOf(collection),
      act: () => {
        this.#page.moveToEnd(items, collection);
        this.#done();
      },
    })));
  }

  #remove() {
    this.#page.remove(this.#page.keyboard.selectedViews);
    this.#done();
  }

  #done() {
    const { keyboard } = this.#page;
    keyboard.isSelecting = false;
    keyboard.clearSelection();
  }
}
