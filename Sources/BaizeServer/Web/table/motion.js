/**
 * Shows where things went: elements are measured before and after a change, and move from one to the other ("FLIP"). Who prefers
 * reduced motion sees the result at once.
 */

const MILLISECONDS = 240;
const EASING = 'cubic-bezier(.2, .8, .2, 1)';
/** With more elements than this, nothing is animated. */
const ELEMENTS_MAX = 400;
const reduced = matchMedia('(prefers-reduced-motion: reduce)');

/** Whether things may move on the screen. */
export const maysMove = () => !reduced.matches;

export class Motion {
  #before = new Map();

  /**
   * Measures elements before a change.
   *
   * @param elements the elements by key
   * @param overrides where some of them are shown instead, by key: under the pointer, say
   */
  measure(elements, overrides = new Map()) {
    this.#before = new Map();
    if (!maysMove() || elements.size > ELEMENTS_MAX) return;
    for (const [key, element] of elements) this.#before.set(key, element.getBoundingClientRect());
    for (const [key, place] of overrides) this.#before.set(key, place);
  }

  /** Moves the elements from where they were to where they are, and lets new ones appear; returns the keys of those that move. */
  play(elements) {
    const moved = new Set();
    const distances = [];
    for (const [key, element] of elements) {
      const before = this.#before.get(key);
      if (!before && this.#before.size > 0) element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: MILLISECONDS });
      if (!before || before.width === 0) continue;
      const after = restingBox(element);
      const [x, y] = [before.left - after.left, before.top - after.top];
      if (Math.abs(x) + Math.abs(y) >= 2) distances.push([key, element, x, y]);
    }
    for (const [key, element, x, y] of distances) {
      moved.add(key);
      element.animate(
        [{ transform: `translate(${x}px, ${y}px)`, zIndex: 5 }, { transform: 'none', zIndex: 5 }],
        { duration: MILLISECONDS, easing: EASING },
      );
    }
    return moved;
  }
}

/** Where an element comes to rest: its rectangle on the screen, without how far it is moved at present. */
export function restingBox(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  const { m41, m42 } = new DOMMatrixReadOnly(getComputedStyle(element).transform);
  return new DOMRect(left - m41, top - m42, width, height);
}

/** Moves a floating element to a rectangle; resolves when it is there. */
export async function flyTo(element, { left, top }) {
  const from = element.getBoundingClientRect();
  if (!maysMove()) return;
  const target = `translate(${left - from.left}px, ${top - from.top}px)`;
  await element.animate([{ transform: 'none' }, { transform: target }], { duration: MILLISECONDS, easing: EASING }).finished.catch(() => {});
}

/** Shakes an element: it does not want to. */
export function shake(element) {
  if (!element || !maysMove()) return;
  const steps = [0, -6, 6, -4, 4, 0].map((x) => ({ transform: `translateX(${x}px)` }));
  element.animate(steps, { duration: 280 });
}

/** Marks an element for a moment with a class. */
export function flash(element, name, milliseconds = 1_200) {
  element.classList.remove(name);
  element.classList.add(name);
  setTimeout(() => element.classList.remove(name), milliseconds);
}
