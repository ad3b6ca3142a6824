/** What a person can undo and do again: the own operations, the last one first. */

const OPERATIONS_MAX = 100;

export class History {
  #done = [];
  #undone = [];
  #table;
  #changed;

  constructor(table, changed) {
    this.#table = table;
    this.#changed = changed;
  }

  get canUndo() {
    return this.#done.length > 0;
  }

  get canRedo() {
    return this.#undone.length > 0;
  }

  /** Remembers an operation, until it turns out to have done nothing. */
  add(submission) {
    this.#undone = [];
    this.#remember(this.#done, submission);
  }

  #remember(stack, submission) {
    stack.push(submission);
    if (stack.length > OPERATIONS_MAX) stack.shift();
    submission.outcome.then(({ verdict }) => {
      if (verdict !== 'accepted' && stack.includes(submission)) stack.splice(stack.indexOf(submission), 1);
      this.#changed();
    });
    this.#changed();
  }

  /** Undoes the last operation; returns the submission. */
  undo() {
    return this.#reverse(this.#done, this.#undone);
  }

  redo() {
    return this.#reverse(this.#undone, this.#done);
  }

  #reverse(from, to) {
    const last = from.pop();
    if (!last) return undefined;
    const submission = this.#table.undo(last);
    if (!submission.refusal) this.#remember(to, submission);
    this.#changed();
    return submission;
  }
}
