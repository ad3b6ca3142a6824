/** The operator's own table types as the start page offers them, from their documents. */

import { say } from './language.js';
import { Look } from './look.js';
import { drawScene } from './pictures.js';
import { humanized } from './words.js';

const COLUMNS_SHOWN_MAX = 13;
const PILES_SHOWN_MAX = 6;
/** So many piles of one kind are drawn where there are others besides. */
const ALIKE_SHOWN_MAX = 3;

/** Returns the types as `types.js` has the bundled ones, with a picture each; what cannot be read is left out. */
export function ownTypes(documents) {
  return documents.flatMap((document) => {
    try {
      return [ownType(document)];
    } catch {
      return [];
    }
  });
}

function ownType(document) {
  const { name, title, options = {} } = document;
  const chosen = new Map(Object.entries(options).map(([option, { default: value }]) => [option, typeof value === 'boolean' ? String(value) : value]));
  const look = new Look({ document: JSON.stringify(document), options: chosen });
  // Where an option says how many, all that it allows.
  const bound = (seats, side) => options[seats?.option]?.[side];
  const players = { min: bound(document.seats?.min, 'min') ?? look.seatsMin, max: bound(document.seats?.max, 'max') ?? look.seatsMax };
  const text = !look.isCards ? say('A board for up to {max} people', players) : players.min === players.max ? say('A game for {max} players', players) : say('A game for {min} to {max} players', players);
  return { name, title: title || humanized(name), text, options: Object.entries(options).map(offered), rules: look.rules, picture: picture(look) };
}

function offered([name, { type, min, max, values = [], default: value }]) {
  const label = say(humanized(name));
  if (type === 'integer') return { name, label, min, max, value };
  const all = type === 'boolean' ? [['true', say('yes')], ['false', say('no')]] : values.map((one) => [one, humanized(String(one))]);
  // The default is the first, which is chosen.
  return { name, label, values: all.sort(([one]) => (one === String(value) || one === value ? -1 : 0)), value };
}

/** Draws a type's collections by their layouts: columns side by side, or piles, cascades and fans on the cloth. */
function picture(look) {
  const alikeMax = look.isCards && look.shownKinds.length > 1 ? ALIKE_SHOWN_MAX : COLUMNS_SHOWN_MAX;
  const layouts = look.shownKinds.flatMap(({ layout, family }) => Array.from({ length: Math.min(membersOf(family), alikeMax) }, () => layout));
  return drawScene(layouts.slice(0, look.isCards ? PILES_SHOWN_MAX : COLUMNS_SHOWN_MAX), look.isCards);
}

const membersOf = (family) => (family?.each?.length ?? (family?.to >= family?.from ? family.to - family.from + 1 : 1));
