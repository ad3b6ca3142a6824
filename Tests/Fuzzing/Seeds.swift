import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTableTypes
import Foundation

/// The seeds of fuzzing, made from the repository: vectors, table types, and the messages and journals of recorded games.
struct Seeds {
  let protocolFolder: URL

  /// Writes a folder for each target.
  func write(to folder: URL) throws {
    let messages = try messages()
    let client = messages.filter { $0.direction == "client" }
    let server = messages.filter { $0.direction == "server" }
    let recordings = SimulatedTypes.names.map(Recording.init)
    try write(.frames, [[7, 0] + client.flatMap(\.frame), [0, 1] + server.flatMap(\.frame)], to: folder)
    try write(.clientMessages, client.map(\.message), to: folder)
    try write(.serverMessages, server.map(\.message), to: folder)
    try write(.client, recordings.map(\.received) + almostRight(after: recordings.map(\.received)), to: folder)
    try write(.tableTypes, documents(), to: folder)
    try write(.journal, recordings.flatMap { [$0.journalInput(part: 0), $0.journalInput(part: 2)] }, to: folder)
    var random = RandomSource(seed: 1)
    let scripts = (1...32).map { length in (0..<length * 24).map { _ in UInt8(random.next(below: 256)) } }
    try write(.shard, scripts, to: folder)
  }

  /// Scripts of messages that are almost right, and of what the app does between them, alone and behind a recording.
  private func almostRight(after recordings: [[UInt8]]) -> [[UInt8]] {
    var random = RandomSource(seed: 1)
    return ([[]] + recordings).flatMap { recording in
      (1...8).map { length in
        recording
          + (0..<length * 8).flatMap { _ in
            let kind: UInt8 = random.next(below: 3) == 0 ? 0 : 1
            let script = [kind] + (0..<40).map { _ in UInt8(random.next(below: 256)) }
            return [UInt8(script.count)] + script
          }
      }
    }
  }

  private func write(_ target: FuzzTarget, _ inputs: [[UInt8]], to folder: URL) throws {
    let folder = folder.appendingPathComponent(target.rawValue)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (number, input) in inputs.enumerated() {
      try Data(input).write(to: folder.appendingPathComponent("seed-\(number)"))
    }
  }

  // MARK: Vectors

  private struct Message: Decodable {
    let direction: String
    let hexMessage: String
    let hexFrame: String

    enum CodingKeys: String, CodingKey {
      case direction
      case hexMessage = "message"
      case hexFrame = "delimited"
    }

    var message: [UInt8] { Self.bytes(hexMessage) }
    var frame: [UInt8] { Self.bytes(hexFrame) }

    private static func bytes(_ hex: String) -> [UInt8] {
      let digits = hex.compactMap(\.hexDigitValue)
      return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
  }

  private func messages() throws -> [Message] {
    let file = protocolFolder.appendingPathComponent("vectors/messages.json")
    return try JSONDecoder().decode([Message].self, from: Data(contentsOf: file))
  }

  // MARK: Table types

  /// The bundled documents and the fixtures, and the ones with options with some of them chosen.
  private func documents() throws -> [[UInt8]] {
    let folder = protocolFolder.appendingPathComponent("table-types")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
      .sorted()
    let texts = try files.map { Array(try Data(contentsOf: folder.appendingPathComponent($0))) }
    let chosen = [("klondike", "draw=3&redeals=2"), ("kanban", "doing=1&cards=5"), ("list", "items=12")]
    return texts
      + chosen.compactMap { name, options in
        TableTypeLibrary.bundled[name].map { Array($0.text.utf8) + [0] + Array(options.utf8) }
      }
  }
}
