import Foundation
import TestSupport
import Testing

/// What scripts make of other files, and is committed for those who have no such script.
@Suite struct GeneratedFileTests {
  @Test(
    .needs(.pythonWithProtobuf, .protoc),
    arguments: [
      "Tests/bundle.py",
      // Encodes by another implementation of Protocol Buffers.
      "Protocol/vectors/generate_messages.py",
    ])
  func `what a script makes is made of the files as they are`(script: String) throws {
    try Tool.pythonWithProtobuf.run(Repository.root.appending(path: script).path, "--check")
  }
}
