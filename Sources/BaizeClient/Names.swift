public import BaizeSync
public import BaizeTableTypes
public import BaizeWire

// The types of lower layers that this module's public declarations use, so that an app imports only `BaizeClient` and
// `BaizeTable`. (A target with the feature `MemberImportVisibility` also imports `BaizeSync` and `BaizeWire`.)

/// The daemon's answer to an operation.
public typealias Answer = BaizeSync.Answer
/// An acknowledged operation with the daemon's answer.
public typealias Answered = BaizeSync.Answered
/// The table to join, the participant's name and role, and the options of the session.
public typealias ClientConfiguration = BaizeSync.ClientConfiguration
/// An event of a client's table.
public typealias ClientEvent = BaizeSync.ClientEvent
/// An app's own name for an operation, such as a UUID's text, by which it asks after a relaunch what became of it.
public typealias OperationID = BaizeSync.OperationID
/// What became of an operation, as a session store knows it.
public typealias OperationStatus = BaizeSync.OperationStatus
/// The local rules' prediction of an operation's result.
public typealias Prediction = BaizeSync.Prediction
/// A change to the visible state.
public typealias TableChange = BaizeSync.TableChange

/// Compiles table type documents and caches the last few, so that clients of tables of one type share their rules.
public typealias TableTypeCompiler = BaizeTableTypes.TableTypeCompiler

/// A collection's handle, name, item count and whether it is enabled.
public typealias CollectionSummary = BaizeWire.CollectionSummary
/// A drag message: items that a participant has lifted and is moving.
public typealias Drag = BaizeWire.Drag
/// A short message to everyone at a table.
public typealias Chat = BaizeWire.Chat
/// The time that is left of a turn and of the table, or that is up.
public typealias Countdown = BaizeWire.Countdown
/// Who watches a table.
public typealias Watching = BaizeWire.Watching
/// A participant's own value of presence.
public typealias Presence = BaizeWire.Presence
/// The reason for the end of a session or connection.
public typealias Goodbye = BaizeWire.Goodbye
/// The code of a ``Goodbye``.
public typealias GoodbyeReason = BaizeWire.GoodbyeReason
/// A text of the hello with which a client joins, and its maximum length.
public typealias HelloField = BaizeWire.Hello.Field
/// A participant's role: player, spectator, or one who plays or else waits.
public typealias Role = BaizeWire.Role
