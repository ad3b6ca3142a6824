/// The opening handshake of WebSocket (RFC 6455, section 4).
public enum WebSocketHandshake {
  /// Returns the response that changes the connection to WebSocket, or the reason why it does not change.
  ///
  /// No subprotocol and no extension is agreed on, whatever the client offers.
  public static func answer(_ request: HTTPRequest) -> Result<HTTPResponse, HTTPRefusal> {
    guard request.method == "GET" else {
      return .failure(HTTPRefusal(.methodNotAllowed, "a WebSocket begins with GET"))
    }
    guard request.isCurrent, request.lists("connection", "upgrade"), request.lists("upgrade", "websocket") else {
      return .failure(HTTPRefusal(.upgradeRequired, "only a WebSocket is served here"))
    }
    guard request.value("sec-websocket-version") == "13" else {
      return .failure(HTTPRefusal(.upgradeRequired, "only version 13 of WebSocket is served"))
    }
    guard let key = request.value("sec-websocket-key"), Base64.isEncoding(key, ofBytes: 16) else {
      return .failure(HTTPRefusal(.badRequest, "Sec-WebSocket-Key is not the base64 of 16 bytes"))
    }
    guard !request.hasUnreadBody, request.body.isEmpty else {
      return .failure(HTTPRefusal(.badRequest, "a WebSocket begins without a body"))
    }
    let fields = [
      HTTPField("Upgrade", "websocket"), HTTPField("Connection", "Upgrade"),
      HTTPField("Sec-WebSocket-Accept", accept(key)),
    ]
    return .success(HTTPResponse(.switchingProtocols, fields))
  }

  /// The fields of a response that refuses a handshake with ``HTTPStatus/upgradeRequired``.
  public static let upgradeFields = [HTTPField("Upgrade", "websocket"), HTTPField("Sec-WebSocket-Version", "13")]

  /// Returns the value of `Sec-WebSocket-Accept` for a client's key.
  public static func accept(_ key: String) -> String {
    Base64.encode(SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
  }
}
