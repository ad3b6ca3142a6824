/** Making elements. Text reaches the page through `textContent` alone, so that no name, title or message is markup. */

const SVG = 'http://www.w3.org/2000/svg';

/** The outlines of the icons, in a square of 24. */
const ICONS = {
  add: 'M12 5v14M5 12h14',
  chat: 'M4 5h16v11H9l-5 4z',
  close: 'M6 6l12 12M18 6L6 18',
  leave: 'M14 4h5v16h-5M4 12h11M8 8l-4 4 4 4',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  redo: 'M15 5l5 5-5 5M20 10H9a5 5 0 0 0 0 10h3',
  rename: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  rules: 'M9 9a3 3 0 1 1 4 2.8c-.7.3-1 .8-1 1.7M12 17h.01M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M15.5 15.5L21 21',
  share: 'M12 15V4M8 8l4-4 4 4M5 12v8h14v-8',
  sound: 'M4 9h4l5-4v14l-5-4H4zM17 8a6 6 0 0 1 0 8',
  undo: 'M9 5l-5 5 5 5M4 10h11a5 5 0 0 1 0 10h-3',
};

/**
 * Makes an element.
 *
 * @param {string} tag the element's name, with classes after dots: `li.slot`
 * @param {object} properties attributes by name; `text` is the text, `on` has listeners by event
 */
export function make(tag, { text, on, ...attributes } = {}, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length > 0) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) setAttribute(element, key, value);
  for (const [event, listener] of Object.entries(on ?? {})) element.addEventListener(event, listener);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

/** Sets an attribute if its value is another one; `undefined` and `false` remove it. */
export function setAttribute(element, name, value) {
  if (value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? '' : String(value));
}

/** Sets an element's text if it is another one. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Makes a name that stands in a sentence, whatever its direction. */
export const named = (text) => make('bdi', { text });

/** Makes one of the icons, which says nothing to screen readers. */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

/** Makes a button with an icon; `label` is its name for everyone. */
export function iconButton(name, label, click, { isTextShown = false, ...attributes } = {}) {
  const button = make('button', { type: 'button', title: label, 'aria-label': label, 'data-icon': name, on: { click }, ...attributes }, icon(name));
  button.classList.add(isTextShown ? 'labelled' : 'round');
  if (isTextShown) button.append(make('span', { text: label }));
  return button;
}
