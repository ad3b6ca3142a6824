#if OpenSSL
  import BaizeDriver
  import BaizeLaboratory
  import Foundation
  import TestSupport
  import Testing

  @testable import BaizeTransport

  extension TransportTests {
    /// TLS between two connections of one loop.
    @Suite struct Securing {
      private let folder: TemporaryFolder

      init() throws { folder = try TemporaryFolder() }

      /// Makes a certificate that its own key has signed, with OpenSSL's program, and returns it.
      private func identity(
        names: String, isExpired: Bool = false
      ) throws -> (identity: TLSContext.Identity, file: String) {
        let (certificate, key) = (folder.path("certificate.pem"), folder.path("key.pem"))
        try Tool.openssl.run(
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
          certificate, "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=\(names)")
        if isExpired {
          try Tool.openssl.run("x509", "-in", certificate, "-signkey", key, "-days", "0", "-out", certificate)
        }
        return (.files(certificate: certificate, key: key), certificate)
      }

      private struct Pair {
        let test: TestLoop
        let client: ConnectionKey
        let server: ConnectionKey
      }

      /// Connects a client to a server that begins TLS with the first bytes.
      private func connect(
        _ kind: SelectorKind = .platformDefault, as name: String = "127.0.0.1", to server: TLSContext,
        authorities: String?, speaking: TLSService = .baize
      ) throws -> Pair {
        let test = try TestLoop(kind)
        let port = try test.listenOnLoopback()
        let context = try TLSContext.client(of: name, authorities: authorities, speaking)
        let client = try test.loop.connect(to: .loopback(port: port), securedBy: context)
        var accepted: ConnectionKey?
        test.onReceived = { [unowned test] key, bytes in
          guard accepted == nil else { return bytes.count }
          accepted = key
          try? test.loop.secure(key, server, for: .baize)
          return 0
        }
        try #require(try test.turns(until: { accepted != nil }))
        return Pair(test: test, client: client, server: try #require(accepted))
      }

      private func count(_ test: TestLoop, by key: ConnectionKey) -> Int {
        test.events.reduce(0) { if case .received(key, let bytes) = $1 { $0 + bytes.count } else { $0 } }
      }

      private func received(_ test: TestLoop, by key: ConnectionKey) -> [UInt8] {
        Array(test.received(from: key).joined())
      }

      @Test(arguments: SelectorKind.allCases)
      func `bytes arrive in both directions, however many`(_ kind: SelectorKind) throws {
        let (identity, file) = try identity(names: "IP:127.0.0.1")
        let pair = try connect(kind, to: .server(identity), authorities: file)
        let test = pair.test
        test.send(pair.client, [1, 2, 3])
        try #require(try test.turns(until: { test.events.contains(.connected(pair.client)) }))
        try #require(try test.turns(until: { test.received(from: pair.server).contains([1, 2, 3]) }))
        let long = pattern(1_000_001)
        test.events = []
        test.send(pair.client, long)
        test.send(pair.server, long)
        try #require(
          try test.turns(until: {
            count(test, by: pair.client) >= long.count && count(test, by: pair.server) >= long.count
          }))
        let isSame = received(test, by: pair.client) == long
        #expect(isSame)
        let isSameThere = received(test, by: pair.server) == long
        #expect(isSameThere)
        #expect(test.loop.queueMemoryBytes >= 2 * TLSLimits.connectionBytes, "TLS is charged")

        test.loop.close(pair.client, afterFlush: true)
        try #require(try test.turns(until: { test.closings.count == 2 }))
        #expect(test.closings.contains(.closed(pair.server, .peerClosed)))
        #expect(test.loop.securedCount == 0)
      }

      @Test func `a peer that does not read is written to no more than it reads`() throws {
        let (identity, file) = try identity(names: "IP:127.0.0.1")
        let pair = try connect(to: .server(identity), authorities: file)
        let test = pair.test
        try #require(try test.turns(until: { test.events.contains(.connected(pair.client)) }))
        test.loop.pauseReading(pair.client)
        let long = pattern(8_000_000)
        test.send(pair.server, long)
        #expect(try test.becomesQuiet())
        #expect(test.loop.pendingBytes(pair.server) > 0)
        test.loop.resumeReading(pair.client)
        try #require(try test.turns(until: { count(test, by: pair.client) >= long.count }))
        let isSame = received(test, by: pair.client) == long
        #expect(isSame)
      }

      @Test func `a connection goes on in another loop`() throws {
        let (identity, file) = try identity(names: "IP:127.0.0.1")
        let pair = try connect(to: .server(identity), authorities: file)
        let test = pair.test
        try #require(try test.turns(until: { test.events.contains(.connected(pair.client)) }))
        try test.settle()
        let detached = try #require(test.loop.detach(pair.server))
        let other = try TestLoop(.platformDefault)
        let moved = try other.loop.adopt(detached)
        #expect((test.loop.securedCount, other.loop.securedCount) == (1, 1))
        other.send(moved, [7, 8])
        test.send(pair.client, [9])
        try test.loop.turn(test, timeout: 0)
        try #require(try other.turns(until: { other.received(from: moved) == [[9]] }))
        try #require(try test.turns(until: { received(test, by: pair.client) == [7, 8] }))
      }

      @Test(arguments: [
        ("localhost", "IP:127.0.0.1", "it is not for 'localhost'"),
        ("127.0.0.1", "DNS:localhost", "it is not for '127.0.0.1'"),
      ])
      func `a certificate for another name is refused, in words`(name: String, names: String, words: String) throws {
        let (identity, file) = try identity(names: names)
        let pair = try connect(as: name, to: .server(identity), authorities: file)
        try expectFailure(pair, of: pair.client, .untrusted, words)
      }

      @Test func `a certificate that nobody trusts is refused, in words on both sides`() throws {
        let (identity, _) = try identity(names: "IP:127.0.0.1")
        let pair = try connect(to: .server(identity), authorities: nil)
        try expectFailure(pair, of: pair.client, .untrusted, "it is self-signed, and not among the trusted ones")
        try expectFailure(pair, of: pair.server, .handshake, "does not trust whoever signed the certificate")
      }

      @Test func `an expired certificate is refused, in words on both sides`() throws {
        let (identity, file) = try identity(names: "IP:127.0.0.1", isExpired: true)
        let context = try TLSContext.server(identity)
        #expect(try #require(context.secondsValid) <= 0)
        let pair = try connect(to: context, authorities: file)
        try expectFailure(pair, of: pair.client, .untrusted, "it has expired")
        try expectFailure(pair, of: pair.server, .handshake, "has expired")
      }

      @Test func `a client of another protocol is refused, in words on both sides`() throws {
        let (identity, file) = try identity(names: "IP:127.0.0.1")
        let pair = try connect(to: .server(identity), authorities: file, speaking: .http)
        try expectFailure(pair, of: pair.server, .handshake, "speaks another protocol than this port")
        try expectFailure(pair, of: pair.client, .handshake, "speaks another protocol at this port")
      }

      @Test func `a daemon without TLS is recognized`() throws {
        let (_, file) = try identity(names: "IP:127.0.0.1")
        let test = try TestLoop(.platformDefault)
        let port = try test.listenOnLoopback()
        let client = try test.loop.connect(
          to: .loopback(port: port), securedBy: .client(of: "127.0.0.1", authorities: file))
        test.onReceived = { [unowned test] key, bytes in
          if key != client { test.send(key, Array("this is no record of TLS".utf8)) }
          return bytes.count
        }
        try #require(try test.turns(until: { test.closings.count == 2 }))
        let failure = TLSFailure(.plainPeer, "the daemon does not use TLS")
        #expect(test.closings.contains(.closed(client, .insecure(failure))))
        #expect(!test.events.contains(.connected(client)))
      }

      /// Truncated, repeated and changed records never get through, and never end the process.
      @Test func `changed records end the connection`() throws {
        let (identity, _) = try identity(names: "IP:127.0.0.1")
        let context = try TLSContext.server(identity)
        var generator = SeededGenerator(seed: 27)
        for _ in 0..<200 {
          let test = try TestLoop(.platformDefault)
          let (key, peer) = try test.acceptPeer()
          try test.loop.secure(key, context, for: .baize)
          var bytes: [UInt8] = [22, 3, 1, UInt8.random(in: 0...2, using: &generator)]
          bytes += (0..<Int.random(in: 1...400, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }
          peer.write(bytes)
          peer.endSending()
          try #require(try test.turns(until: { !test.closings.isEmpty }))
          #expect(test.received(from: key) == [])
        }
      }

      private func expectFailure(
        _ pair: Pair, of key: ConnectionKey, _ kind: TLSFailure.Kind, _ words: String,
        _ location: SourceLocation = #_sourceLocation
      ) throws {
        let test = pair.test
        var failure: TLSFailure?
        try #require(
          try test.turns(until: {
            for case .closed(key, .insecure(let found)) in test.events { failure = found }
            return failure != nil
          }), sourceLocation: location)
        #expect(failure?.kind == kind, sourceLocation: location)
        #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")", sourceLocation: location)
        #expect(!test.events.contains(.connected(key)), sourceLocation: location)
      }

      // MARK: Files

      @Test func `files that cannot be used are refused in words`() throws {
        let (_, file) = try identity(names: "IP:127.0.0.1")
        let key = folder.path("key.pem")
        func failure(_ certificate: String, _ key: String) -> String {
          do throws(TLSFailure) {
            _ = try TLSContext.server(.files(certificate: certificate, key: key))
            return ""
          } catch {
            return error.description
          }
        }
        #expect(failure("/nowhere.pem", key).contains("'/nowhere.pem' cannot be read: No such file"))
        #expect(failure(key, key).contains("has no certificate in PEM form"))
        #expect(failure(file, file).contains("every user can read the key"))
        _ = chmod(file, 0o600)
        #expect(failure(file, file).contains("has no private key in PEM form"))
        #expect(failure(file, key) == "")
        let other = folder.path("other.pem")
        try FileManager.default.moveItem(atPath: key, toPath: other)
        _ = try identity(names: "IP:127.0.0.1")
        #expect(failure(file, other).contains("is not that of the certificate"))
      }
    }
  }
#endif
