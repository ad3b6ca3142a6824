import BaizeSystem

/// The reason why a text is not a socket address. Each description is a sentence for the author of the text.
public enum SocketAddressError: Error, Equatable, Sendable {
  case missingPort(String)
  case missingHost(String)
  case badPort(String)
  case unbracketedV6(String)
  case unclosedBracket(String)
  case unresolved(host: String, why: String)
}

extension SocketAddressError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missingPort(let text): "'\(text)' names no port; write HOST:PORT, for example 127.0.0.1:7777"
    case .missingHost(let text): "'\(text)' names no host; write HOST:PORT, for example 127.0.0.1:7777"
    case .badPort(let text): "'\(text)' is not a port; a port is a number from 0 to 65535"
    case .unbracketedV6(let text): "'\(text)' has more than one colon; write an IPv6 address as [::1]:7777"
    case .unclosedBracket(let text): "'\(text)' opens a bracket and does not close it; write [::1]:7777"
    case .unresolved(let host, let why): "the host '\(host)' was not found: \(why)"
    }
  }
}

extension SocketAddress {
  /// Parses `HOST:PORT`, where the host is an IPv4 address, an IPv6 address in brackets, or a name.
  ///
  /// A name is resolved to its first address, which blocks: not for a loop's thread.
  ///
  /// - Throws: `SocketAddressError` with the reason.
  public init(parsing text: String) throws(SocketAddressError) {
    let (hostText, portText) = try Self.split(text)
    let digitsOnly = portText.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard digitsOnly, let port = UInt16(portText) else { throw .badPort(portText) }
    self = try Self.resolve(hostText, port: port)
  }

  private static func split(_ text: String) throws(SocketAddressError) -> (host: String, port: String) {
    let host: Substring
    let rest: Substring
    if text.hasPrefix("[") {
      guard let bracket = text.firstIndex(of: "]") else { throw .unclosedBracket(text) }
      host = text[..<bracket].dropFirst()
      rest = text[text.index(after: bracket)...]
    } else {
      let colon = text.firstIndex(of: ":") ?? text.endIndex
      host = text[..<colon]
      rest = text[colon...]
      if rest.dropFirst().contains(":") { throw .unbracketedV6(text) }
    }
    guard rest.first == ":", rest.count > 1 else { throw .missingPort(text) }
    if host.isEmpty { throw .missingHost(text) }
    return (String(host), String(rest.dropFirst()))
  }

  private static func resolve(_ host: String, port: UInt16) throws(SocketAddressError) -> SocketAddress {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Socket.stream
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &found)
    guard code == 0 else {
      throw .unresolved(host: host, why: gai_strerror(code).map { String(cString: $0) } ?? "code \(code)")
    }
    defer { freeaddrinfo(found) }
    for entry in sequence(first: found, next: { $0?.pointee.ai_next }) {
      guard let entry, let address = entry.pointee.ai_addr else { break }
      if let resolved = SocketAddress(address, entry.pointee.ai_addrlen) {
        return SocketAddress(host: resolved.host, port: port)
      }
    }
    throw .unresolved(host: host, why: "it has neither an IPv4 nor an IPv6 address")
  }
}
