import BaizeHTTP
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import BaizeWire
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BaizeServer

extension ServerTests {
  /// The daemon's HTTP address.
  @Suite struct HTTP {
    /// Adding a file to `Web` without adding it to `Sources/CWeb/files.c` fails here.
    @Test func `every file of the page is served as it is, with a type and a tag`() async throws {
      let folder = Repository.root.appending(path: "Sources/BaizeServer/Web")
      let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path, isDirectory: &isFolder)
        return !isFolder.boolValue && path != "package.json" && !path.hasPrefix("admin/")
      }
      #expect(paths.count > 30)
      try await withHTTPServer { _, address in
        let client = try HTTPClient(address)
        for file in paths {
          let path = file.hasSuffix(".gz") ? String(file.dropLast(3)) : file
          let response = try client.get("/" + path)
          #expect(response.status == 200, "\(path): a new file is to be added to Sources/CWeb/files.c")
          let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(file)))
          #expect(response.body == bytes, "\(path)")
          #expect(response.fields["content-encoding"] == (file == path ? nil : "gzip"))
          #expect(response.fields["cache-control"] == "no-cache")
          #expect(response.fields["content-type"]?.isEmpty == false)
          let tag = try #require(response.fields["etag"])
          let cached = try client.get("/" + path, "If-None-Match: \"x\", \(tag)")
          #expect(cached.status == 304 && cached.body.isEmpty && cached.fields["content-length"] == nil)
          #expect(cached.fields["etag"] == tag)
          let head = try client.get("/" + path, method: "HEAD")
          #expect(head.status == 200 && head.fields["content-length"] == "\(response.body.count)")
        }
        let (page, index) = (try client.get("/"), try client.get("/made/index.html"))
        #expect(page.body == index.body && page.fields["content-type"] == "text/html; charset=utf-8")
      }
    }

    /// `Tests/bundle.py` names contents as the daemon does; under another name they are not kept, lest an older daemon behind the
    /// same proxy gives its own for them.
    @Test func `what the page names by its contents is kept for good`() async throws {
      try await withHTTPServer { _, address in
        let client = try HTTPClient(address)
        let page = String(decoding: try client.get("/").body, as: UTF8.self)
        let named = page.matches(of: /(?:href|src)="([^"?]+\?)([^"]+)"/).map { ($0.1, $0.2) }
        #expect(named.count == 3)
        for (path, tag) in named {
          let response = try client.get("/\(path)\(tag)")
          #expect(response.fields["cache-control"] == "public, max-age=31536000, immutable", "\(path)")
          #expect(response.fields["etag"] == "\"\(tag)\"")
          #expect(try client.get("/\(path)0\(tag)").fields["cache-control"] == "no-cache")
        }
      }
    }

    /// Each response has a copy of the list, which strangers may leave unread.
    @Test func `the list of table types is not sent while too much is unread, and files are`() throws {
      let routes = WebRoutes(HTTPAccess(listening: nil), OfferedTypes(TableTypeLibrary(), for: .anyone))
      func status(_ path: String, queuedBytes: Int) throws -> HTTPStatus? {
        var reader = HTTPRequestReader()
        let text = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        let request = try #require(try text.withUnsafeBytes { try reader.next(in: $0) }?.0)
        let answer = routes.answer(request, from: .loopback(port: 1), queuedBytes: queuedBytes)
        return if case .response(let response, _) = answer { response.status } else { nil }
      }
      #expect(try status("/types.json", queuedBytes: OfferedTypes.queuedBytesMax - 2) == .ok)
      #expect(try status("/types.json", queuedBytes: OfferedTypes.queuedBytesMax) == .serviceUnavailable)
      #expect(try status("/", queuedBytes: OfferedTypes.queuedBytesMax) == .ok)
    }

    @Test func `the operator's own table types are listed, where everyone may create tables`() async throws {
      let bundled = TableTypeLibrary.bundled
      let text = try #require(bundled["list"]).text
      let own = try TableTypeDocument(parsing: text.replacing("\"name\": \"list\"", with: "\"name\": \"own\""))
      let changed = try TableTypeDocument(parsing: text + "\n")
      let library = bundled.adding(own).adding(changed)
      try await withHTTPServer({ $0.tableTypes = library }) { server, address in
        let client = try HTTPClient(address)
        let response = try client.get("/types.json")
        #expect(String(decoding: response.body, as: UTF8.self) == "[\(changed.text),\(own.text)]")
        #expect(response.fields["content-type"] == "application/json" && response.fields["cache-control"] == "no-cache")
        let tag = try #require(response.fields["etag"])
        #expect(try client.get("/types.json", "If-None-Match: \(tag)").status == 304)
        #expect(try client.get("/types.json", method: "DELETE").status == 405)
        server.reload(limits: SyncLimits(), tableTypes: bundled)
        #expect(try client.get("/types.json").body == Array("[]".utf8))
      }
      try await withHTTPServer({ ($0.tableTypes, $0.creation) = (library, .nobody) }) { server, address in
        let client = try HTTPClient(address)
        #expect(try client.get("/types.json").body == Array("[]".utf8))
        server.reload(limits: SyncLimits(), tableTypes: library)
        #expect(try client.get("/types.json").body == Array("[]".utf8))
      }
    }

    @Test func `every response has the security headers, and only the library may be read by other sites`() async throws
    {
      try await withHTTPServer { _, address in
        let policy =
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
          + "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        let requests = [
          ("/", "GET"), ("/baize.js", "GET"), ("/baize/codec.js", "GET"), ("/nowhere", "GET"), ("/", "DELETE"),
          ("/ws", "GET"),
          ("*", "GET"),
        ]
        for (path, method) in requests {
          let response = try HTTPClient(address).get(path, method: method)
          #expect(response.fields["content-security-policy"] == policy, "\(method) \(path)")
          #expect(response.fields["x-content-type-options"] == "nosniff")
          #expect(response.fields["referrer-policy"] == "no-referrer")
          let isShared = path.hasPrefix("/baize")
          #expect(response.fields["access-control-allow-origin"] == (isShared ? "*" : nil))
          #expect(response.fields["cross-origin-resource-policy"] == (isShared ? "cross-origin" : "same-origin"))
        }
      }
    }

    @Test func `requests of other sites, of rebound names and with bodies are refused`() async throws {
      try await withHTTPServer { server, address in
        #expect(try HTTPClient(address).get("/", host: "example.org").status == 421, "a rebound name")
        #expect(try HTTPClient(address).get("/", "Origin: http://example.org").status == 403, "another site's page")
        #expect(try HTTPClient(address).get("/baize.js", "Origin: http://example.org").status == 200)
        let form = try HTTPClient(address).get(
          "/", "Origin: http://example.org", "Content-Type: application/x-www-form-urlencoded", "Content-Length: 3",
          method: "POST")
        #expect(form.status == 403, "a form of another site")
        let own = try HTTPClient(address).get("/", "Origin: http://localhost", "Content-Length: 3", method: "POST")
        #expect(own.status == 405 && own.fields["allow"] == "GET, HEAD" && own.fields["connection"] == "close")
        #expect(try HTTPClient(address).get("/", "Content-Length: 3").status == 413)
        for field in ["Origin: http://example.org", "Origin: null", "Sec-Fetch-Site: cross-site"] {
          let client = try HTTPClient(address)
          client.requestWebSocket([field])
          #expect(try client.response()?.status == 403, "a WebSocket with \(field)")
        }
        #expect(server.statistics.connectionsAccepted == 0, "none has reached a shard")
      }
    }

    @Test func `names and origins that are allowed are accepted`() async throws {
      try await withHTTPServer({
        $0.http?.hosts = ["board.example.org"]
        $0.http?.origins = ["https://other.example"]
      }) { _, address in
        #expect(try HTTPClient(address).get("/", host: "board.example.org").status == 200)
        #expect(
          try HTTPClient(address).get("/", "Origin: https://board.example.org", host: "board.example.org").status == 200
        )
        let client = try HTTPClient.webSocket(address, "Origin: https://other.example", "Sec-Fetch-Site: cross-site")
        _ = try client.join(Hello(table: "list", tableType: "list?items=3"))
      }
    }

    @Test func `a hundred pipelined requests are answered in order`() async throws {
      try await withHTTPServer { _, address in
        let client = try HTTPClient(address)
        let paths = ["/", "/baize.js", "/nowhere", "/table/icon.svg"]
        for number in 0..<100 { client.send("GET \(paths[number % 4]) HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        for number in 0..<100 {
          #expect(try client.response()?.status == (number % 4 == 2 ? 404 : 200))
        }
      }
    }

    /// A client that ends its own side behind its request is answered completely.
    @Test func `a half-closed connection gets its response`() async throws {
      try await withHTTPServer { _, address in
        let client = try HTTPClient(address)
        client.send("GET /baize/client.js HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.endSending()
        #expect(try client.response()?.status == 200)
        #expect(try client.ends())
      }
    }

    @Test func `invalid requests get a status, and the connection is closed`() async throws {
      try await withHTTPServer { _, address in
        for (text, status) in [
          ("\u{16}\u{3}\u{1}", 400), ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/3\r\nHost: a\r\n\r\n", 505),
        ] {
          let client = try HTTPClient(address)
          client.send(text + "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
          let response = try client.response()
          #expect(response?.status == status && response?.fields["connection"] == "close")
          #expect(try client.ends(), "what follows is no request")
        }
        let old = try HTTPClient(address)
        old.send("GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
        #expect(try old.response()?.status == 200)
        #expect(try old.ends())
      }
    }

    /// Slowloris: a head that never ends, and a connection that sends nothing (I8).
    @Test func `slow requests time out, even if a byte arrives now and then`() async throws {
      try await withHTTPServer({ $0.limits.connections.handshakeSeconds = 1 }) { _, address in
        let silent = try HTTPClient(address)
        let slow = try HTTPClient(address)
        slow.send("GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        while !slow.hasReceived() {
          slow.send("y")
          usleep(50_000)
        }
        #expect(try silent.ends())
        let response = try slow.response()
        #expect(response?.status == 408)
        #expect(try slow.ends())
      }
    }

    @Test func `a WebSocket over the limit gets a response that says so, and counts as a connection over TCP does`()
      async throws
    {
      try await withHTTPServer({ $0.connectionsMax = 2 }) { server, address in
        let (member, _) = try server.join("list")
        let browser = try HTTPClient.webSocket(address)
        #expect(try BlockingClient(server.address).goodbye()?.reason == .tooManyConnections)
        let third = try HTTPClient(address)
        third.requestWebSocket()
        let response = try third.response()
        #expect(response?.status == 503 && response?.fields["retry-after"] == "1")
        browser.close()
        #expect(
          try await eventually {
            third.requestWebSocket()
            return try third.response()?.status == 101
          })
        #expect(try member.ping(1) != nil)
      }
    }

    @Test func `a port that is taken is an error, or only a warning if it is the default`() async throws {
      try await withHTTPServer { _, address in
        let lines = LogLines()
        var configuration = ServerConfiguration()
        configuration.address = .loopback(port: 0)
        configuration.log = Log(.warning) { lines.append($0) }
        configuration.http = HTTPConfiguration(address: address)
        let strict = configuration
        await #expect(throws: HTTPListenError.self) { try await Server.start(strict) }
        configuration.http?.isOptional = true
        let server = try await Server.start(configuration)
        #expect(server.httpAddress == nil)
        #expect(lines.all.contains { $0.contains("cannot serve HTTP on \(address)") }, "\(lines.all)")
        await server.stop()
      }
    }
  }
}
