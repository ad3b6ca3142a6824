/** A menu beside what it is about: a list of buttons that arrows pass, and that Escape closes. */

import { make } from './dom.js';

let closeOpen;

/** Closes the menu that is open, if any. */
export function closeMenu() {
  closeOpen?.();
}

/**
 * Opens a menu.
 *
 * @param anchor the element that it belongs to, which has the focus again afterwards
 * @param entries `{ text, act, kind }` each; `kind: 'danger'` for what cannot be taken back easily
 */
export function openMenu(anchor, label, entries) {
  closeMenu();
  const buttons = entries.map(({ text, act, kind = '' }) =>
    make('button', { type: 'button', role: 'menuitem', tabindex: '-1', class: kind, text, on: { click: () => { close(); act(); } } }));
  const menu = make('div.popup', { role: 'menu', 'aria-label': label }, ...buttons);
  const outside = (event) => !menu.contains(event.target) && close(false);
  function close(keepsFocus = true) {
    closeOpen = undefined;
    removeEventListener('pointerdown', outside, true);
    menu.remove();
    if (keepsFocus && anchor.isConnected) anchor.focus();
  }
  menu.addEventListener('keydown', (event) => {
    const index = buttons.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) buttons.at((index + step) % buttons.length).focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  // Within a landmark, for who goes from one to the next.
  (document.querySelector('main.surface') ?? document.body).append(menu);
  place(menu, anchor.getBoundingClientRect());
  addEventListener('pointerdown', outside, true);
  closeOpen = close;
  buttons[0]?.focus();
}

/** Puts a menu below its anchor, or where there is room. */
function place(menu, anchor) {
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.max(8, Math.min(anchor.right - width, innerWidth - width - 8));
  const isRoomBelow = anchor.bottom + height + 8 < innerHeight;
  menu.style.left = `${left}px`;
  menu.style.top = `${isRoomBelow ? anchor.bottom + 4 : Math.max(8, anchor.top - height - 4)}px`;
}
