/** Baize for JavaScript: shared tables of reorderable items. */

/** The value of an attribute: a whole number (a BigInt where a number cannot hold it) or a text. */
export type AttributeValue = number | bigint | string;

/** Attributes by name. In an update `null` deletes one. */
export type Attributes = Map<string, AttributeValue | null> | { [name: string]: AttributeValue | null };

/** One form of an item's content, as a drag would offer it. */
export interface Representation {
  contentType: string;
  data: Uint8Array;
}

/** An item, or its id. The provisional ids of new items are ids, too. */
export type ItemReference = Item | number;

/**
 * A gap in a collection: before an item, or at the end. `after` is the item that the app shows in front of it, where that is not the
 * nearest one: a list that leaves some items out.
 */
export type Destination =
  | string
  | { collection: string | Collection; before?: ItemReference | null; after?: ItemReference | null }
  /** The collection that an item opens, also of an item that a pending operation makes: a column and its first card are sent together. */
  | { container: ItemReference; before?: ItemReference | null; after?: ItemReference | null };

/** A new item. The data of a representation may be a text, which stands for its UTF-8. */
export interface NewItem {
  attributes?: Attributes;
  representations?: Iterable<{ contentType: string; data: Uint8Array | string }>;
}

export type DropOperation = 'move' | 'copy' | 'alias' | 'delete';

/** An item with its face. It never changes: a new face makes a new `Item`. */
export class Item {
  private constructor();
  /** The daemon's id, or a provisional one until the operation that makes the item is answered. */
  readonly id: number;
  /** A text that stays the same when the id becomes the daemon's: the key of a list in a user interface. */
  readonly key: string;
  /** Whether this viewer may not see the face. */
  readonly hidden: boolean;
  readonly pinned: boolean;
  /** Whether the item was face up before the rule of its collection; for what is shown, `hidden` counts. */
  readonly faceUp: boolean;
  /** The handle of the collection that the item opens; 0 for most items. */
  readonly opens: number;
  /** The id of the item that this one is an alias of, whose face it has; 0 for an item of its own. */
  readonly aliasOf: number;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  /** Most preferred first. */
  readonly representations: readonly Representation[];
  /** Returns an attribute; `undefined` if the item has none of that name. */
  get(name: string): AttributeValue | undefined;
}

/** A collection as it is now. Ask for it again after a change. */
export interface Collection {
  readonly id: string;
  readonly handle: number;
  readonly enabled: boolean;
  /** The number of items, also where this viewer does not receive the items. */
  readonly count: number;
  readonly items: readonly Item[];
  /** The id of the item that opens it; `undefined` for a collection of the table type's own. */
  readonly item: number | undefined;
  /** The seat that owns it; 0 for none. */
  readonly owner: number;
}

export interface Seat {
  readonly seat: number;
  readonly name: string;
  /** Who has it, by the number of that one's first session; 0 for nobody, where a hand was left. */
  readonly person: number;
  /** The person's sessions that are connected: one for each device or tab. */
  readonly sessions: readonly number[];
  readonly connected: boolean;
  /** Whether it is kept for a player who has been away for longer than the grace time: turns pass over it. */
  readonly absent: boolean;
}

/** Why an operation is refused, by the daemon or by the rules here. */
export class Refusal {
  constructor(reason: string, rule?: string, detail?: string);
  /** The stable code, such as `RANK_MISMATCH`. */
  readonly reason: string;
  /** The path of the rule in the table type's document; empty if no rule was involved. */
  readonly rule: string;
  /** A sentence for people. */
  readonly detail: string;
}

/** The daemon's answer to an operation. */
export type Answer =
  | {
      readonly verdict: 'accepted';
      readonly revision: number;
      /** What the drop did; empty if it was none, or if the answer was repeated after a lost connection. */
      readonly operation?: DropOperation | '';
      /** Whether others moved first, and the gap was carried along. */
      readonly rebased?: boolean;
      /** Whether the rules chose another destination. */
      readonly redirected: boolean;
      /** The ids of the items that it made, in the order asked for; 0 for those that were not accepted. */
      readonly minted: readonly number[];
    }
  | { readonly verdict: 'unchanged'; /** The invite that a host asked for; a secret. */ readonly invite?: string }
  | { readonly verdict: 'refused'; readonly reason: string; readonly rule: string; readonly detail: string }
  /** The session ended first: it may have had its effect, and is never sent again. */
  | { readonly verdict: 'unknown' };

/** What the local rules predict of an operation. */
export interface Prediction {
  /** `unknown`: only the daemon can judge it, and nothing is shown until it answers. */
  readonly outcome: 'shown' | 'unchanged' | 'unknown' | 'refused';
  readonly operation?: DropOperation | '';
  readonly isRedirected?: boolean;
  readonly accepted?: number;
  readonly refusal?: Refusal;
}

