/// The origin of an option's value. A later case overrides an earlier one.
public enum SettingOrigin: Hashable, Sendable {
  /// A file, with the position in it, such as `baize.json:3:13`, and the key.
  case file(position: String, key: String)
  /// The environment variable of this name.
  case environment(String)
  case commandLine

  /// The rank of the origin: the value of the highest is in force.
  public var rank: Int {
    switch self {
    case .file: 0
    case .environment: 1
    case .commandLine: 2
    }
  }
}

/// The value of an option in a file.
public struct FileSetting: Sendable {
  public let option: CommandOption
  /// The value as it stands on a command line.
  public let text: String
  /// The position, such as `baize.json:3:13`.
  public let position: String

  public init(_ option: CommandOption, _ text: String, position: String) {
    self.option = option
    self.text = text
    self.position = position
  }
}
