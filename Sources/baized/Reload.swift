import BaizeCommandLine
import BaizeServer
import BaizeTableTypes
import Synchronization

/// Reads the configuration file and the table types again, at SIGHUP. A mistake in them changes nothing.
final class Reload: Sendable {
  private struct State {
    var server: Server?
    /// The settings that were read last.
    var arguments: CommandLineArguments
    var tableTypes: TableTypeLibrary
  }

  private let commandLine: CommandLineArguments
  /// The settings at the start, which those that cannot be reloaded keep.
  private let started: CommandLineArguments
  private let log: Log
  private let state: Mutex<State>

  init(_ commandLine: CommandLineArguments, _ started: CommandLineArguments, _ configuration: ServerConfiguration) {
    self.commandLine = commandLine
    self.started = started
    log = configuration.log
    state = Mutex(State(arguments: started, tableTypes: configuration.tableTypes))
  }

  /// Sets the daemon to pass the settings to.
  func begin(_ server: Server) { state.withLock { $0.server = server } }

  func run() {
    let last = state.withLock { $0 }
    guard let server = last.server else {
      log(.warning, "SIGHUP: nothing is read again before the daemon has started")
      return
    }
    do {
      let arguments = try Settings(commandLine).arguments
      let configuration = try ListenOptions.configuration(arguments)
      server.reload(limits: configuration.limits, tableTypes: configuration.tableTypes)
      state.withLock { ($0.arguments, $0.tableTypes) = (arguments, configuration.tableTypes) }
      log(.info, "SIGHUP: \(report(arguments, configuration.tableTypes, since: last))")
    } catch {
      log(.error, "SIGHUP: nothing has changed: \(error)")
    }
  }

  // MARK: The changes, in a line

  private func report(
    _ arguments: CommandLineArguments, _ tableTypes: TableTypeLibrary, since last: State
  ) -> String {
    let options = ListenOptions.command.options
    let changed = options.filter { LimitOption.isReloaded($0.flag) && differs($0, last.arguments, arguments) }
      .map { "\($0.flag) \(value($0, arguments)) (was \(value($0, last.arguments)))" }
    let fixed = options.filter { !LimitOption.isReloaded($0.flag) && differs($0, started, arguments) }.map(\.flag)
    let parts = changed + changes(from: last.tableTypes, to: tableTypes)
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
