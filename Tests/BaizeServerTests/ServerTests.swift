import Testing

/// One test at a time: they measure time and count threads.
@Suite(.serialized) struct ServerTests {}