/** An operation that was submitted: its effect at once, and the daemon's answer when it arrives. */
export class Submission {
  private constructor();
  readonly prediction: Prediction;
  /** The refusal by the local rules; `undefined` if the operation was submitted. */
  readonly refusal: Refusal | undefined;
  /** Never rejects. By the time of a refusal the operation is rolled back. */
  readonly outcome: Promise<Answer>;
  /** The provisional ids of the items that it makes, in order. They stay good after the answer. */
  readonly createdItems: readonly number[];
}

/** The rules' verdict on a drop. */
export type DropConfiguration =
  | {
      readonly operation: DropOperation;
      /** Where the items land instead, if the rules choose another destination; `before` is 0 for the end. */
      readonly destination: { readonly collection: string; readonly before: number } | undefined;
      /** The number of items that are accepted, from the first. */
      readonly accepted: number;
    }
  | { readonly operation: 'forbidden'; readonly refusal: Refusal }
  /** Only the daemon can judge it. */
  | { readonly operation: 'unknown' };

/** A drag of another participant; with `refused`, an own one that the daemon did not show to others. */
export interface Drag {
  readonly session: number;
  readonly phase: 'began' | 'moved' | 'ended' | 'cancelled';
  readonly items: readonly number[];
  readonly over: { readonly collection: string; readonly before: number } | undefined;
  readonly formation: Formation;
  /** Thousandths of the table's width and height. */
  readonly x: number;
  readonly y: number;
  readonly refused: boolean;
}

/** A message to the table. It is not kept: who is not connected misses it. */
export interface Chat {
  readonly session: number;
  /** What the app calls this kind of message, such as `emote`; empty for a text for people. */
  readonly kind: string;
  /** As its author sent it: show it with `textContent`. */
  readonly text: string;
  /** The code of the reason why nobody else received an own one; else empty. */
  readonly refused: string;
}

/** The arrangement of the previews of a drag; empty for the receiver's default. */
export type Formation = '' | 'list' | 'none' | 'pile' | 'stack';

/** A visible change: what has to be drawn anew. Draw in `requestAnimationFrame`, as several may come at once. */
export interface Change {
  /** At least the items that were changed in any way, by their ids. */
  readonly items: ReadonlySet<number>;
  /** The names of at least the collections whose items have changed. */
  readonly collections: ReadonlySet<string>;
  /** The ids that have become others: the new ones by the old. */
  readonly renamed: ReadonlyMap<number, number>;
  /** Whether everything may have changed. */
  readonly reloaded: boolean;
  /** The operation that the daemon accepted; `undefined` if it was none. `author` is a session. */
  readonly cause:
    | { readonly author: number; readonly seq: number; readonly revision: number; readonly operation: DropOperation | ''; readonly rebased: boolean; readonly redirected: boolean }
    | undefined;
}

/** The state of the connection: `reconnecting` is the client's own business, and operations are kept meanwhile. */
export type ConnectionState = 'joining' | 'live' | 'reconnecting' | 'ended';

export interface Events {
  change: Change;
  /** An operation of this client was answered. `submission` is `undefined` for one that a store has brought back. */
  answer: Answer & { readonly submission: Submission | undefined };
  connection: { readonly connection: ConnectionState; readonly reason: string; readonly detail: string };
  drag: Drag;
  /** Who is connected has changed, or a value of presence: see `seats` and `presences`. */
  presence: undefined;
  /** A message to the table, an own one included. */
  chat: Chat;
  /** A time begins, pauses or stops, or is up: see `timeLeft`. `seat` had the turn when it was up; 0 for none. */
  time: { readonly up: 'turn' | 'table' | ''; readonly seat: number };
  /** The copy differed from the daemon's state, for the reason given, and is replaced. */
  diverged: string;
  /** What came over a connection cannot be right; the client connects again. Or the session could not be stored. */
  error: unknown;
  /** The table is left or closed to this client: the last event. `reason` is the goodbye's code. */
  end: { readonly reason: string; readonly detail: string };
}

/**
 * Where a session is kept. The text holds secrets: anyone who has it can take over the seat. `close`, if there is one, is called when
 * the client uses the store no more.
 */
export interface SessionStore {
  load(): string | undefined | null | Promise<string | undefined | null>;
  save(text: string): void | Promise<void>;
  clear(): void | Promise<void>;
  /** Returns the credential that all sessions of the store share, as a text: the given one if there was none. */
  credential?(made: string): string | Promise<string>;
  close?(): void;
}

/**
 * Keeps sessions in `localStorage`, one for each tab that is open at the table: a tab that is closed leaves its session to the next
 * one, and no tab takes over that of another. The default in browsers.
 */
