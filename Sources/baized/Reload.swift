import BaizeCommandLine
import BaizeServer
import BaizeTableTypes
import Synchronization

/// Reads the configuration file, the table types, the certificate and the keys of tokens again, at SIGHUP. A mistake in them changes nothing.
final class Reload: Sendable {
  private struct State {
    /// `nil` until the daemon has started.
    var server: Server?
    /// Whether a signal came before that.
    var isRequested = false
    /// The settings that were read last.
    var arguments: CommandLineArguments
    var tableTypes: TableTypeLibrary
  }

  private let commandLine: CommandLineArguments
  /// The settings at the start, which those that cannot be reloaded keep.
  private let started: CommandLineArguments
  private let log: Log
  private let state: Mutex<State>
  /// Held while the files are read and passed on, so that what was read last is in force.
  private let reading = Mutex<Void>(())

  init(_ commandLine: CommandLineArguments, _ started: CommandLineArguments, _ configuration: ServerConfiguration) {
    self.commandLine = commandLine
    self.started = started
    log = configuration.log
    state = Mutex(State(arguments: started, tableTypes: configuration.tableTypes))
  }

  /// Sets the daemon to pass the settings to. Reads them again if a signal has come since the start: it may have come after they
  /// were read.
  func begin(_ server: Server) {
    let isRequested = state.withLock { state in
      state.server = server
      return state.isRequested
    }
    if isRequested { run() }
  }

  /// Reads the settings again; before the daemon has started, once it has.
  func run() {
    let server = state.withLock { state in
      state.isRequested = state.server == nil
      return state.server
    }
    if let server { reading.withLock { _ in read(for: server) } }
  }

  private func read(for server: Server) {
    let last = state.withLock { $0 }
    do {
      let arguments = try Settings(commandLine).arguments
      let configuration = try ListenOptions.configuration(arguments)
      let secrets = try server.reloadSecrets()
      server.reload(limits: configuration.limits, tableTypes: configuration.tableTypes)
      state.withLock { ($0.arguments, $0.tableTypes) = (arguments, configuration.tableTypes) }
      log(.info, "SIGHUP: \(report(arguments, configuration.tableTypes, secrets, since: last))")
    } catch {
      log(.error, "SIGHUP: nothing has changed: \(error)")
    }
  }

  // MARK: The changes, in a line

  private func report(
    _ arguments: CommandLineArguments, _ tableTypes: TableTypeLibrary, _ secrets: [String], since last: State
  ) -> String {
    let options = ListenOptions.command.options
    let changed = options.filter { LimitOption.isReloaded($0.flag) && differs($0, last.arguments, arguments) }
      .map { "\($0.flag) \(value($0, arguments)) (was \(value($0, last.arguments)))" }
    let fixed = options.filter { !LimitOption.isReloaded($0.flag) && differs($0, started, arguments) }.map(\.flag)
    let parts = changed + secrets + changes(from: last.tableTypes, to: tableTypes)
    return (parts.isEmpty ? "nothing has changed" : parts.joined(separator: ", "))
      + (fixed.isEmpty ? "" : "; these need a restart: \(fixed.joined(separator: ", "))")
  }

  private func differs(_ option: CommandOption, _ one: CommandLineArguments, _ other: CommandLineArguments) -> Bool {
    value(option, one) != value(option, other)
  }

  private func value(_ option: CommandOption, _ arguments: CommandLineArguments) -> String {
    arguments.text(option.flag) ?? (option.placeholder == nil ? "false" : option.standard ?? "none")
  }

  private func changes(from last: TableTypeLibrary, to new: TableTypeLibrary) -> [String] {
    let names = Set(last.documents.map(\.name)).union(new.documents.map(\.name)).sorted()
    return names.compactMap { name -> String? in
      switch (last[name]?.text, new[name]?.text) {
      case (nil, _): "the table type '\(name)' is new"
      case (_, nil): "the table type '\(name)' is gone"
      case (let one, let other): one == other ? nil : "the table type '\(name)' has changed"
      }
    }
  }
}
