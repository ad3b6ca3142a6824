/** Ticks, for pages in the background: browsers let their timers wait for a minute, and not those of workers. */

const TICK_MILLISECONDS = 2_000;

setInterval(() => postMessage(null), TICK_MILLISECONDS);
