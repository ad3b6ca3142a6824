/**
 * The languages of the page. The sources have its sentences in English, whole, with `{places}` for names and numbers; `words/` has a
 * table for each other language, by the English sentence. A sentence that another program wrote (a rule's, a title in a document) stays
 * as it is if no table has it.
 */

import { readSetting, storeSetting } from './address.js';

const SETTING = 'baize language';

/** The languages, in their own words. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', fr: 'Français' };

const FILES = {
  de: new URL('./words/de.js', import.meta.url),
  es: new URL('./words/es.js', import.meta.url),
  fr: new URL('./words/fr.js', import.meta.url),
};

/** The languages of the browser, what is liked best first; none outside of one. */
const wished = globalThis.navigator?.languages ?? [];

/** The language that the person has chosen, or the first of the browser's that is here. */
export const language = [readSetting(SETTING), ...wished.map((one) => one.split('-')[0])].find((one) => Object.hasOwn(LANGUAGES, one)) ?? 'en';

/** How the browser writes numbers, dates and lists: as in the person's country, if the page speaks its language. */
export const locale = wished.find((one) => one.split('-')[0] === language) ?? language;

const plurals = new Intl.PluralRules(locale);
const numbers = new Intl.NumberFormat(locale);
let words = {};

/** Loads the words; without them, which a lost connection may be the cause of, the page speaks English. */
export async function loadWords() {
  document.documentElement.lang = language;
  if (language === 'en') return;
  try {
    words = (await import(FILES[language])).default;
  } catch {
    document.documentElement.lang = 'en';
  }
}

/** Chooses a language, for good, and loads the page in it. */
export function chooseLanguage(name) {
  storeSetting(SETTING, name);
  location.reload();
}

/** Returns a sentence in the page's language; `{name}` in it is the value of that name. */
export function say(text, values) {
  return filled(Object.hasOwn(words, text) ? words[text] : text, values);
}

/** Returns a sentence for a number, which `{count}` stands for. */
export function sayCount(count, one, other, values) {
  const forms = Object.hasOwn(words, other) ? words[other] : { one, other };
  return filled(forms[plurals.select(count)] ?? forms.other, { ...values, count: numbers.format(count) });
}

/** Returns a sentence as a list of its parts, so that `{name}` may be an element. */
export function sayParts(text, values) {
  return say(text).split(/\{(\w+)\}/).map((part, index) => (index % 2 ? values[part] : part)).filter((part) => part !== '');
}

const filled = (text, values = {}) => text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? values[name] : whole));
