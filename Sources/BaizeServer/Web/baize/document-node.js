/** A value of a table type's document, with its path. Its readers throw a `DocumentError` if it has another form. */

/** A document that this library does not understand. */
export class DocumentError extends Error {
  constructor(detail, path) {
    super(path ? `${detail}, at ${path}` : detail);
    this.name = 'DocumentError';
  }
}

export class Node {
  constructor(json, path) {
    this.json = json;
    this.path = path;
  }

  mistake(detail) {
    return new DocumentError(detail, this.path);
  }

  get isObject() {
    return typeof this.json === 'object' && this.json !== null && !Array.isArray(this.json);
  }

  has(key) {
    return this.isObject && Object.hasOwn(this.json, key);
  }

  /** The members of an object with keys that the document's author chose. */
  members() {
    if (!this.isObject) throw this.mistake('no object');
    const members = new Map();
    for (const [key, json] of Object.entries(this.json)) {
      members.set(key, new Node(json, this.path ? `${this.path}.${key}` : key));
    }
    return members;
  }

  /**
   * The members of an object that has no other keys than these: an unknown key means a rule that this library does not know.
   */
  object(keys, depthMax = 0) {
    if (depthMax > 0) this.#checkDepth(this.json, depthMax);
    const members = this.members();
    for (const key of members.keys()) if (!keys.includes(key)) throw this.mistake(`the key ${key} is unknown`);
    members.node = this;
    members.require = (key) => {
      if (!members.has(key)) throw this.mistake(`the key ${key} is missing`);
      return members.get(key);
    };
    return members;
  }

  #checkDepth(json, depth) {
    if (typeof json !== 'object' || json === null) return;
    if (depth === 0) throw this.mistake('a document that is nested too deep');
    for (const part of Object.values(json)) this.#checkDepth(part, depth - 1);
  }

  list(count) {
    if (!Array.isArray(this.json) || (count !== undefined && this.json.length !== count)) throw this.mistake('no list');
    return this.json.map((json, index) => new Node(json, `${this.path}[${index}]`));
  }

  text() {
    if (typeof this.json !== 'string') throw this.mistake('no text');
    return this.json;
  }

  boolean() {
    if (typeof this.json !== 'boolean') throw this.mistake('neither true nor false');
    return this.json;
  }

  integer() {
    if (!Number.isSafeInteger(this.json)) throw this.mistake('no whole number');
    return this.json;
  }

  /** A number or a text. */
  value() {
    return typeof this.json === 'string' ? this.json : this.integer();
  }

  word(...words) {
    if (!words.includes(this.json)) throw this.mistake(`none of ${words.join(', ')}`);
    return this.json;
  }
}

/** Returns a function of the acting seat to what `find` gives for a name in which `{seat}` stands for that seat. */
export function names(node, find) {
  const name = node.text();
  if (!name.includes('{seat}')) {
    const found = find(name);
    return () => found;
  }
  return (seat) => find(name.replaceAll('{seat}', String(seat)));
}
