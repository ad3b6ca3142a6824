/** G12: the conditions of rules. */

import { Refusal, UNPREDICTABLE } from './refusal.js';
import { canSee } from './visibility.js';

/** Refuses to count items by faces that the author may not see. */
function checkCounted({ state, rules, seat }, counted, { rule }, isBlind) {
  if (!counted || (counted.hiddenCount === 0 && counted.items.every((item) => canSee(state, rules, item, seat)))) return;
  if (!isBlind) throw new Refusal('FACE_HIDDEN', rule, 'the rule depends on a hidden face');
  // The count itself finds out whether they are known here.
}

/** Checks conditions in order; one that would read a hidden face refuses the operation. */
export function check(request, conditions, context) {
  for (const { holds, reads, refusal, isBlind } of conditions) {
    for (const item of [reads.item && context.item, reads.below && context.below]) {
      if (!item || canSee(request.state, request.rules, item, request.seat)) continue;
      if (!isBlind) throw new Refusal('FACE_HIDDEN', refusal.rule, 'the rule depends on a hidden face');
      if (item.hidden) throw UNPREDICTABLE;
    }
    for (const counted of reads.counts) checkCounted(request, counted(context), refusal, isBlind);
    if (!holds(context)) throw refusal;
  }
}
