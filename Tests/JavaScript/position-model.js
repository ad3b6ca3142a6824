/**
 * A daemon of one list as simply as the rules of positions can be said (N1–N5): an array of positions, every search a scan. It keeps
 * everything for ever. Its table has room for so many items; beyond that it refuses.
 */

const PROVISIONAL = 2 ** 52;
const LOST = Symbol('lost');

export class PositionModel {
  constructor(items, capacity = Infinity) {
    this.revision = 0;
    this.capacity = capacity;
    this.nextID = Math.max(...items) + 1;
    this.list = items.map((item) => ({ item, session: 0, placed: 0, run: 0, vacated: Infinity }));
    this.sessions = new Map();
  }

  get items() {
    return this.list.filter(({ vacated }) => vacated === Infinity).map(({ item }) => item);
  }

  /** Judges an operation; returns `{ diff }` or `{ outcome }`. */
  judge(session, op) {
    if (!this.sessions.has(session)) this.sessions.set(session, { next: 1, entries: new Map(), ids: new Map() });
    const author = this.sessions.get(session);
    const retry = (reason) => ({ outcome: { seq: op.seq, verdict: 3, reason } });
    if (op.seq !== author.next) return retry('STALE_BASE');
    const entry = { op, puts: new Map(), taken: [], verdict: 'accepted' };
    const request = { session, author, op, entry, base: op.baseRevision };
    const result = this.carryOut(request);
    if (result === LOST) return retry('NOT_PLACED');
    author.next += 1;
    author.entries.set(op.seq, entry);
    if (Array.isArray(result)) entry.revision = this.revision;
    if (Array.isArray(result)) return { diff: { revision: this.revision, author: session, seq: op.seq, minted: [], changes: result, operation: 0, ...entry.diff } };
    entry.verdict = result;
    return { outcome: { seq: op.seq, verdict: result === 'unchanged' ? 1 : 0, reason: result === 'unchanged' ? '' : result, revision: this.revision } };
  }

  carryOut(request) {
    const { reorder, insert, remove, undo } = request.op;
    if (undo) return this.undo(request, undo.seq);
    if (remove) return this.remove(request, remove.items.map((id) => this.known(request, id)));
    request.sources = (reorder?.sources ?? []).map((id) => this.known(request, id));
    if (request.sources.some((id) => !this.items.includes(id))) return 'CONTENDED';
    const gap = this.gap(request, (reorder ?? insert).destination);
    if (gap === LOST || gap === undefined) return gap ?? 'ANCHOR_GONE';
    const place = this.place(gap, request.session, request.base);
    if (reorder) return this.move(request, place);
    if (this.items.length + insert.items.length > this.capacity) return 'CAPACITY_EXCEEDED';
    return this.insert(request, place, insert.items.length);
  }

  known({ author }, id) {
    return author.ids.get(id) ?? id;
  }

  // ---- N2

  /** Returns the indices of the positions around the gap: −1 for the start, the count for the end. */
  gap(request, { before, after, start, beforeBy, afterBy }) {
    const { list } = this;
    let left = start ? -1 : after ? this.named(request, after, afterBy) : undefined;
    let right = before ? this.named(request, before, beforeBy) : list.length;
    if (left === LOST || right === LOST) return LOST;
    if (left === undefined && right === undefined) return undefined;
    if (right === undefined) return { left, right: left + 1 };
    if (before === 0 && left !== undefined) right = this.seen({ ...request, isBaseAlone: true }, left, 1);
    if (left === undefined || left >= right) left = this.seen(request, right, -1);
    return { left, right };
  }

  named(request, name, number) {
    const { session, author, op, base } = request;
    const item = this.known(request, name);
    const pending = (seq) => (seq < op.seq && seq >= op.seq - op.unanswered ? author.entries.get(seq) : undefined);
    if (item >= PROVISIONAL) return pending(Math.floor((item - PROVISIONAL) / 4096)) ? LOST : undefined;
    const atBase = this.list.find((one) => one.item === item && one.placed <= base && one.vacated > base);
    const entry = pending(number);
    if (entry && (entry.op.insert || entry.op.reorder)) return entry.puts.has(item) ? this.standing(entry.puts.get(item)) : LOST;
    const since = this.list.filter((one) => one.item === item && one.placed > base).sort((one, other) => other.placed - one.placed);
    const own = number === 0 ? undefined : since.find((one) => this.dropsOf(request).includes(one.placed));
    if (own) return own.takenBy === session ? undefined : this.standing(own);
    if (!this.items.includes(item) && (since[0] ?? atBase)?.takenBy === session) return undefined;
    return atBase && this.standing(atBase);
  }

  standing(position) {
    return position.successor ? this.standing(position.successor) : this.list.indexOf(position);
  }

  /** Returns the revisions of the author's pending drops. */
  dropsOf({ author, op }) {
    const pending = [...author.entries.values()].filter((one) => one.op.seq < op.seq && one.op.seq >= op.seq - op.unanswered);
    return pending.filter((one) => one.op.insert || one.op.reorder).map(({ revision }) => revision);
  }

  /** Returns the nearest position in a direction that the author saw occupied by an item that is no source. */
  seen(request, index, step) {
    const { session, base, sources, isBaseAlone = false } = request;
    const own = isBaseAlone ? [] : this.dropsOf(request);
    for (let next = index + step; next >= 0 && next < this.list.length; next += step) {
      const { item, placed, vacated } = this.list[next];
      const isThere = placed <= base || own.includes(placed);
      // By the author's own operation, wherever others had put it.
      const isAway = this.list.some((one) => one.item === item && one.takenBy === session && one.vacated >= vacated);
      const isLeft = vacated <= base || isAway;
      if (isThere && !isLeft && !sources.includes(item)) return this.standing(this.list[next]);
    }
    return step < 0 ? -1 : this.list.length;
  }

