import BaizeHTTP
import BaizeTransport

/// The answers at the daemon's HTTP address: the files of `Web`, the operator's table types, and WebSocket at `/ws`.
struct WebRoutes: HTTPRoutes {
  private let files = WebFiles()
  private let access: HTTPAccess
  private let types: OfferedTypes

  init(_ access: HTTPAccess, _ types: OfferedTypes) { (self.access, self.types) = (access, types) }

  /// Nothing here takes a body.
  let bodyBytesMax = 0

  /// Everyone is a client here.
  func isAuthorized(_ request: HTTPRequest) -> Bool { false }

  private static let webSocketPath = "/ws"
  private static let typesPath = "/types.json"
  /// A year, for which caches keep what is named by its contents.
  private static let permanentSeconds = 365 * 24 * 60 * 60

  func answer(_ request: HTTPRequest, from _: SocketAddress, queuedBytes: Int) -> HTTPAnswer {
    // The operator's page is at the operator's address.
    let file = request.path.hasPrefix("/admin/") ? nil : files[request.path]
    let isShared = file?.isShared ?? false
    if let refusal = access.refusal(of: request, isShared: isShared) { return .refusal(refusal, HTTPSecurity.own) }
    if request.path == Self.webSocketPath { return webSocket(request) }
    if request.path == Self.typesPath { return ownTypes(request, queuedBytes) }
    guard let file else { return .refusal(HTTPRefusal(.notFound, "there is no such page"), HTTPSecurity.own) }
    let fields = isShared ? HTTPSecurity.shared : HTTPSecurity.own
    guard request.method == "GET" || request.method == "HEAD" else { return .notAllowed("GET, HEAD", fields) }
    if request.hasUnreadBody { return .refusal(HTTPRefusal(.contentTooLarge, "no body is accepted"), fields) }
    return answer(request, file, fields)
  }

  /// Returns the operator's types. Unlike files, each response has a copy until its client has taken it.
  private func ownTypes(_ request: HTTPRequest, _ queuedBytes: Int) -> HTTPAnswer {
    guard request.method == "GET" else { return .notAllowed("GET", HTTPSecurity.own) }
    if request.hasUnreadBody { return .refusal(HTTPRefusal(.contentTooLarge, "no body is accepted"), HTTPSecurity.own) }
    let list = types.present
    let fields = HTTPSecurity.own + [HTTPField("ETag", list.tag), HTTPField("Cache-Control", "no-cache")]
    if matches(request, list.tag) { return .response(HTTPResponse(.notModified, fields), .none) }
    guard queuedBytes + list.bytes.count <= OfferedTypes.queuedBytesMax else {
      return .refusal(HTTPRefusal(.serviceUnavailable, "too many responses are unread; try again"), HTTPSecurity.own)
    }
    return .response(HTTPResponse(.ok, fields + [HTTPField("Content-Type", "application/json")]), .bytes(list.bytes))
  }

  private func answer(_ request: HTTPRequest, _ file: WebFiles.File, _ fields: [HTTPField]) -> HTTPAnswer {
    // The address names the contents: under it they are never others.
    let isPermanent = "\"\(request.query)\"" == file.tag
    let control = isPermanent ? "public, max-age=\(Self.permanentSeconds), immutable" : "no-cache"
    let caching = fields + [HTTPField("ETag", file.tag), HTTPField("Cache-Control", control)]
    if matches(request, file.tag) { return .response(HTTPResponse(.notModified, caching), .none) }
    let type = HTTPField("Content-Type", file.contentType)
    let encoding = file.isPacked ? [HTTPField("Content-Encoding", "gzip")] : []
    return .response(HTTPResponse(.ok, caching + [type] + encoding), .permanent(file.bytes))
  }

  /// Returns whether the client has these contents.
  private func matches(_ request: HTTPRequest, _ tag: String) -> Bool {
    request.lists("if-none-match", tag) || request.lists("if-none-match", "w/" + tag)
      || request.value("if-none-match") == "*"
  }

  private func webSocket(_ request: HTTPRequest) -> HTTPAnswer {
    guard request.method == "GET" else { return .notAllowed("GET", HTTPSecurity.own) }
    // A browser sends an origin with every handshake. One that does not, but says that it acts for another site's page, is
    // not believed.
    let site = request.value("sec-fetch-site")
    if request.count("origin") == 0, let site, site != "none", site != "same-origin" {
      return .refusal(HTTPRefusal(.forbidden, "pages of other sites are not accepted"), HTTPSecurity.own)
    }
    switch WebSocketHandshake.answer(request) {
    case .success(let response): return .webSocket(response)
    case .failure(let refusal):
      let fields = refusal.status == .upgradeRequired ? WebSocketHandshake.upgradeFields : []
      return .refusal(refusal, HTTPSecurity.own + fields)
    }
  }
}

extension HTTPAnswer {
  /// Returns the answer to a method that is not allowed for a path.
  static func notAllowed(_ methods: String, _ fields: [HTTPField]) -> HTTPAnswer {
    .refusal(HTTPRefusal(.methodNotAllowed, "only \(methods) is allowed here"), fields + [HTTPField("Allow", methods)])
  }
}
