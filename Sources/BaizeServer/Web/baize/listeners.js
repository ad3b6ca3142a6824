/** The listeners of an app, and the events that wait to be told: an app may call the client while it hears of one. */

export class Listeners {
  #listeners = new Map();
  #queue = [];
  #isTelling = false;

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

  /** Tells the events that wait, in order, those that come meanwhile included. */
  flush(tell) {
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      while (this.#queue.length > 0) tell(...this.#queue.shift());
    } finally {
      this.#isTelling = false;
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

/** A mistake of the app: told where such mistakes are told, and not here. */
function report(error) {
  if (typeof globalThis.reportError === 'function') return globalThis.reportError(error);
  return queueMicrotask(() => {
    throw error;
  });
}
