import Testing

/// The root of all suites here. One test at a time: they share the process's descriptors, whose numbers and whose limit
/// some of them are about.
@Suite(.serialized, .timeLimit(.minutes(1)))
enum TransportTests {}
