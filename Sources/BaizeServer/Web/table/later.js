/** What is loaded when it is needed first: cards that open, robots, for whom they give way, rules, and what the operator offers. `Tests/bundle.py` makes one file of it. */

export { openCard } from './card.js';
export { giveWay } from './giving.js';
export { ownTypes } from './own-types.js';
export { Robots } from './robots.js';
export { openRules } from './rules.js';
