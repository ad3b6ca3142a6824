import BaizeDriver
import BaizeLaboratory
import Foundation

/// The end and the start of a daemon while everyone plays.
extension LedgerPlay {
  /// An address other than the clients' own: one that connects while nobody listens cannot be connected to itself.
  static let daemonAddress = "127.0.0.2:0"

  /// Joins everyone to tables of a daemon.
  static func joining(_ daemon: ChildProcess, _ options: LedgerPlayOptions) throws -> LedgerPlay {
    var options = options
    options.address = daemon.address
    let play = try LedgerPlay(options)
    try play.join()
    return play
  }

  /// Ends a daemon by a signal.
  ///
  /// - Throws: ``RunFailure`` if it does not end as it should.
  func end(_ daemon: ChildProcess, by signal: Int32) throws {
    daemon.send(signal)
    try waitUntil(for: "the daemon to end", step: { try play(seconds: 0.002) }) { !daemon.isRunning }
    let code = daemon.waitForExit()
    guard code == (signal == SIGKILL ? -SIGKILL : 0) else {
      throw RunFailure("the daemon ended with \(code):\n\(daemon.errors)")
    }
  }

  /// Waits until a daemon that has been started listens.
  func waitForStart(of daemon: ChildProcess) throws {
    try waitUntil(for: "the daemon to listen", step: { try play(seconds: 0.002) }) {
      guard daemon.isRunning else { throw RunFailure("the daemon ended by itself:\n\(daemon.errors)") }
      return daemon.rest(ofLine: ChildProcess.daemonMarker) != nil
    }
  }
}
