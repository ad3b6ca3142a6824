/** What is loaded when it is needed first: cards that open, robots, for whom they give way, and rules. `Tests/bundle.py` makes one file of it. */

export { openCard } from './card.js';
export { giveWay } from './giving.js';
export { Robots } from './robots.js';
export { openRules } from './rules.js';
