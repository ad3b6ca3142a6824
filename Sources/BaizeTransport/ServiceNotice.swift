import BaizeSystem

/// A sender of the daemon's state to the service manager by the protocol of sd_notify(3): a datagram of `NAME=value`
/// lines to the socket that `NOTIFY_SOCKET` names. It needs no library of systemd.
public struct ServiceNotice: Sendable {
  /// A path, or `@` and an abstract name, which is in no file system.
  private let socketName: String

  /// Makes a sender; `nil` without a socket.
  ///
  /// - Parameter socketName: The value of `NOTIFY_SOCKET`.
  public init?(socketName: String?) {
    guard let socketName, !socketName.isEmpty else { return nil }
    self.socketName = socketName
  }

  /// Sends the lines, as one datagram.
  ///
  /// - Throws: `SystemError` when there is no receiver, or the name is not that of a socket.
  public func send(_ lines: String...) throws {
    let text = lines.joined(separator: "\n")
    var address = try kernelForm()
    let length = socklen_t(Self.pathOffset + socketName.utf8.count)
    let descriptor = try SystemCall.require("socket") { socket(AF_UNIX, Self.type, 0) }
    defer { SystemCall.closeDescriptor(descriptor) }
    try SystemCall.require("sendto") {
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          sendto(descriptor, text, text.utf8.count, Self.flags, $0, length)
        }
      }
    }
  }

  /// Returns the address without a terminator: its length is passed along, and an abstract name may have any byte.
  private func kernelForm() throws(SystemError) -> sockaddr_un {
    let name = Array(socketName.utf8)
    var address = sockaddr_un()
    let isName = name[0] == UInt8(ascii: "/") || name[0] == UInt8(ascii: "@")
    guard isName, name.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw SystemError(call: "NOTIFY_SOCKET", errno: EINVAL)
    }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: name)
      if name[0] == UInt8(ascii: "@") { path[0] = 0 }
    }
    return address
  }

  private static let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2

  #if canImport(Darwin)
    private static let type = SOCK_DGRAM
    private static let flags: Int32 = 0
  #else
    private static let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    private static let flags = Int32(MSG_NOSIGNAL)
  #endif
}
