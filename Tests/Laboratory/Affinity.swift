import BaizeDriver
import BaizeTransport
import Foundation

/// Binds processes to cores by the system's own `taskset`: one core for all threads of the daemon, another for the
/// harness.
package enum Affinity {
  /// Returns the prefix of a command that binds it to a core.
  static func command(core: Int) -> [String] { ["/usr/bin/env", "taskset", "--cpu-list", "\(core)"] }

  /// Binds this thread, and those that it will start.
  ///
  /// - Throws: ``RunFailure`` if there is no such core, or no `taskset`.
  static func bind(toCore core: Int) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "taskset", "--cpu-list", "--pid", "\(core)", "\(ProcessInfo.processInfo.processIdentifier)",
    ]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw RunFailure("cannot bind to core \(core): taskset ended with \(process.terminationStatus)")
    }
  }

  /// Binds the harness to the last core, and leaves the one before it to the daemon.
  ///
  /// - Returns: The daemon's core; `nil` if there is only one core.
  package static func divide(_ report: (String) -> Void) throws -> Int? {
    guard ProcessorCount.online > 1 else {
      report("there is only one core: the daemon and the harness share it, and the figures mean little")
      return nil
    }
    try bind(toCore: ProcessorCount.online - 1)
    return ProcessorCount.online - 2
  }

  /// Gives this process the lowest priority, whatever its scheduling class, so that it does not slow measured processes.
  package static func lowerPriority() {
    var parameters = sched_param()
    sched_setscheduler(0, SCHED_OTHER, &parameters)
    setpriority(Int32(PRIO_PROCESS.rawValue), 0, 19)
  }

  /// Has this thread, and those that it will start, run only while a processor is idle, as if it were on another machine: it
  /// gives way at once to any other thread that becomes ready, where one of a low priority would finish its slice.
  package static func useIdleProcessors() {
    #if os(Linux)
      // SCHED_IDLE of sched.h, which the module of the C library leaves out.
      let idle: Int32 = 5
      var parameters = sched_param()
      sched_setscheduler(0, idle, &parameters)
    #else
      lowerPriority()
    #endif
  }
}
