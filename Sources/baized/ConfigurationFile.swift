import BaizeCommandLine
import BaizeTableTypes

/// A configuration file: a JSON object whose keys are those of the options, such as `{"tablesBurstMax": 20, "open": true}`.
enum ConfigurationFile {
  /// Reads the settings of a file.
  ///
  /// - Throws: `ConfigurationFileError` with all mistakes in the file.
  static func settings(
    in file: String, for command: Command
  ) throws(ConfigurationFileError) -> [FileSetting] {
    let json: JSON
    do {
      json = try JSONParser.parse(try TableTypeFile.read(file))
    } catch let error as DocumentMistakes {
      throw ConfigurationFileError(file: file, mistakes: error.mistakes.map { $0.line(in: file) })
    } catch {
      throw ConfigurationFileError(file: file, mistakes: ["\(error)"])
    }
    var reader = Reader(file: file, options: command.options.filter { $0.scope == .setting })
    reader.read(json)
    guard reader.mistakes.isEmpty else { throw ConfigurationFileError(file: file, mistakes: reader.mistakes) }
    return reader.settings
  }

  private struct Reader {
    let file: String
    let options: [CommandOption]
    var settings: [FileSetting] = []
    var mistakes: [String] = []

    mutating func read(_ json: JSON) {
      guard case .object(let members) = json.content else {
        mistakes.append("\(filePosition(json.position)): expected an object, found \(json.kindDescription)")
        return
      }
      for member in members { read(member) }
    }

    private mutating func read(_ member: JSON.Member) {
      guard let option = options.first(where: { $0.key == member.key }) else {
        let suggestion = Suggestion(for: member.key, among: options.map(\.key))
        mistakes.append("\(filePosition(member.keyPosition)): \(member.key): unknown key '\(member.key)'\(suggestion)")
        return
      }
      let position = filePosition(member.value.position)
      if let text = text(of: member.value, for: option) {
        settings.append(FileSetting(option, text, position: position))
      } else {
        let needed =
          option.placeholder == nil
          ? "true or false" : "a text or a whole number (\(option.flag) \(option.placeholder ?? ""))"
        mistakes.append("\(position): \(option.key): expected \(needed), found \(member.value.kindDescription)")
      }
    }

    /// Returns the value as it stands on a command line; `nil` if the option cannot have such a value.
    private func text(of value: JSON, for option: CommandOption) -> String? {
      switch (value.content, option.placeholder) {
      case (.boolean(let isSet), nil): isSet ? "true" : "false"
      case (.integer(let number), .some): "\(number)"
      case (.text(let text), .some): text
      case (.null, _), (.number, _), (.array, _), (.object, _), (.boolean, .some), (.integer, nil), (.text, nil): nil
      }
    }

    private func filePosition(_ position: TextPosition) -> String { "\(file):\(position)" }
  }
}

/// The mistakes in a configuration file, at least one.
struct ConfigurationFileError: Error, CustomStringConvertible {
  let file: String
  let mistakes: [String]

  /// The first mistake, and how to see the others.
  var description: String {
    mistakes[0]
      + (mistakes.count > 1 ? " (and \(mistakes.count - 1) more: baized config --config \(file))" : "")
  }
}
