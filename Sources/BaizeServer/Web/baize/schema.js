/**
 * The messages of `Protocol/baize.proto`, as data that the codec reads. A field is `[number, name, type]`; `repeated` ones are
 * lists, and of the members of a `oneof` at most one is set. Decoded messages are objects with these names alone: nothing
 * that came over the wire becomes a property name.
 */

const field = (number, name, type, options = {}) => ({ number, name, type, repeated: false, oneof: '', ...options });
const list = (number, name, type) => field(number, name, type, { repeated: true });

/** Declares a message. `unknown` is what an unknown member of its `oneof` means: 'skip', or 'malformed' (F4). */
function message(name, fields, unknown = 'skip') {
  return { name, fields, unknown, byNumber: new Map(fields.map((entry) => [entry.number, entry])) };
}

/** Declares a message of which one member is set. */
const choice = (name, oneof, members, unknown) =>
  message(name, members.map(([number, member, type]) => field(number, member, type, { oneof })), unknown);

/** Declares an enumeration. `isOpen` is whether an unknown number may be read, as itself (F4). */
const enumeration = (name, values) => ({ name, values: new Map(Object.entries(values)), isEnumeration: true });

export const Role = enumeration('Role', { PLAYER: 0, SPECTATOR: 1, WAITING: 2 });
export const Phase = enumeration('Phase', { BEGAN: 0, MOVED: 1, ENDED: 2, CANCELLED: 3 });
export const Verdict = enumeration('Verdict', { REFUSED: 0, UNCHANGED: 1, DUPLICATE: 2, RETRY: 3 });
export const DropOperation = enumeration('DropOperation', { CANCEL: 0, COPY: 1, MOVE: 2, ALIAS: 4, DELETE: 8, FORBIDDEN: 16 });

export const Attribute = message('Attribute', [
  field(1, 'name', 'text'),
  field(2, 'number', 'sint64', { oneof: 'value' }),
  field(3, 'text', 'text', { oneof: 'value' }),
]);
export const Representation = message('Representation', [field(1, 'contentType', 'text'), field(2, 'data', 'bytes')]);
export const Destination = message('Destination', [
  field(1, 'collection', 'uint32'),
  field(2, 'before', 'id'),
  field(4, 'after', 'id', { oneof: 'behind' }),
  field(5, 'start', 'bool', { oneof: 'behind' }),
  field(6, 'container', 'id'),
  // Their presence has a meaning, like that of the members of a `oneof`.
  field(7, 'beforeBy', 'id', { oneof: 'beforeBy' }),
  field(8, 'afterBy', 'id', { oneof: 'afterBy' }),
  field(9, 'gone', 'id'),
  field(10, 'goneRevision', 'id'),
]);
export const Seat = message('Seat', [
  field(1, 'seat', 'uint32'),
  field(2, 'name', 'text'),
  field(3, 'connected', 'bool'),
  field(4, 'person', 'id'),
  field(5, 'absent', 'bool'),
  list(6, 'sessions', 'id'),
]);
export const Seats = message('Seats', [list(1, 'seats', Seat)]);
export const Collection = message('Collection', [
  field(1, 'handle', 'uint32'),
  field(2, 'id', 'text'),
  field(3, 'count', 'uint32'),
  field(4, 'enabled', 'bool'),
  field(5, 'item', 'id'),
]);
export const Item = message('Item', [
  field(1, 'id', 'id'),
  field(2, 'collection', 'uint32'),
  field(3, 'hidden', 'bool'),
  list(4, 'attributes', Attribute),
  list(5, 'representations', Representation),
  field(6, 'pinned', 'bool'),
  field(7, 'aliasOf', 'id'),
  field(8, 'opens', 'uint32'),
]);

