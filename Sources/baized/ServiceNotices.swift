import BaizeServer
import BaizeTransport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Notifies the service manager, if there is one (systemd's `Type=notify`).
struct ServiceNotices: Sendable {
  private let notice: ServiceNotice?
  private let log: Log

  init(_ log: Log) {
    notice = ServiceNotice(socketName: ProcessInfo.processInfo.environment["NOTIFY_SOCKET"])
    self.log = log
  }

  /// Sends a notice. A failure is logged and does not stop the daemon.
  func send(_ lines: String...) {
    do {
      try notice?.send(lines.joined(separator: "\n"))
    } catch {
      log(.warning, "cannot notify the service manager of \(lines[0]): \(error)")
    }
  }
}
