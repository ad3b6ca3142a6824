import TestSupport
import Testing

/// The root of all suites here. One test runs at a time, since many of them count turns.
@Suite(.serialized, .hangGuard)
enum TransportTests {}
