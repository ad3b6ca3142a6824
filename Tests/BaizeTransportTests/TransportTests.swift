import Testing

/// The root of all suites here. One test runs at a time, since many of them count turns within a time.
@Suite(.serialized, .timeLimit(.minutes(1)))
enum TransportTests {}
