/** An app's listeners, and the queue of events for them: a listener may call the client while an event is delivered. */

export class Listeners {
  #listeners = new Map();
  #queue = [];
  #isFlushing = false;

  /** Adds a listener, and returns a function that removes it. */
  add(name, listener) {
    if (!this.#listeners.has(name)) this.#listeners.set(name, new Set());
    this.#listeners.get(name).add(listener);
    return () => void this.#listeners.get(name).delete(listener);
  }

  /** Keeps an event until `flush`. */
  queue(name, detail) {
    this.#queue.push([name, detail]);
  }

  /** Delivers the queued events in order, including those that are queued meanwhile. */
  flush(deliver) {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    try {
      while (this.#queue.length > 0) deliver(...this.#queue.shift());
    } finally {
      this.#isFlushing = false;
    }
  }

  emit(name, detail) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        listener(detail);
      } catch (error) {
        report(error);
      }
    }
  }
}

/** Reports an error of the app where uncaught errors are reported; the client continues. */
function report(error) {
  if (typeof globalThis.reportError === 'function') return globalThis.reportError(error);
  return queueMicrotask(() => {
    throw error;
  });
}
