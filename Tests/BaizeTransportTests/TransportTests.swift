import Testing

/// The root of all suites here. One test at a time, since many of them count turns against the clock.
@Suite(.serialized, .timeLimit(.minutes(1)))
enum TransportTests {}
