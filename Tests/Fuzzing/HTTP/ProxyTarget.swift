import BaizeTransport

/// The header of the PROXY protocol is found at the same place, and says the same, whether or not its bytes come one by one.
enum ProxyTarget {
  private enum Found: Equatable {
    case nothing
    case header(ProxyHeader)
    case error(ProxyHeaderError)
  }

  static func run(_ input: [UInt8]) -> Bool {
    let input = Array(input.prefix(2 * TransportLimits.proxyHeaderBytesMax))
    var (first, firstCount) = (Found.nothing, 0)
    for count in 0...input.count where first == .nothing {
      // The longest headers need not be divided at every byte.
      if count > 256, count < input.count, count % 64 != 0 { continue }
      (first, firstCount) = (read(input[..<count]), count)
    }
    hold(read(input[...]) == first, "\(first) in the first \(firstCount) bytes, \(read(input[...])) in all")
    switch first {
    case .nothing:
      hold(input.count < TransportLimits.proxyHeaderBytesMax, "\(input.count) bytes without a decision")
      return false
    case .error: return false
    case .header(let header):
      hold(header.byteCount <= firstCount && header.byteCount > 0, "\(header.byteCount) of \(firstCount) bytes")
      hold(header.byteCount <= TransportLimits.proxyHeaderBytesMax, "a header of \(header.byteCount) bytes")
      return true
    }
  }

  private static func read(_ bytes: ArraySlice<UInt8>) -> Found {
    bytes.withUnsafeBytes { bytes in
      do throws(ProxyHeaderError) {
        return try ProxyHeader.read(bytes).map(Found.header) ?? .nothing
      } catch {
        return .error(error)
      }
    }
  }
}
