/**
 * How a robot plays hearts: it passes what is dangerous, ducks under the best card of a trick, gives away points, and takes a trick
 * only where it costs nothing. It knows its own hand and what all see.
 */

const QUEEN = 12;
const TRICK = 4;

const isQueen = (card) => card.get('suit') === 'spades' && card.get('rank') === QUEEN;

/** How glad a player is to be rid of a card: the queen, what catches her, hearts from above, and then whatever is high. */
function dangerOf(card) {
  const [suit, rank] = [card.get('suit'), card.get('rank')];
  if (isQueen(card)) return 100;
  if (suit === 'spades') return rank > QUEEN ? 80 + rank : rank / 2;
  return suit === 'hearts' ? 30 + rank : rank * 2;
}

const byRank = (one, other) => one.card.get('rank') - other.card.get('rank');
const byDanger = (one, other) => dangerOf(one.card) - dangerOf(other.card);

/**
 * Chooses among the cards that may be played, `{ card }` each; `undefined` if there is none.
 *
 * @param phase the table's variable
 * @param trick the cards that have been played
 * @param led the suit that was led
 * @param best the rank that wins so far
 */
export function chooseHeart(moves, { phase, trick, led, best }) {
  if (phase !== 'play') return [...moves].sort(byDanger).at(-1);
  if (trick.length === 0) return lead(moves);
  const following = moves.filter(({ card }) => card.get('suit') === led).sort(byRank);
  if (following.length === 0) return [...moves].sort(byDanger).at(-1);
  const ducking = following.filter(({ card }) => card.get('rank') < best);
  // What is below the best card costs nothing: the queen first, then the highest.
  if (ducking.length > 0) return ducking.find(({ card }) => isQueen(card)) ?? ducking.at(-1);
  const isLast = trick.length === TRICK - 1;
  const harmless = following.filter(({ card }) => !isQueen(card));
  if (isLast || harmless.length === 0) return harmless.at(-1) ?? following[0];
  return harmless[0];
}

/** A low card, which others have to take; spades below the queen call her. */
function lead(moves) {
  const safe = moves.filter(({ card }) => !(card.get('suit') === 'spades' && card.get('rank') >= QUEEN));
  return [...(safe.length > 0 ? safe : moves)].sort(byRank)[0];
}
