/// A script that completes the commands and flags of a program in a shell.
public struct CompletionScript: Sendable {
  /// The shells that there are scripts for.
  public enum Shell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish
  }

  /// A command that a word after the program's name selects.
  public struct Subcommand: Sendable {
    let word: String
    let command: Command

    public init(_ word: String, _ command: Command) {
      self.word = word
      self.command = command
    }
  }

  let main: Command
  let subcommands: [Subcommand]

  public init(_ main: Command, _ subcommands: [Subcommand]) {
    self.main = main
    self.subcommands = subcommands
  }

  /// Returns the script.
  public func text(for shell: Shell) -> String {
    let lines =
      switch shell {
      case .bash: bash
      case .zsh: zsh
      case .fish: fish
      }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: Common to all scripts

  var program: String { main.program }
  var words: [String] { subcommands.map(\.word) }

  /// The program's own command and the others, with the words that select them; empty for its own.
  var all: [Subcommand] { [Subcommand("", main)] + subcommands }
}

extension Command {
  var allOptions: [CommandOption] { options + Self.help }

  /// The summary's first sentence, without its full stop.
  var title: String { summary.firstSentence }
}

extension CommandOption {
  /// The values that a shell can complete.
  enum Values {
    /// The option takes no value.
    case none
    case words([String])
    case files
    case directories
    case other
  }

  var values: Values {
    guard let placeholder else { return .none }
    if !choices.isEmpty { return .words(choices) }
    switch placeholder {
    case "FILE": return .files
    case "DIR": return .directories
    default: return .other
    }
  }

  var title: String { help.firstSentence }
}

extension String {
  /// The text up to the first full stop, colon or semicolon that ends a clause.
  fileprivate var firstSentence: String {
    var sentence = ""
    for (character, next) in zip(self, self.dropFirst() + " ") {
      if ".:;".contains(character), next == " " { break }
      sentence.append(character == "\n" ? " " : character)
    }
    return sentence
  }

  /// The text in single quotation marks for a POSIX shell.
  var quotedForShell: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
