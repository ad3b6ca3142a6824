/// The rules that keep other sites' pages out: which names a request may come to, and from which pages.
///
/// A browser sends a page's requests wherever the page says, also to a server on the visitor's own machine. A name that was
/// bound to another address meanwhile (DNS rebinding) is in `Host`, and the page's own address in `Origin`.
public struct HTTPAccess: Hashable, Sendable {
  private let hosts: Set<String>
  private let origins: Set<String>
  /// Whether every address, not a name, is accepted: an address cannot be bound to another.
  private let acceptsAddresses: Bool

  /// Creates rules that accept the names of this machine and the ones given.
  ///
  /// - Parameters:
  ///   - listening: The address that the server listens at, without its port; `nil` for all addresses of the machine.
  ///   - hosts: Further names, for any port.
  ///   - origins: The origins of other sites whose pages are accepted, such as `https://example.org`.
  public init(listening: String?, hosts: [String] = [], origins: [String] = []) {
    self.hosts = Set((hosts + [listening].compactMap(\.self)).map(\.asciiLowercased))
    self.origins = Set(origins.map(\.asciiLowercased))
    acceptsAddresses = listening == nil
  }

  /// Returns the reason why a request is not accepted; `nil` if it is.
  ///
  /// - Parameter isShared: Whether pages of every origin may read what is asked for.
  public func refusal(of request: HTTPRequest, isShared: Bool) -> HTTPRefusal? {
    guard let host = request.host.flatMap(HTTPAuthority.init), accepts(host.name) else {
      return HTTPRefusal(.misdirectedRequest, "this server does not go by that name (see --allow-host)")
    }
    guard !isShared, request.count("origin") > 0 else { return nil }
    guard let origin = request.value("origin")?.asciiLowercased, isOwn(origin, at: host) || origins.contains(origin)
    else {
      return HTTPRefusal(.forbidden, "pages of other sites are not accepted (see --allow-origin)")
    }
    return nil
  }

  private func accepts(_ name: String) -> Bool {
    let isAddress = HTTPAuthority.isAddress(name)
    return hosts.contains(name) || name == "localhost" || name == "[::1]" || (isAddress && name.hasPrefix("127."))
      || (acceptsAddresses && isAddress)
  }

  private func isOwn(_ origin: String, at host: HTTPAuthority) -> Bool {
    for (scheme, port) in [("http://", "80"), ("https://", "443")] where origin.hasPrefix(scheme) {
      guard let page = HTTPAuthority(String(origin.dropFirst(scheme.count))) else { return false }
      return page.name == host.name && (page.port ?? port) == (host.port ?? port)
    }
    return false
  }
}

/// A host with a port, as `Host` and `Origin` have it.
struct HTTPAuthority {
  /// A name, or an address; one of IPv6 is in brackets.
  let name: String
  let port: String?

  /// - Parameter text: In lowercase letters.
  init?(_ text: String) {
    let end: String.Index
    if text.hasPrefix("[") {
      guard let bracket = text.firstIndex(of: "]") else { return nil }
      end = text.index(after: bracket)
    } else {
      end = text.firstIndex(of: ":") ?? text.endIndex
    }
    name = String(text[..<end])
    let rest = text[end...]
    let digits = rest.dropFirst()
    guard Self.isName(name), rest.isEmpty || rest.hasPrefix(":"), digits.utf8.count <= 5,
      digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 })
    else { return nil }
    port = digits.isEmpty ? nil : String(digits)
  }

  private static func isName(_ name: String) -> Bool {
    if name.hasPrefix("[") { return isAddress(name) }
    return !name.isEmpty && name.utf8.count <= 253
      && name.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
  }

  /// Returns whether a name is an address of IPv4, or one of IPv6 in brackets.
  static func isAddress(_ name: String) -> Bool {
    if name.hasPrefix("[") {
      return name.hasSuffix("]") && name.count > 3
        && name.dropFirst().dropLast().utf8.allSatisfy {
          0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 || $0 == 0x3A || $0 == 0x2E
        }
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }
  }
}
