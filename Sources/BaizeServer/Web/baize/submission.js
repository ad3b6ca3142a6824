/** An operation that the app has submitted: its effect at once, and the daemon's answer when it arrives. */

import { keepsSources } from './drop.js';
import { provisional } from './pending.js';

export class Submission {
  #op;
  #sessionsLost;
  #resolve;
  #made;

  constructor(op, sessionsLost) {
    this.#op = op;
    this.#sessionsLost = sessionsLost;
    /** What the local rules predict: `shown`, `unchanged`, or `unknown` where only the daemon can judge. */
    this.prediction = op.prediction;
    /** The refusal by the local rules; `undefined` if the operation was submitted. */
    this.refusal = undefined;
    /** Resolves to the answer: `{ verdict: 'accepted' | 'unchanged' | 'refused' | 'unknown', … }`. It never rejects. */
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const count = op.kind === 'insert' ? op.body.items.length : keepsSources(op.prediction.operation) ? op.body.sources.length : 0;
    this.#made = Array.from({ length: count }, (_, k) => provisional(op.seq, k));
  }

  /** Returns a submission that was refused here, and not sent. */
  static refused(refusal) {
    const op = { seq: 0, epoch: 0, kind: '', prediction: { outcome: 'refused', refusal } };
    const submission = new Submission(op, 0);
    submission.refusal = refusal;
    const { reason, rule, detail } = refusal;
    submission.settle({ verdict: 'refused', reason, rule, detail });
    return submission;
  }

  /** The provisional ids of the items that it makes. They stay good after the answer. */
  get createdItems() {
    return this.#made;
  }

  /** Returns the number of the operation, for an undo; 0 if its number means another operation by now. */
  numberAt(sessionsLost, epoch) {
    return this.#sessionsLost === sessionsLost && this.#op.epoch === epoch ? this.#op.seq : 0;
  }

  settle(answer) {
    this.#resolve(answer);
  }
}
