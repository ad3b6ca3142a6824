import BaizeServer
import BaizeTransport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the service manager is told, if there is one that asked (`Type=notify` of systemd).
struct ServiceNotices: Sendable {
  private let notice: ServiceNotice?
  private let log: Log

  init(_ log: Log) {
    notice = ServiceNotice(socketName: ProcessInfo.processInfo.environment["NOTIFY_SOCKET"])
    self.log = log
  }

  /// A manager that cannot be told is no reason to stop serving.
  func send(_ lines: String...) {
    do {
      try notice?.send(lines.joined(separator: "\n"))
    } catch {
      log(.warning, "the service manager cannot be told \(lines[0]): \(error)")
    }
  }
}