  // ---- N3, N4

  /** Returns the index at which a block is inserted. */
  place({ left, right }, session, base) {
    const { list } = this;
    if (list[left]?.session === session) return left + 1;
    if (list[right]?.session === session) return right;
    const inside = list.slice(Math.max(left, 0), right + 1);
    const isBeside = ({ run, vacated }) => run && run === list[right]?.run && vacated > base;
    if (!inside.some((one) => one !== list[right] && isBeside(one))) return right;
    const isAcross = (place) => (run) => {
      const [first, last] = [inside.findIndex((one) => one.run === run), inside.findLastIndex((one) => one.run === run)];
      return Math.max(left, 0) + first < place && Math.max(left, 0) + last >= place;
    };
    const runs = [...new Set(inside.map(({ run }) => run).filter(Boolean))];
    let [best, fewest] = [right, Infinity];
    for (let place = right; place > left; place--) {
      const count = runs.filter(isAcross(place)).length;
      if (count < fewest) [best, fewest] = [place, count];
    }
    return best;
  }

  // ---- N1

  vacate(items, session) {
    return items.map((item) => {
      const position = this.list.find((one) => one.item === item && one.vacated === Infinity);
      Object.assign(position, { vacated: this.revision, takenBy: session });
      return position;
    });
  }

  put(items, place, session) {
    const around = [this.list[place - 1], this.list[place]];
    const run = around.find((one) => one?.session === session && one.run)?.run ?? this.revision;
    const made = items.map((item) => ({ item, session, placed: this.revision, run, vacated: Infinity }));
    this.list.splice(place, 0, ...made);
    return made;
  }

  /** Describes where a block stands. */
  destination(last) {
    const behind = this.list.slice(this.list.indexOf(last) + 1);
    const count = behind.findIndex(({ vacated }) => vacated === Infinity);
    const [gone] = behind.slice(0, count < 0 ? behind.length : count);
    return { collection: 1, before: behind[count]?.item ?? 0, gone: gone?.item ?? 0, goneRevision: gone?.vacated ?? 0 };
  }

  move({ session, sources, entry }, place) {
    const indices = sources.map((item) => this.list.findIndex((one) => one.item === item && one.vacated === Infinity));
    const isBlock = indices.every((index, k) => index === indices[0] + k && this.list[index].session === session);
    if (isBlock && (place === indices[0] || place === indices.at(-1) + 1)) {
      indices.forEach((index) => entry.puts.set(this.list[index].item, this.list[index]));
      return 'unchanged';
    }
    this.revision += 1;
    entry.taken = this.vacate(sources, session);
    const made = this.put(sources, place, session);
    for (const one of made) entry.puts.set(one.item, one);
    entry.diff = { operation: 2 };
    return [{ moved: { items: sources, destination: this.destination(made.at(-1)) } }];
  }

  insert({ session, author, op, entry }, place, count) {
    this.revision += 1;
    const ids = Array.from({ length: count }, () => (this.nextID += 1));
    ids.forEach((id, k) => author.ids.set(PROVISIONAL + op.seq * 4096 + k, id));
    const made = this.put(ids, place, session);
    for (const one of made) entry.puts.set(one.item, one);
    entry.diff = { minted: ids };
    return [{ inserted: { items: ids.map((id) => ({ id, collection: 1 })), destination: this.destination(made.at(-1)) } }];
  }

  remove({ session, entry }, items) {
    if (items.some((id) => !this.items.includes(id))) return 'CONTENDED';
    this.revision += 1;
    entry.taken = this.vacate(items, session);
    entry.diff = { operation: 8 };
    return [{ removed: { items } }];
  }

  // ---- N5

  undo({ session, author }, target) {
    const entry = author.entries.get(target);
    const stands = (item) => this.list[this.standing(entry.puts.get(item))].vacated === Infinity;
    const isThere = entry && entry.verdict === 'accepted' && !entry.op.undo && !entry.isUndone
      && [...entry.puts.keys()].every(stands) && entry.taken.every(({ item }) => entry.puts.has(item) || !this.items.includes(item));
    if (!isThere) return 'UNDO_TOO_LATE';
    entry.isUndone = true;
    this.revision += 1;
    const made = [...entry.puts.keys()].filter((item) => !entry.taken.some((one) => one.item === item));
    const changes = made.length > 0 ? [{ removed: { items: made } }] : [];
    this.vacate(made, session);
    // From behind, so that each has its anchor.
    const back = entry.taken.map((left) => this.list[this.standing(left)]);
    back.sort((one, other) => this.list.indexOf(other) - this.list.indexOf(one));
    for (const from of back) {
      const { item } = from;
      if (entry.puts.has(item)) this.vacate([item], session);
      from.successor = { item, session: from.session, placed: this.revision, run: from.run, vacated: Infinity };
      this.list.splice(this.list.indexOf(from) + 1, 0, from.successor);
      const destination = this.destination(from.successor);
      if (entry.puts.has(item)) changes.push({ moved: { items: [item], destination } });
      else changes.push({ inserted: { items: [{ id: item, collection: 1 }], destination } });
    }
    return changes;
  }
}
