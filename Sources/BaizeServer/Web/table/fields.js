/** What an item shows of its fields while it is not opened. */

import { locale, say, sayCount } from './language.js';

const DATES = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Returns a field's value as it is shown on the item: short, and empty for what is only shown when the item is opened. */
export function shortField({ attribute, as }, item) {
  if (as === 'comments') return countOf(commentsOf(item, attribute).length);
  const value = item.get(attribute);
  if (value === undefined) return '';
  if (as === 'text') return '≡';
  const date = as === 'date' ? new Date(`${value}T00:00:00Z`) : undefined;
  if (date && !Number.isNaN(date.getTime())) return say('due {date}', { date: DATES.format(date) });
  return String(value);
}

/** Returns the attributes of an item that are comments, `[name, value]` each. */
export const commentsOf = (item, attribute) => [...item.attributes].filter(([name]) => name.startsWith(`${attribute}-`));

const countOf = (count) => (count === 0 ? '' : sayCount(count, '{count} comment', '{count} comments'));
