import BaizeCommandLine
import BaizeServer
import BaizeSync
import BaizeSystem
import BaizeTokens

/// `baized token`: prints a signed token for trying out.
enum TokenCommand {
  static let command = Command(
    "baized token",
    summary: "Prints a signed token for trying out, by a secret that the daemon knows from the same file.",
    usage: ["--key FILE --issuer TEXT --audience TEXT --subject TEXT --tables NAMES"],
    sections: [
      Command.Section(
        "Token",
        [
          CommandOption(
            "--key", "FILE",
            "The secret, as a JSON Web Key, which only its owner may read; created with a random one if missing. The daemon "
              + "reads it by --token-keys.", standard: "none"),
          CommandOption("--issuer", "TEXT", "The daemon's --token-issuer.", standard: "none"),
          CommandOption("--audience", "TEXT", "The daemon's --token-audience.", standard: "none"),
          CommandOption("--subject", "TEXT", "The person.", standard: "none"),
          CommandOption(
            "--tables", "NAME,…",
            "The tables that the person may join. One that ends in '*' stands for all that begin so.",
            standard: "none"),
          CommandOption("--role", "ROLE", "player or viewer.", standard: "player", choices: ["player", "viewer"]),
          CommandOption("--seat", "N", "The seat that the person takes.", standard: "any"),
          CommandOption("--id", "TEXT", "The token's own id, by which it can be revoked.", standard: "none"),
          CommandOption("--name", "TEXT", "The name that others are shown.", standard: "the client's choice"),
          CommandOption("--seconds", "N", "The time until it expires.", standard: "3600"),
        ])
    ],
    notes: [
      "An app's back end makes tokens with a library of its own language, and mostly with a private key, of which the daemon has "
        + "only the public part. The exit code is 0, or 2 if no token can be made."
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    do {
      Console.print(try token(parsed))
    } catch {
      Console.refuse(command.name, "\(error)")
    }
    Console.end(.success)
  }

  private static func token(_ arguments: CommandLineArguments) throws -> String {
    func needed(_ flag: String) throws -> String {
      guard let text = arguments.text(flag), !text.isEmpty else { throw TokenFileError("\(flag) is needed") }
      return text
    }
    let file = try needed("--key")
    let (issuer, audience, subject) = (try needed("--issuer"), try needed("--audience"), try needed("--subject"))
    let tables = try needed("--tables").split(separator: ",").map(String.init)
    if let wrong = tables.first(where: { TablePattern(parsing: $0) == nil }) {
      throw TokenFileError("--tables: '\(wrong)' is neither a table's name nor the beginning of one with '*' behind it")
    }
    let seconds = try arguments.number("--seconds", in: 1...Int(TokenLimits.lifetimeSecondsMax)) ?? 3_600
    try createIfMissing(file)
    var rights = "{\"tables\":[\(tables.map(quoted).joined(separator: ","))],"
    rights += "\"role\":\(quoted(arguments.text("--role") ?? "player"))"
    if let seat = try arguments.number("--seat", in: 1...Int(UInt32.max)) { rights += ",\"seat\":\(seat)" }
    if let name = arguments.text("--name") { rights += ",\"name\":\(quoted(name))" }
    return try TokenIssuer(file: file).token(
      claims: "{\"iss\":\(quoted(issuer)),\"aud\":\(quoted(audience)),\"sub\":\(quoted(subject)),"
        + (arguments.text("--id").map { "\"jti\":\(quoted($0))," } ?? "")
        + "\"exp\":\(time(nil) + seconds),\"baize\":\(rights)}}")
  }

  private static func createIfMissing(_ path: String) throws {
    let created = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard created >= 0 else { return }
    defer { close(created) }
    let line = Array(TokenIssuer.newFile().utf8)
    guard write(created, line, line.count) == line.count, fsync(created) == 0 else {
      throw TokenFileError("the secret cannot be written to '\(path)'")
    }
  }

  /// Returns a text as JSON has it.
  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\0"..<" ": "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      case _: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }
}
