/** What one can do with an item besides dragging it. */

import { openCard } from './card.js';
import { editAttribute, editTitle } from './editor.js';
import { openMenu } from './menu.js';
import { humanized, personName } from './words.js';

export function openItemMenu(page, view) {
  const { look, table, arrangement } = page;
  const { item, collection } = view;
  const entries = [];
  const isOpened = look.fields.length > 0 && !item.hidden && !item.opens;
  if (isOpened) entries.push({ text: 'Open', act: () => openCard(page, view) });
  if (table.seat > 0 && look.allowsUpdate(collection)) {
    entries.push({ text: 'Edit the title', act: () => editTitle(page, view) });
    const name = look.detailAttribute;
    if (name && !isOpened) entries.push({ text: `Edit: ${humanized(name)}`, act: () => editAttribute(page, view, { name, label: humanized(name) }) });
  }
  if (table.seat > 0 && !table.refusalToLift([item])) {
    const others = table.legalDestinations([item]).filter((one) => one.collection !== collection && !look.isBin(one.collection));
    for (const { collection: id } of others) {
      entries.push({ text: `Move to ${arrangement.nameOf(id)}`, act: () => page.moveToEnd([item], id) });
    }
  }
  for (const name of table.seat > 0 ? look.changeableSeats(collection, item) : []) {
    const others = table.seats.filter(({ seat }) => seat !== item.get(name));
    entries.push(...others.map((one) => ({
      text: `${humanized(name)}: ${personName(one)}`,
      act: () => page.act(table.update(item, { attributes: { [name]: one.seat } }), `${humanized(name)}: ${personName(one)}.`, { element: view.handle }),
    })));
  }
  for (const { name, title } of look.actions.filter((action) => action.isForItems && action.pins !== item.pinned)) {
    entries.push({ text: title, act: () => page.perform(name, [item]) });
  }
  if (!item.opens && !look.isCards && table.seat > 0) entries.push({ text: 'Select several', act: () => page.keyboard.beginSelecting(view) });
  if (item.opens) entries.push(...columnEntries(page, view));
  if (look.allowsRemove(collection)) entries.push({ text: 'Delete', kind: 'danger', act: () => page.remove([view]) });
  if (entries.length > 0) openMenu(view.menuButton ?? view.handle, look.nameOf(item), entries);
}

/** Returns why a text is no limit; `undefined` if it is one. */
const limitProblem = (text) => (/^[1-9]\d{0,8}$/.test(text) ? undefined : 'A limit is a whole number, such as 5; nothing for none.');

/** What one can do with a column: limit it, and move it by one place. */
function columnEntries(page, view) {
  const { look, table } = page;
  const { item, collection } = view;
  const entries = [];
  const limit = look.limitOf(table.collections.find((one) => one.item === item.id)?.id ?? '');
  if (limit && look.allowsUpdate(collection)) {
    entries.push({ text: 'Limit the number of items', act: () => editAttribute(page, view, { name: limit, label: 'Limit', mayBeEmpty: true, check: limitProblem }) });
  }
  if (table.refusalToLift([item])) return entries;
  const ids = table.collection(collection).items.map(({ id }) => id);
  const index = ids.indexOf(item.id);
  const move = (before, side) => ({
    text: `Move ${side}`,
    act: () => page.act(table.reorder([item], { collection, before }), `${look.nameOf(item)}, moved ${side}.`, { element: view.handle }),
  });
  if (index > 0) entries.push(move(ids[index - 1], 'left'));
  if (index < ids.length - 1) entries.push(move(ids[index + 2] ?? null, 'right'));
  return entries;
}
