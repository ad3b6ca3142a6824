public import BaizeSync
public import BaizeWire

// The names of the layers below that this module's own declarations speak of, so that an app imports `BaizeClient` and
// `BaizeTable` and nothing else. (One that turns `MemberImportVisibility` on imports `BaizeSync` and `BaizeWire` too:
// the members are theirs.)

public typealias Answer = BaizeSync.Answer
public typealias Answered = BaizeSync.Answered
public typealias ClientConfiguration = BaizeSync.ClientConfiguration
public typealias ClientEvent = BaizeSync.ClientEvent
public typealias Prediction = BaizeSync.Prediction
public typealias TableChange = BaizeSync.TableChange

public typealias CollectionSummary = BaizeWire.CollectionSummary
public typealias Drag = BaizeWire.Drag
public typealias Goodbye = BaizeWire.Goodbye
public typealias GoodbyeReason = BaizeWire.GoodbyeReason
public typealias Role = BaizeWire.Role