const Hello = message('Hello', [
  field(1, 'protocol', 'uint32'),
  field(2, 'table', 'text'),
  field(3, 'tableType', 'text'),
  field(4, 'name', 'text'),
  field(5, 'role', Role),
  field(6, 'invite', 'text'),
  field(7, 'credential', 'bytes'),
  field(8, 'epoch', 'id'),
  field(9, 'revision', 'id'),
  field(10, 'seed', 'uint64'),
  field(11, 'sessionName', 'bytes'),
  field(12, 'ticket', 'bytes'),
  field(13, 'attempt', 'id'),
  field(14, 'signedToken', 'text'),
]);
const Welcome = message('Welcome', [
  field(1, 'protocol', 'uint32'),
  field(2, 'session', 'id'),
  field(3, 'seat', 'uint32'),
  field(4, 'ticket', 'bytes'),
  field(5, 'epoch', 'id'),
  field(6, 'revision', 'id'),
  field(7, 'lastSeq', 'id'),
  field(8, 'tableType', 'text'),
  field(9, 'maxFrameBytes', 'uint32'),
  field(10, 'history', 'uint32'),
  field(11, 'heartbeatSeconds', 'uint32'),
  field(12, 'server', 'text'),
  field(13, 'maxPending', 'uint32'),
  field(14, 'invite', 'text'),
  list(15, 'options', Attribute),
  field(16, 'person', 'id'),
]);
const Snapshot = message('Snapshot', [
  field(1, 'epoch', 'id'),
  field(2, 'revision', 'id'),
  list(3, 'collections', Collection),
  list(4, 'items', Item),
  field(5, 'status', 'text'),
  field(6, 'complete', 'bool'),
  field(7, 'first', 'bool'),
  field(8, 'lastSeq', 'id'),
  list(9, 'variables', Attribute),
  list(10, 'seats', Seat),
]);

const NewItem = message('NewItem', [list(1, 'attributes', Attribute), list(2, 'representations', Representation)]);
const Reorder = message('Reorder', [
  list(1, 'sources', 'id'),
  field(2, 'destination', Destination),
  field(3, 'suggested', 'uint32'),
]);
const Insert = message('Insert', [list(1, 'items', NewItem), field(2, 'destination', Destination)]);
const Remove = message('Remove', [list(1, 'items', 'id')]);
const Update = message('Update', [
  field(1, 'item', 'id'),
  list(2, 'attributes', Attribute),
  list(3, 'representations', Representation),
]);
const Perform = message('Perform', [
  field(1, 'action', 'text'),
  list(2, 'items', 'id'),
  field(3, 'destination', Destination),
]);
const Undo = message('Undo', [field(1, 'seq', 'id')]);
export const Operation = message('Operation', [
  field(1, 'seq', 'id'),
  field(2, 'baseRevision', 'id'),
  field(3, 'reorder', Reorder, { oneof: 'kind' }),
  field(4, 'insert', Insert, { oneof: 'kind' }),
  field(5, 'remove', Remove, { oneof: 'kind' }),
  field(6, 'update', Update, { oneof: 'kind' }),
  field(7, 'perform', Perform, { oneof: 'kind' }),
  field(8, 'undo', Undo, { oneof: 'kind' }),
  field(9, 'epoch', 'id'),
  field(10, 'unanswered', 'uint32'),
  field(11, 'madeAs', 'uint32', { oneof: 'madeAs' }),
  field(12, 'baseLost', 'bool'),
]);

