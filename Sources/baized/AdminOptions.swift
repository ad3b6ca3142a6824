import BaizeCommandLine
import BaizeServer
import BaizeTransport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The flags of the operator's address.
enum AdminOptions {
  static let all = [
    CommandOption(
      "--admin", "HOST:PORT",
      "The operator's address: metrics, health, and a page and requests to list, watch, export, close and delete tables. Port 0 "
        + "takes any free port. It needs a token.", standard: "none"),
    CommandOption(
      "--admin-token-file", "FILE",
      "The file of the operator's token, which only its owner may read; created with a random token if missing. Without it, "
        + "the token is the value of \(variable).", standard: "none"),
  ]

  /// The environment variable of a token that is in no file.
  static let variable = "BAIZE_ADMIN_TOKEN"

  /// Returns the configuration; `nil` without an operator's address. Creates the file of the token if it is missing.
  ///
  /// - Throws: If there is an address without a token, or a token without an address.
  static func read(_ arguments: CommandLineArguments) throws -> AdminConfiguration? {
    guard let address = try address(arguments) else {
      guard arguments.text("--admin-token-file") == nil else {
        throw arguments.mistake(in: "--admin-token-file", needed: "'--admin' with it")
      }
      return nil
    }
    return AdminConfiguration(
      address: address, token: try token(arguments, createsFile: true), hosts: HTTPOptions.hosts(arguments))
  }

  /// Returns the address, and checks it.
  static func address(_ arguments: CommandLineArguments) throws(CommandLineError) -> SocketAddress? {
    guard let text = arguments.text("--admin") else { return nil }
    do {
      return try SocketAddress(parsing: text)
    } catch {
      throw arguments.mistake(in: "--admin", needed: "HOST:PORT (\(error))")
    }
  }

  /// Returns the token.
  ///
  /// - Parameters:
  ///   - arguments: The settings.
  ///   - createsFile: Whether the file of the token is created if it is missing.
  static func token(_ arguments: CommandLineArguments, createsFile: Bool) throws -> String {
    if let file = arguments.text("--admin-token-file") {
      return createsFile ? try TokenFile.token(in: file) : try TokenFile.existingToken(in: file)
    }
    guard let token = ProcessInfo.processInfo.environment[variable] else {
      throw arguments.mistake(in: "--admin", needed: "'--admin-token-file', or \(variable) in the environment, with it")
    }
    guard token.utf8.count >= AdminConfiguration.tokenBytesMin, token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw arguments.mistake(
        in: "--admin", needed: "at least \(AdminConfiguration.tokenBytesMin) letters and digits in \(variable) with it")
    }
    return token
  }
}
