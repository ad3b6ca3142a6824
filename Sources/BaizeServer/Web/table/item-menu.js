/** What one can do with an item besides dragging it. */

import { editAttribute, editTitle } from './editor.js';
import { say } from './language.js';
import { load } from './load.js';
import { openMenu } from './menu.js';
import { humanized, personName } from './words.js';

export function openItemMenu(page, view) {
  const { look, table, arrangement } = page;
  const { item, collection } = view;
  const entries = [];
  const isOpened = look.fields.length > 0 && !item.hidden && !item.opens;
  if (isOpened) entries.push({ text: say('Open'), act: () => load(({ openCard }) => openCard(page, view)) });
  if (page.canAct && look.allowsUpdate(collection)) {
    entries.push({ text: say('Edit the title'), act: () => editTitle(page, view) });
    const name = look.detailAttribute;
    if (name && !isOpened) entries.push({ text: say('Edit: {label}', { label: say(humanized(name)) }), act: () => editAttribute(page, view, { name, label: say(humanized(name)) }) });
  }
  if (page.canAct && !table.refusalToLift([item])) {
    const others = table.legalDestinations([item]).filter((one) => one.collection !== collection && !look.isBin(one.collection));
    for (const { collection: id } of others) {
      entries.push({ text: say('Move to {place}', { place: arrangement.nameOf(id) }), act: () => page.moveToEnd([item], id) });
    }
  }
  for (const name of page.canAct ? look.changeableSeats(collection, item) : []) {
    const others = table.seats.filter(({ seat }) => seat !== item.get(name));
    entries.push(...others.map((one) => ({
      text: `${say(humanized(name))}: ${personName(one)}`,
      act: () => page.act(table.update(item, { attributes: { [name]: one.seat } }), `${say(humanized(name))}: ${personName(one)}.`, { element: view.handle }),
    })));
  }
  for (const { name, title } of look.actions.filter((action) => action.isForItems && action.pins !== item.pinned)) {
    entries.push({ text: title, act: () => page.perform(name, [item]) });
  }
  if (!item.opens && !look.isCards && page.canAct) entries.push({ text: say('Select several'), act: () => page.keyboard.beginSelecting(view) });
  if (item.opens) entries.push(...columnEntries(page, view));
  if (look.allowsRemove(collection)) entries.push({ text: say('Delete'), kind: 'danger', act: () => page.remove([view]) });
  if (entries.length > 0) openMenu(view.menuButton ?? view.handle, look.nameOf(item), entries);
}

/** Returns why a text is no limit; `undefined` if it is one. */
const limitProblem = (text) => (/^[1-9]\d{0,8}$/.test(text) ? undefined : say('A limit is a whole number, such as 5; nothing for none.'));

/** What one can do with a column: limit it, and move it by one place. */
function columnEntries(page, view) {
  const { look, table } = page;
  const { item, collection } = view;
  const entries = [];
  const limit = look.limitOf(table.collections.find((one) => one.item === item.id)?.id ?? '');
  if (limit && look.allowsUpdate(collection)) {
    entries.push({ text: say('Limit the number of items'), act: () => editAttribute(page, view, { name: limit, label: say('Limit'), mayBeEmpty: true, check: limitProblem }) });
  }
  if (table.refusalToLift([item])) return entries;
  const ids = table.collection(collection).items.map(({ id }) => id);
  const index = ids.indexOf(item.id);
  const move = (before, side) => ({
    text: say(side === 'left' ? 'Move left' : 'Move right'),
    act: () => page.act(table.reorder([item], { collection, before }), say(side === 'left' ? '{item}, moved left.' : '{item}, moved right.', { item: look.nameOf(item) }), { element: view.handle }),
  });
  if (index > 0) entries.push(move(ids[index - 1], 'left'));
  if (index < ids.length - 1) entries.push(move(ids[index + 2] ?? null, 'right'));
  return entries;
}
