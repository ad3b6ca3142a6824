/** Why an operation is refused, by the daemon or by the rules here (A3, E1). */
export class Refusal {
  /**
   * @param {string} reason the stable code, such as `RANK_MISMATCH`
   * @param {string} rule the path of the rule in the table type's document
   * @param {string} detail a sentence for people
   */
  constructor(reason, rule = '', detail = '') {
    this.reason = reason;
    this.rule = rule;
    this.detail = detail;
    Object.freeze(this);
  }
}

/** Ends a prediction: the outcome depends on what only the daemon knows. */
export const UNPREDICTABLE = new Refusal('UNPREDICTABLE');
