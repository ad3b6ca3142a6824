/**
 * Keeps the connection of a page in the background: its own timers may wait for a minute, after which the daemon would take it for gone.
 */

/** In the background the daemon is asked this long after it was heard last, in milliseconds. */
const QUIET_MILLISECONDS = 5_000;

/** Begins to ask while the page is hidden; returns a function that ends that. */
export function keepAwake(table) {
  if (typeof Worker !== 'function') return () => {};
  const worker = new Worker(new URL('pulse-worker.js', import.meta.url));
  worker.onmessage = () => document.hidden && table.quietFor >= QUIET_MILLISECONDS && table.probe();
  return () => worker.terminate();
}
