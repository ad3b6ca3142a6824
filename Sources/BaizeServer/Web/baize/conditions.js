/** G12: the conditions of rules. */

import { Refusal, UNPREDICTABLE } from './refusal.js';
import { canSee } from './visibility.js';

/** Checks conditions in order; one that would read a hidden face refuses the operation. */
export function check(request, conditions, context) {
  for (const { holds, reads, refusal, isBlind } of conditions) {
    for (const item of [reads.item && context.item, reads.below && context.below]) {
      if (!item || canSee(request.state, request.rules, item, request.seat)) continue;
      if (!isBlind) throw new Refusal('FACE_HIDDEN', refusal.rule, 'the rule depends on a hidden face');
      if (item.hidden) throw UNPREDICTABLE;
    }
    if (!holds(context)) throw refusal;
  }
}
