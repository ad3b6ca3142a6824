/** Robots give way: at a full table the host's page gives a robot's seat, with its cards, to a person who asks for one. */

/** Of each table, the sessions that were given a seat and are still said to ask. */
const given = new WeakMap();

export function giveWay({ table, look }) {
  const { asking } = table.watching;
  const before = (given.get(table) ?? []).filter((one) => asking.includes(one));
  given.set(table, before);
  if (!table.isHost || table.connection !== 'live' || table.seats.length < look.seatsMax) return;
  const session = asking.find((one) => !before.includes(one));
  const robot = [...table.presences].filter(([, value]) => isRobot(value)).map(([one]) => table.seatOf(one)).findLast(Boolean);
  if (session === undefined || !robot) return;
  before.push(session);
  table.perform(`host/give/${robot.seat}/${session}`);
}

/** Whether a value of presence says so. Others may send anything. */
function isRobot(value) {
  try {
    return JSON.parse(new TextDecoder().decode(value)).robot === true;
  } catch {
    return false;
  }
}
