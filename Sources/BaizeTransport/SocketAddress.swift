import BaizeSystem

/// The address of a socket: a host's address and a port.
public struct SocketAddress: Hashable, Sendable, BitwiseCopyable {
  /// A host's numeric address. An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) is an IPv4 address, so that a limit per
  /// address cannot be used twice.
  public enum Host: Hashable, Sendable, BitwiseCopyable {
    /// The four bytes, the first one the most significant.
    case v4(UInt32)
    /// The sixteen bytes in two halves, and the interface of a link-local address (otherwise 0).
    case v6(high: UInt64, low: UInt64, scope: UInt32)
  }

  public let host: Host
  /// The TCP port; 0 lets a listener choose one.
  public let port: UInt16

  public init(host: Host, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Returns 127.0.0.1 with the given port.
  public static func loopback(port: UInt16) -> SocketAddress {
    SocketAddress(host: .v4(0x7F00_0001), port: port)
  }

  /// Whether only this machine can reach the address.
  public var isLoopback: Bool {
    switch host {
    case .v4(let bits): bits >> 24 == 127
    case .v6(let high, let low, _): high == 0 && low == 1
    }
  }

  /// The address without the port, as in `127.0.0.1` or `::1`.
  public var hostText: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch host {
    case .v4(let bits):
      var address = in_addr(s_addr: bits.bigEndian)
      _ = inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
    case .v6(let high, let low, _):
      var halves = (high.bigEndian, low.bigEndian)
      _ = inet_ntop(AF_INET6, &halves, &text, socklen_t(text.count))
    }
    return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }
}

extension SocketAddress: CustomStringConvertible {
  /// For example `127.0.0.1:7777` or `[::1]:7777`.
  public var description: String {
    switch host {
    case .v4: "\(hostText):\(port)"
    case .v6: "[\(hostText)]:\(port)"
    }
  }
}

// MARK: - The kernel's form

extension SocketAddress {
  var family: Int32 {
    switch host {
    case .v4: AF_INET
    case .v6: AF_INET6
    }
  }

  /// Reads the kernel's form; `nil` for a family that is neither IPv4 nor IPv6.
  init?(_ storage: sockaddr_storage) {
    let parsed: SocketAddress? = withUnsafeBytes(of: storage) { bytes in
      switch Int32(storage.ss_family) {
      case AF_INET:
        let raw = bytes.loadUnaligned(as: sockaddr_in.self)
        return SocketAddress(host: .v4(UInt32(bigEndian: raw.sin_addr.s_addr)), port: UInt16(bigEndian: raw.sin_port))
      case AF_INET6:
        let raw = bytes.loadUnaligned(as: sockaddr_in6.self)
        return SocketAddress(host: Host(raw), port: UInt16(bigEndian: raw.sin6_port))
      default:
        return nil
      }
    }
    guard let parsed else { return nil }
    self = parsed
  }

  /// Reads the kernel's form of the given length in bytes; `nil` for a family that is neither IPv4 nor IPv6.
  init?(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) {
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { bytes in
      bytes.copyMemory(from: UnsafeRawBufferPointer(start: address, count: min(Int(length), bytes.count)))
    }
    self.init(storage)
  }

  /// Calls `body` with the address in the form that `bind` and `connect` expect.
  func withKernelForm<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    switch host {
    case .v4(let bits):
      var raw = sockaddr_in()
      #if canImport(Darwin)
        raw.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
      #endif
      raw.sin_family = sa_family_t(AF_INET)
      raw.sin_port = port.bigEndian
      raw.sin_addr.s_addr = bits.bigEndian
      return Self.lend(&raw, body)
    case .v6(let high, let low, let scope):
      var raw = sockaddr_in6()
      #if canImport(Darwin)
        raw.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
      #endif
      raw.sin6_family = sa_family_t(AF_INET6)
      raw.sin6_port = port.bigEndian
      raw.sin6_scope_id = scope
      withUnsafeMutableBytes(of: &raw.sin6_addr) { bytes in
        bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
        bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      }
      return Self.lend(&raw, body)
    }
  }

  private static func lend<Raw, Result>(
    _ raw: inout Raw, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: &raw) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Raw>.size)) }
    }
  }
}

extension SocketAddress.Host {
  fileprivate init(_ raw: sockaddr_in6) {
    let (high, low) = withUnsafeBytes(of: raw.sin6_addr) { bytes in
      (
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
    self.init(high: high, low: low, scope: raw.sin6_scope_id)
  }
}
