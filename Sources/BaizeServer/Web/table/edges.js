/**
 * Scrolling while something is carried to an edge: of the column below the pointer up and down, of the table to all sides. It goes
 * on while the pointer rests, faster the nearer it is to the edge and the longer it has been there.
 */

const EDGE = 56;
/** In pixels per millisecond. */
const SPEED_MAX = 1.4;
const RAMP_MILLISECONDS = 900;
const FRAME_MILLISECONDS_MAX = 50;

export class EdgeScroller {
  #frame;
  #areas;
  #at;
  #last;
  #since;

  /** @param areas returns the elements that may scroll where the pointer is, `{ element, isAcross, isDown }` each */
  constructor(areas) {
    this.#areas = areas;
  }

  /** The pointer is at a point. */
  move(x, y) {
    this.#at = { x, y };
    this.#frame ??= requestAnimationFrame((time) => this.#step(time));
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    this.#frame = this.#last = this.#since = undefined;
  }

  #step(time) {
    const elapsed = Math.min(FRAME_MILLISECONDS_MAX, time - (this.#last ?? time));
    this.#last = time;
    const pushes = this.#areas().map((area) => ({ ...area, ...this.#push(area) }));
    const isAtEdge = pushes.some(({ x, y }) => x !== 0 || y !== 0);
    this.#since = isAtEdge ? (this.#since ?? time) : undefined;
    const ramp = isAtEdge ? Math.min(1, 0.2 + (time - this.#since) / RAMP_MILLISECONDS) : 0;
    for (const { element, x, y } of pushes) element.scrollBy(x * SPEED_MAX * ramp * elapsed, y * SPEED_MAX * ramp * elapsed);
    this.#frame = requestAnimationFrame((next) => this.#step(next));
  }

  /** Returns how far an area is pushed in each direction, from -1 to 1. */
  #push({ element, isAcross, isDown }) {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const { x, y } = this.#at;
    return { x: isAcross ? push(x, left, right) : 0, y: isDown ? push(y, top, bottom) : 0 };
  }
}

/** Half of a small area is no edge. */
function push(at, start, end) {
  const edge = Math.min(EDGE, (end - start) / 4);
  if (edge <= 0) return 0;
  const depth = Math.max(0, Math.min(1, (start + edge - at) / edge)) - Math.max(0, Math.min(1, (at - end + edge) / edge));
  return -Math.sign(depth) * depth * depth;
}
