/**
 * Keeps the connection of a page in the background: its own timers may wait for a minute, after which the daemon would take it for gone.
 */

/** In the background the daemon is asked this long after it was heard last, in milliseconds. */
const QUIET_MILLISECONDS = 5_000;

/** Asks while the page is hidden; returns a function that ends that. Nothing is loaded for it before. */
export function keepAwake(table) {
  let worker;
  const show = () => {
    if (worker || !document.hidden || typeof Worker !== 'function') return;
    worker = new Worker(new URL('pulse-worker.js', import.meta.url));
    worker.onmessage = () => document.hidden && table.quietFor >= QUIET_MILLISECONDS && table.probe();
  };
  document.addEventListener('visibilitychange', show);
  show();
  return () => {
    document.removeEventListener('visibilitychange', show);
    worker?.terminate();
  };
}
