/** Small pictures of the table types for the start page, drawn of rectangles and suits: nothing is loaded for them. */

import { GAMES } from './types.js';

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 96;
const HEIGHT = 64;

function draw(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  return element;
}

const box = (kind, x, y, width, height, turn = 0) =>
  draw('rect', { class: kind, x, y, width, height, rx: 2, ...(turn && { transform: `rotate(${turn} ${x + width / 2} ${y + height})` }) });

/** A card that lies face up, with its suit, or its back. */
function card(x, y, suit, turn = 0) {
  const group = draw('g', turn ? { transform: `rotate(${turn} ${x + 6} ${y + 30})` } : {});
  group.append(box(suit ? 'face' : 'back', x, y, 12, 17));
  if (suit) group.append(draw('text', { class: '♥♦'.includes(suit) ? 'red' : 'black', x: x + 6, y: y + 12, 'text-anchor': 'middle', 'font-size': 10 }, suit));
  return group;
}

/** Columns side by side, each with so many cards; one of them is lit. */
function columns(counts, gap, [lit, row] = []) {
  const width = (WIDTH - gap) / counts.length - gap;
  return counts.flatMap((count, index) => {
    const x = gap + index * (width + gap);
    const cards = Array.from({ length: count }, (_, at) => box(index === lit && at === row ? 'lit' : 'item', x + width * 0.12, 9 + at * 11, width * 0.76, 8));
    return [box('column', x, 5, width, HEIGHT - 10), ...cards];
  });
}

const rows = (kinds) => kinds.map((kind, index) => box(kind, 14, 7 + index * 13, WIDTH - 28, 10));
const fan = (suits, x, y) => suits.map((suit, index) => card(x + index * 9, y, suit, (index - (suits.length - 1) / 2) * 9));
const pile = (x, y, backs, suit) => [...Array.from({ length: backs }, (_, index) => card(x, y + index * 4)), card(x, y + backs * 4, suit)];

const SCENES = {
  kanban: () => columns([3, 2, 1], 5, [1, 0]),
  board: () => columns([4, 2, 3, 1, 2], 3, [2, 1]),
  list: () => rows(['item', 'item', 'item', 'item']),
  playlist: () => [...rows(['lit', 'item', 'item', 'item']), draw('path', { class: 'face', d: 'M19 9.5l5 2.5-5 2.5z' })],
  klondike: () => [...'♠♥♦♣♠♥'].flatMap((suit, index) => pile(4 + index * 15, 8, index, suit)),
  hand: () => [...fan([...'♦♣♥♠♦'], 24, 32), card(34, 6), card(50, 6, '♣')],
  hearts: () => [card(42, 4, '♥'), card(42, 43, '♥'), card(20, 23, '♥'), card(64, 23, '♠')],
  speed: () => [card(32, 23, '♣'), card(52, 23, '♦'), ...fan(['', '', ''], 33, 2), ...fan([...'♥♠♦'], 33, 44)],
  nerts: () => [...'♣♦♠♥'].flatMap((suit, index) => [card(30 + index * 16, 6, suit), ...pile(30 + index * 16, 32, 0, [...'♥♠♦♣'][index])]).concat(pile(6, 24, 3, '♦')),
  grid: () => columns(Array.from({ length: 13 }, (_, index) => 1 + ((index * 5) % 4)), 2),
};

/** Makes a picture; screen readers have the type's name beside it. */
function frame(isOnCloth, parts) {
  const picture = draw('svg', { class: `picture ${isOnCloth ? 'on-cloth' : ''}`, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-hidden': 'true' });
  picture.append(...parts);
  return picture;
}

/** Makes the picture of a bundled type, which is empty for another one. */
export const pictureOf = (type) => frame(GAMES.has(type), Object.hasOwn(SCENES, type) ? SCENES[type]() : []);

/** Makes the picture of a type of which only the layouts of its collections are known. */
export function drawScene(layouts, isOnCloth) {
  if (!isOnCloth) return frame(false, layouts.length === 1 ? rows(['item', 'item', 'item', 'item']) : columns(layouts.map((_, index) => 1 + ((index * 5 + 2) % 4)), layouts.length > 6 ? 2 : 4));
  const step = Math.min(16, (WIDTH - 16) / Math.max(1, layouts.length - 1));
  const left = (WIDTH - 12 - step * (layouts.length - 1)) / 2;
  const suit = (index) => '♠♥♦♣'[index % 4];
  return frame(true, layouts.flatMap((layout, index) => {
    const x = left + index * step;
    if (layout === 'cascade') return pile(x, 8, 1 + (index % 3), suit(index));
    if (layout === 'fan') return [card(x - 2, 40, suit(index), -9), card(x + 3, 40, suit(index + 1), 9)];
    return [card(x, layout === 'pile' ? 8 : 24, index % 2 ? suit(index) : '')];
  }));
}
