import BaizeDriver
import Foundation
import Testing

/// A service manager's notification socket.
public final class ServiceManager {
  private let descriptor: Int32

  /// - Parameter name: A path, or an abstract name after an `@`.
  public init(_ name: String) throws {
    #if canImport(Darwin)
      descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #else
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #endif
    let timeout = [HangGuard.seconds, 0]
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, timeout, socklen_t(MemoryLayout<Int>.size * 2))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8.map { $0 == 64 ? 0 : $0 }) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + name.utf8.count)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    try #require(bound == 0)
  }

  deinit { close(descriptor) }

  /// Returns the next notice; `nil` if none arrives.
  public func next() -> String? {
    var room = [UInt8](repeating: 0, count: 4_096)
    let count = recv(descriptor, &room, room.count, 0)
    return count < 0 ? nil : String(decoding: room[..<count], as: UTF8.self)
  }
}