export class BrowserSessionStore implements SessionStore {
  constructor(key: string, parts?: { storage?: Storage; tab?: Storage });
  load(): Promise<string | undefined>;
  save(text: string): void;
  clear(): void;
  credential(made: string): string;
  close(): void;
}

/** Keeps a session as long as the process runs. The default elsewhere. */
export class MemorySessionStore implements SessionStore {
  load(): string | undefined;
  save(text: string): void;
  clear(): void;
}

/** What a client needs of a WebSocket: the binary messages are those of the protocol. */
export interface WebSocketLike {
  binaryType: string;
  readonly readyState: number;
  onopen: ((event: any) => any) | null;
  onmessage: ((event: any) => any) | null;
  onerror: ((event: any) => any) | null;
  onclose: ((event: any) => any) | null;
  send(data: Uint8Array): void;
  close(): void;
}

export interface JoinOptions {
  /** The table's name: 1 to 64 characters of A–Z a–z 0–9 . _ - */
  table: string;
  /** The type to create the table with if it does not exist: a name, with options after `?`. */
  type?: string;
  /** The participant's name, visible to others. */
  name?: string;
  /** `waiting` takes a seat, or watches if all are taken, and then asks for one: see `watching`. */
  role?: 'player' | 'spectator' | 'waiting';
  invite?: string;
  /**
   * Returns a signed token of the app's back end, where the daemon asks for one. It is called for each connection, and before the
   * connection's token expires, so that none is shown again that has expired. If it fails, `error` has the reason, and the client tries
   * again.
   */
  token?: () => string | Promise<string>;
  /** A repeatable shuffle, where the daemon allows it. */
  seed?: number | bigint;
  store?: SessionStore;
  /** The time to wait for the table, in milliseconds; 10,000 by default. */
  timeout?: number;
  /**
   * Returns what this browser saw last of the table, which `saveSeen` gave. It is asked once, if the daemon cannot be reached or takes
   * longer than 3 seconds: if it is shown then, with what waits to be sent, the table is joined, `seenAt` is set, and every operation is
   * refused (`NOT_JOINED`) until the daemon's state is there.
   */
  lastSeen?: () => Promise<{ readonly at: number; readonly messages: readonly Uint8Array[] } | undefined>;
  /** Needed where there is no global one. */
  WebSocket?: new (url: string) => WebSocketLike;
}

/**
 * A table could not be joined. `reason` is the goodbye's code, also of one that asked to wait until the time was over, `TIMEOUT` or
 * `BAD_ADDRESS`.
 */
export class JoinError extends Error {
  constructor(reason: string, detail?: string);
  readonly reason: string;
  /** A sentence for people, or nothing. */
  readonly detail: string;
}

/** The address of a daemon's WebSocket. */
export type Address = string | URL;

/** A table: what it shows, what its user does, and what the rules say. Only `join` makes one. */
export class TableClient {
  private constructor();
  static join(url: Address | readonly Address[], options: JoinOptions): Promise<TableClient>;

  /** Calls a listener for each event; returns a function that ends that. */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void;

  readonly connection: ConnectionState;
  /** A number that grows with every visible change. */
  readonly version: number;
  /** The table type, with the value of each of its options; `document` is its JSON. `undefined` before the welcome. */
  readonly type: { readonly name: string; readonly title: string; readonly options: ReadonlyMap<string, AttributeValue>; readonly document: string } | undefined;
  /** Whether the table type's rules are understood here. Without them the daemon alone decides. */
  readonly hasRules: boolean;
  readonly collections: readonly Collection[];
  collection(id: string | number): Collection | undefined;
  item(item: ItemReference): Item | undefined;
  /** The item with a key, where the table type names an attribute that is the items' key. */
  itemForKey(key: AttributeValue): Item | undefined;
  locate(item: ItemReference): { readonly collection: string; readonly index: number } | undefined;
  /** `open`, or the result with which the game ended. */
  readonly status: string;
  readonly variables: ReadonlyMap<string, AttributeValue>;
  /** The last revision of the daemon's that is applied here. */
  readonly revision: number;
  /** The number of operations that wait for their answers. */
  readonly pendingCount: number;
  /** When the first of them was submitted, by `performance.now()`; `undefined` if none waits, or if a store has brought it back. */
  readonly pendingSince: number | undefined;
  /** The ids of the items that they are about. */
  readonly pendingItems: ReadonlySet<number>;
  /** The code of the reason why the daemon lets them wait, such as `STORAGE`; empty if it has named none. */
  readonly retryReason: string;
  /** The time since the daemon's last message, in milliseconds. */
  readonly quietFor: number;
  /** When what is shown was seen, by `Date.now()`, if it is what was seen last; `undefined` if it is the daemon's. */
  readonly seenAt: number | undefined;
  /**
   * Returns what `lastSeen` is to give back some day, message by message: the state as this viewer sees it now, without secrets. Each
   * message takes a little time when it is asked for. `undefined` if the table is not live.
   */
  saveSeen(): Iterable<Uint8Array> | undefined;
  readonly session: number;
  /** The person whose session this is, by the number of that one's first session. */
  readonly person: number;
  /** 0 for a spectator. */
  readonly seat: number;
  readonly seats: readonly Seat[];
  /** Returns the seat of a session's person, such as the author of a change; `undefined` if there is none. */
  seatOf(session: number): Seat | undefined;
  readonly isHost: boolean;
  /** The last invite for players that this client received, as creator or host; empty if none. A secret. */
  readonly invite: string;
  readonly drags: readonly Drag[];

