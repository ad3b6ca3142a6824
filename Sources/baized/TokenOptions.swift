import BaizeCommandLine
import BaizeServer

/// The flags of signed tokens.
enum TokenOptions {
  static let all = [
    CommandOption(
      "--token-keys", "FILE,…",
      "Admits only clients with a signed token (a JSON Web Token) of the app's back end, to the tables that it names; they need no "
        + "invite. The files have the keys that verify tokens: JWK sets, or public keys or certificates in PEM form. SIGHUP "
        + "reads them again. (A build without the trait OpenSSL has no tokens.)", standard: "none"),
    CommandOption(
      "--token-issuer", "TEXT,…",
      "The issuer that tokens must name (iss), or several of which they name one; every key vouches for all of them.",
      standard: "none"),
    CommandOption("--token-audience", "TEXT", "The audience that tokens must be for (aud).", standard: "none"),
    CommandOption(
      "--token-revocations", "FILE",
      "Keeps what is revoked at the operator's address, persons and single tokens, in this file, which the daemon creates and "
        + "writes, and not in the journal. SIGHUP reads it again.", standard: "the journal"),
  ]

  static func read(_ arguments: CommandLineArguments) throws(CommandLineError) -> TokenConfiguration? {
    let flags = ["--token-keys", "--token-issuer", "--token-audience"]
    let texts = flags.map { arguments.text($0) ?? "" }
    let file = arguments.text("--token-revocations")
    guard let given = (flags + ["--token-revocations"]).first(where: { arguments.text($0) != nil }) else { return nil }
    if let missing = flags.indices.first(where: { texts[$0].isEmpty }) {
      throw arguments.mistake(in: given, needed: "'\(flags[missing])' with it")
    }
    return TokenConfiguration(
      keyFiles: texts[0].split(separator: ",").map(String.init),
      issuers: texts[1].split(separator: ",").map(String.init), audience: texts[2], revocationFile: file)
  }
}