const Moved = message('Moved', [list(1, 'items', 'id'), field(2, 'destination', Destination)]);
const Inserted = message('Inserted', [list(1, 'items', Item), field(2, 'destination', Destination)]);
const Removed = message('Removed', [list(1, 'items', 'id')]);
const Faced = message('Faced', [list(1, 'items', Item)]);
const Status = message('Status', [field(1, 'status', 'text')]);
const Enabled = message('Enabled', [field(1, 'collection', 'uint32'), field(2, 'enabled', 'bool')]);
const Counted = message('Counted', [field(1, 'collection', 'uint32'), field(2, 'count', 'uint32')]);
const Variables = message('Variables', [list(1, 'set', Attribute)]);
const Change = choice(
  'Change',
  'kind',
  [
    [1, 'moved', Moved],
    [2, 'inserted', Inserted],
    [3, 'removed', Removed],
    [4, 'faced', Faced],
    [5, 'status', Status],
    [6, 'enabled', Enabled],
    [7, 'counted', Counted],
    [8, 'variables', Variables],
    [9, 'seats', Seats],
  ],
  'malformed',
);
const Diff = message('Diff', [
  field(1, 'revision', 'id'),
  field(2, 'author', 'id'),
  field(3, 'seq', 'id'),
  list(4, 'changes', Change),
  field(5, 'operation', DropOperation),
  field(6, 'rebased', 'bool'),
  field(7, 'redirected', 'bool'),
  list(8, 'minted', 'id'),
]);
const Outcome = message('Outcome', [
  field(1, 'seq', 'id'),
  field(2, 'verdict', Verdict),
  field(3, 'reason', 'text'),
  field(4, 'rule', 'text'),
  field(5, 'detail', 'text'),
  field(6, 'revision', 'id'),
  list(7, 'minted', 'id'),
  field(8, 'redirected', 'bool'),
  field(9, 'invite', 'text'),
]);

const Drag = message('Drag', [
  field(1, 'session', 'id'),
  field(2, 'phase', Phase),
  list(3, 'items', 'id'),
  field(4, 'over', Destination),
  field(5, 'formation', 'formation'),
  field(6, 'x', 'sint32'),
  field(7, 'y', 'sint32'),
  field(8, 'refused', 'bool'),
]);
const Presence = message('Presence', [field(1, 'session', 'id'), field(2, 'value', 'bytes')]);
const Chat = message('Chat', [
  field(1, 'session', 'id'),
  field(2, 'kind', 'text'),
  field(3, 'text', 'text'),
  field(4, 'refused', 'text'),
]);
const Countdown = message('Countdown', [
  field(1, 'turnMs', 'uint32'),
  field(2, 'tableMs', 'uint32'),
  field(3, 'turnUp', 'bool'),
  field(4, 'tableUp', 'bool'),
  field(5, 'seat', 'uint32'),
]);
const Ping = message('Ping', [field(1, 'nonce', 'uint64'), field(2, 'wantHash', 'bool')]);
const Pong = message('Pong', [
  field(1, 'nonce', 'uint64'),
  field(2, 'revision', 'id'),
  field(3, 'viewHash', 'fixed64'),
  field(4, 'epoch', 'id'),
]);
const SnapshotRequest = message('SnapshotRequest', [field(1, 'why', 'text')]);
const Goodbye = message('Goodbye', [
  field(1, 'reason', 'text'),
  field(2, 'detail', 'text'),
  field(3, 'resumable', 'bool'),
  field(4, 'retryAfterMs', 'uint32'),
  field(5, 'redirect', 'text'),
]);

const SignedToken = message('SignedToken', [field(1, 'token', 'text')]);
const Watching = message('Watching', [field(1, 'count', 'uint32'), list(2, 'asking', 'id')]);
const TokenTime = message('TokenTime', [field(1, 'seconds', 'uint32')]);

export const ClientMessage = choice('ClientMessage', 'body', [
  [1, 'hello', Hello],
  [2, 'operation', Operation],
  [3, 'drag', Drag],
  [4, 'ping', Ping],
  [5, 'snapshotRequest', SnapshotRequest],
  [6, 'goodbye', Goodbye],
  [7, 'presence', Presence],
  [8, 'chat', Chat],
  [9, 'signedToken', SignedToken],
]);
export const ServerMessage = choice('ServerMessage', 'body', [
  [1, 'welcome', Welcome],
  [2, 'snapshot', Snapshot],
  [3, 'diff', Diff],
  [4, 'outcome', Outcome],
  [5, 'drag', Drag],
  [6, 'pong', Pong],
  [7, 'seats', Seats],
  [8, 'goodbye', Goodbye],
  [9, 'presence', Presence],
  [10, 'chat', Chat],
  [11, 'countdown', Countdown],
  [12, 'tokenTime', TokenTime],
  [13, 'watching', Watching],
]);