  /**
   * Moves or copies items to a gap, in this order. `operations` are those that the drag offers; none for all. `force` sends what the
   * local rules refuse. A move to where the items are shown already is not sent: its verdict is `unchanged`.
   */
  reorder(items: Iterable<ItemReference> | ItemReference, destination: Destination, options?: { operations?: DropOperation | DropOperation[]; force?: boolean }): Submission;
  insert(items: NewItem | NewItem[], destination: Destination, options?: { force?: boolean }): Submission;
  remove(items: Iterable<ItemReference> | ItemReference, options?: { force?: boolean }): Submission;
  update(item: ItemReference, change: { attributes?: Attributes; representations?: NewItem['representations']; force?: boolean }): Submission;
  /** Performs an action of the table type, such as `draw`, or one of the host's, such as `host/freeze`. */
  perform(action: string, items?: Iterable<ItemReference> | ItemReference, options?: { collection?: string | Collection; force?: boolean }): Submission;
  /** Undoes one of this client's operations, unless others have touched its items since. */
  undo(submission: Submission): Submission;

  dropConfiguration(items: Iterable<ItemReference> | ItemReference, destination: Destination, options?: { operations?: DropOperation | DropOperation[] }): DropConfiguration;
  /** The collections that would accept the items at their end. */
  legalDestinations(items: Iterable<ItemReference> | ItemReference, options?: { operations?: DropOperation | DropOperation[] }): { readonly collection: string; readonly configuration: DropConfiguration }[];
  /** Returns why items may not be lifted together at present; `undefined` if they may, or if only the daemon knows. */
  refusalToLift(items: Iterable<ItemReference> | ItemReference): Refusal | undefined;
  /**
   * Returns why an action may not be performed at present, by the local rules; `UNCHANGED` if it would change nothing. `undefined` if it
   * may, or if only the daemon knows: what a button looks like.
   */
  refusalToPerform(action: string, items?: Iterable<ItemReference> | ItemReference): Refusal | undefined;
  /** Returns the items that a user lifts by taking hold of one: those on top of it too, where only runs leave. */
  liftSet(item: ItemReference): Item[];

  beginDrag(items: Iterable<ItemReference> | ItemReference, options?: { formation?: Formation }): void;
  moveDrag(position: { over?: Destination; x?: number; y?: number; formation?: Formation }): void;
  endDrag(options?: { isCancelled?: boolean }): void;

  /** The time that is left of the turn and of the table, in milliseconds; `undefined` where none runs. Read it whenever it is shown. */
  readonly timeLeft: { readonly turn: number | undefined; readonly table: number | undefined };

  /**
   * Who watches: `count` people who are connected and have no seat, and in `asking` a session of each of some who ask for one. An event
   * `presence` says that it has changed.
   */
  readonly watching: { readonly count: number; readonly asking: readonly number[] };

  /** The values that the others show of themselves, by session. */
  readonly presences: ReadonlyMap<number, Uint8Array>;
  /** Shows the others a small value, such as a cursor; call it for every change. Returns the refusal of one that is too long. */
  setPresence(value: Uint8Array | string): Refusal | undefined;
  /** Sends a message to everyone at the table. Returns the refusal of one that cannot be sent. */
  say(text: string, options?: { kind?: string }): Refusal | undefined;

  /** Resolves to whether this copy has the daemon's hash; to `undefined` if that cannot be said now. */
  agrees(): Promise<boolean | undefined>;
  /** Asks the daemon whether it is there: then `quietFor` is small again. */
  probe(): void;
  reconnect(): void;
  /** Leaves the table: the seat is free at once. */
  leave(): void;
  /** Closes the connection and keeps the session: a client with the same store comes back to it. */
  close(): void;
}

/**
 * Joins a table, and creates it if it does not exist and `type` is given. Of several addresses, of daemons of which one serves while the
 * others wait, all are tried before the client waits. Rejects with a `JoinError` or a `TypeError`.
 */
export function join(url: Address | readonly Address[], options: JoinOptions): Promise<TableClient>;
