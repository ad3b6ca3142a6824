import BaizeCommandLine
import BaizeSystem
import BaizeTableTypes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The reason why a table type cannot be loaded, as one line.
struct TableTypeFileError: Error, CustomStringConvertible {
  let description: String
}

enum TableTypeFile {
  /// The maximum length of a document. A longer file is not read.
  private static let bytesMax = 16 << 20

  static func read(_ file: String) throws(TableTypeFileError) -> [UInt8] {
    var isDirectory = false
    guard FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory) else {
      throw TableTypeFileError(description: "'\(file)' does not exist")
    }
    guard !isDirectory else { throw TableTypeFileError(description: "'\(file)' is a directory, not a file") }
    guard let bytes = contents(of: file) else { throw TableTypeFileError(description: "'\(file)' cannot be read") }
    guard bytes.count <= bytesMax else { throw TableTypeFileError(description: "'\(file)' is too large") }
    return bytes
  }

  /// Reads a file, or a pipe to its end; no more than one byte beyond the maximum.
  private static func contents(of file: String) -> [UInt8]? {
    guard let stream = fopen(file, "r") else { return nil }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= bytesMax {
      let count = fread(&room, 1, min(room.count, bytesMax + 1 - bytes.count), stream)
      guard count > 0 else { break }
      bytes += room.prefix(count)
    }
    return ferror(stream) == 0 ? bytes : nil
  }

  /// Returns the bundled types and those of a directory: its files whose names end in `.json`. A type replaces a bundled
  /// one of the same name.
  static func library(with directory: String) throws(TableTypeFileError) -> TableTypeLibrary {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: directory)
    } catch {
      throw TableTypeFileError(description: "the directory '\(directory)' cannot be read")
    }
    var library = TableTypeLibrary.bundled
    var origins: [String: String] = [:]
    for name in names.filter({ $0.hasSuffix(".json") }).sorted() {
      let file = "\(directory)/\(name)"
      let document = try document(file)
      if let other = origins.updateValue(file, forKey: document.name) {
        throw TableTypeFileError(description: "'\(file)' and '\(other)' both define the type '\(document.name)'")
      }
      library = library.adding(document)
    }
    return library
  }

  private static func document(_ file: String) throws(TableTypeFileError) -> TableTypeDocument {
    let bytes = try read(file)
    do throws(DocumentMistakes) {
      return try TableTypeDocument(parsing: bytes)
    } catch {
      let first = error.mistakes.first.map { $0.line(in: file) } ?? file
      let more = error.mistakes.count > 1 ? " (and \(error.mistakes.count - 1) more: baized check \(file))" : ""
      throw TableTypeFileError(description: first + more)
    }
  }
}

extension Command {
  /// Returns the table types that `--types` names with the bundled ones, or ends the program with one line.
  func types(_ arguments: CommandLineArguments) -> TableTypeLibrary {
    guard let directory = arguments.text("--types") else { return .bundled }
    do throws(TableTypeFileError) {
      return try TableTypeFile.library(with: directory)
    } catch {
      Console.refuse(name, error.description)
    }
  }
}
