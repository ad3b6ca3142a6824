/** What keys mean, whatever the keyboard's layout and input method are. */

/** 229 is the code of a key that an input method has taken; some browsers say it of the Enter that ends a conversion. */
const TAKEN_BY_INPUT_METHOD = 229;

/** Returns whether a key belongs to an input method, which converts what is typed: it is no command. */
export const isComposing = (event) => event.isComposing || event.keyCode === TAKEN_BY_INPUT_METHOD;

/** Returns whether a chord with Control or Command has a letter: by the letter itself or, on layouts without Latin letters, by its key. */
export function isChord(event, letter) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
  const key = event.key.toLowerCase();
  return key === letter || (event.code === `Key${letter.toUpperCase()}` && !/^[a-z]$/.test(key));
}
