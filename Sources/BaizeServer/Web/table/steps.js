/** The places that the arrows pass while something is carried: the legal gaps, collection by collection. */

import { gapsOf } from './gaps.js';
import { say } from './language.js';
import { announce } from './notices.js';

export class Steps {
  #page;

  constructor(page) {
    this.#page = page;
  }

  /** Aims at where the items are, or else at the first place; returns the number of collections where the items may land. */
  begin() {
    const { carry } = this.#page;
    const places = this.#collections;
    const elsewhere = places.find(({ id }) => id !== carry.origin);
    const gaps = places.length > 0 ? this.#gaps(this.#hasGaps(carry.origin) ? this.#page.arrangement.view(carry.origin) : elsewhere ?? places[0]) : [];
    const own = gaps.find(({ collection, before }) => collection === carry.origin && before === this.#behind);
    // Where they are is said already.
    if (gaps.length > 0) this.#aim(own ?? gaps[0], own !== undefined);
    return places.length;
  }

  /** The first item that stays behind those that are carried, of those that are shown; else what is behind them. */
  get #behind() {
    const { carry, arrangement } = this.#page;
    const { order, behindShown } = arrangement.view(carry.origin);
    return order.slice(order.indexOf(carry.ids[0])).find((id) => !carry.carried.has(id)) ?? behindShown;
  }

  /** Moves to the first gap of the collection, or to the last one, -1. */
  jump(index) {
    const gaps = this.#gaps(this.#page.arrangement.view(this.#page.carry.target?.collection) ?? this.#collections[0]);
    if (gaps.length > 0) this.#aim(gaps.at(index));
  }

  get #collections() {
    return this.#page.arrangement.views.filter(({ id }) => this.#page.carry.isLegal(id));
  }

  #hasGaps(collection) {
    return this.#page.carry.isLegal(collection) && this.#page.look.landsAnywhere(collection);
  }

  #gaps(view) {
    const { look, carry, arrangement } = this.#page;
    arrangement.makeAll([view]);
    return gapsOf(view, look, carry.carried).filter((gap) => carry.verdict(gap).operation !== 'forbidden');
  }

  /** Moves on by an arrow: along a list from gap to gap, and else from collection to collection. */
  move(x, y) {
    const { carry, arrangement } = this.#page;
    const collections = this.#collections;
    if (collections.length === 0) return;
    const view = arrangement.view(carry.target?.collection) ?? collections[0];
    const gaps = this.#gaps(view);
    const isAcross = view.kind.layout === 'fan' || view.kind.layout === 'row';
    const index = gaps.findIndex(({ before }) => before === carry.target?.before);
    const step = isAcross ? x : y;
    const next = step === 0 ? undefined : gaps[index + step];
    if (next) return this.#aim(next);
    const at = collections.indexOf(view);
    const other = collections[(at + (x + y) + collections.length) % collections.length];
    const others = this.#gaps(other);
    if (others.length === 0) return;
    this.#aim(step === 0 ? others[Math.min(Math.max(index, 0), others.length - 1)] : others.at(step < 0 ? -1 : 0));
  }

  #aim(target, isSilent = false) {
    const { carry, arrangement, table, look } = this.#page;
    carry.aim(target);
    const view = arrangement.view(target.collection);
    const slots = view.slots(carry.carried);
    const beside = slots.find((slot) => slot.view.item.id === target.before) ?? slots.at(-1);
    for (const element of [view.element, beside]) element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (isSilent) return;
    const next = slots.some((slot) => slot.view.item.id === target.before) && table.item(target.before);
    const shown = view.order.filter((id) => !carry.carried.has(id)).at(-1);
    const last = shown === undefined ? undefined : table.item(shown);
    const isCollapsed = view.isCollapsed && !view.isEmpty;
    const item = next ?? last;
    const values = { place: view.name, item: item && look.nameOf(item) };
    if (next) announce(say('{place}, before {item}.', values));
    else if (isCollapsed) announce(say('{place}, at the end.', values));
    else if (!last) announce(say('{place}, empty.', values));
    else announce(say(look.landsAnywhere(target.collection) ? '{place}, after {item}.' : '{place}, on {item}.', values));
  }
}
