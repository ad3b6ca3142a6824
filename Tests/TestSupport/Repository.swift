public import Foundation

/// The files of the repository, by their path from its root.
public enum Repository {
  public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  public static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: root.appending(path: path))) }

  public static func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

  /// Returns the paths of the documents, sorted.
  public static func documents() throws -> [String] {
    try ["", ".github", "Protocol", "Tests", "deploy"].flatMap { folder in
      try names(in: folder).filter { $0.hasSuffix(".md") }.map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
    }.sorted()
  }

  /// Returns the chapters of the protocol with numbered rules, by their paths.
  public static func rules() throws -> [(path: String, text: String)] {
    try documents().filter { $0.hasPrefix("Protocol/") }.map { ($0, try text($0)) }.filter {
      $0.1.contains(/\n(?:\| )?\*\*[A-Z][0-9]+[.*]/)
    }
  }

  /// Decodes a JSON file, whose keys may be in snake case.
  public static func decode<Content: Decodable>(_ path: String, as type: Content.Type = Content.self) throws -> Content
  {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(type, from: Data(bytes(path)))
  }

  /// Returns the names of the files in a folder, sorted.
  public static func names(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: path).path).sorted()
  }

  /// Returns the paths of all Swift files below a folder, but for those that a documentation shows, sorted.
  public static func swiftFiles(below path: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: path).path).filter {
      $0.hasSuffix(".swift") && !$0.contains(".docc/")
    }.sorted().map { "\(path)/\($0)" }
  }
}

extension [UInt8] {
  /// The bytes of a text of hexadecimal digits.
  public init(hex: String) {
    let digits = hex.utf8.map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
    precondition(digits.count.isMultiple(of: 2) && digits.allSatisfy { $0 < 16 }, "no hexadecimal: \(hex)")
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  public var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
