#if OpenSSL
  import BaizeClient
  import BaizeDriver
  import BaizeLaboratory
  import BaizeSync
  import BaizeTable
  import BaizeWire
  import Synchronization
  import TestSupport
  import Testing

  @testable import BaizeServer

  extension ServerTests {
    /// J23, P5, I13: a token ends while its person drags items, which others see.
    @Suite struct TokenDrags {
      private let folder: TemporaryFolder
      private let signer: TokenSigner

      init() throws {
        folder = try TemporaryFolder()
        signer = try TokenSigner(file: folder.path("secret.json"))
      }

      /// What others see of a drag, without its movements.
      private final class Phases: Sendable {
        private let seen = Mutex<[Drag.Phase]>([])
        private let task = Mutex<Task<Void, Never>?>(nil)

        var all: [Drag.Phase] { seen.withLock { $0 } }

        func watch(_ client: TableClient) {
          let events = client.events.makeAsyncIterator()
          let watching = Task {
            var events = events
            while let event = await events.next() {
              if case .drag(let drag) = event, drag.phase != .moved { seen.withLock { $0.append(drag.phase) } }
            }
          }
          task.withLock { $0 = watching }
        }
      }

      /// Two clients at a list of five items: one whose first token ends soon, and one who watches.
      private func withDragger(
        seconds: Int64, next: @escaping @Sendable () throws -> Void,
        _ body: (Server, _ dragger: TableClient, _ other: TableClient, Phases) async throws -> Void
      ) async throws {
        try await withServer({ $0.tokens = signer.configuration() }) { server in
          var watching = ClientConfiguration(table: "t", tableType: "list?items=5")
          watching.signedToken = { [signer] in try signer.token(subject: "bea") }
          let other = try await TableClient.join(.tcp(server.address), watching, timeout: .seconds(HangGuard.seconds))
          let phases = Phases()
          phases.watch(other)
          let asked = CallCounter()
          var dragging = watching
          dragging.signedToken = { [signer] in
            let number = asked.next()
            if number > 1 { try next() }
            return try signer.token(seconds: number == 1 ? seconds : 600)
          }
          let dragger = try await TableClient.join(.tcp(server.address), dragging, timeout: .seconds(HangGuard.seconds))
          #expect(try await eventually { other.revision == dragger.revision })
          try await body(server, dragger, other, phases)
          await dragger.leave()
          await other.leave()
        }
      }

      private func drop(_ item: ItemID, of client: TableClient) -> Submission {
        client.endDrag()
        return client.move([item], to: "items")
      }

      private func expectMoved(_ item: ItemID, from before: Revision, _ clients: TableClient...) async throws {
        for client in clients {
          #expect(try await eventually { client.itemIDs(in: "items").last == item && client.drags.isEmpty })
          #expect(client.revision.rawValue == before.rawValue + 1, "the drop is judged once")
        }
      }

      @Test func `a drag goes on when the next token comes in time`() async throws {
        try await withDragger(seconds: 3, next: {}) { server, dragger, other, phases in
          let (item, session, before) = (dragger.itemIDs(in: "items")[0], dragger.session, other.revision)
          let begun = ContinuousClock.now
          dragger.beginDrag([item])
          #expect(try await eventually { other.drags.count == 1 })
          // Beyond the end of the first token, at which the connection would have ended.
          var x: Int32 = 0
          while ContinuousClock.now - begun < .seconds(5) {
            x += 1
            dragger.moveDrag(over: nil, x: x)
            #expect(other.drags.map(\.session) == [session])
            try await Task.sleep(for: .milliseconds(20))
          }
          #expect(try await eventually { other.drags.first?.x == x })
          #expect(try await drop(item, of: dragger).outcome.isAccepted)
          try await expectMoved(item, from: before, dragger, other)
          #expect(try await eventually { phases.all.count >= 2 })
          #expect(phases.all == [.began, .ended], "without an interruption")
          #expect(dragger.session == session && server.resumed == 0)
          #expect(server.metrics.contains("baize_signed_tokens_total{outcome=\"verified\"} 3\n"))
        }
      }

      @Test(arguments: [true, false])
      func `a drag ends with its token, and its drop is judged once`(isDroppedMeanwhile: Bool) async throws {
        let isReachable = Mutex(false)
        try await withDragger(
          seconds: 4,
          next: { if !isReachable.withLock({ $0 }) { throw CancellationError() } }
        ) { server, dragger, other, phases in
          let (item, session, before) = (dragger.itemIDs(in: "items")[0], dragger.session, other.revision)
          dragger.beginDrag([item])
          #expect(try await eventually { phases.all == [.began] && other.drags.map(\.session) == [session] })
          #expect(try await eventually { phases.all == [.began, .cancelled] && other.drags.isEmpty })
          // The next attempt, which fails for want of a token, may have come already.
          #expect(try await eventually { if case .reconnecting = dragger.connection { true } else { false } })
          let early = isDroppedMeanwhile ? drop(item, of: dragger) : nil
          #expect(other.revision == before)
          isReachable.withLock { $0 = true }
          if !isDroppedMeanwhile {
            #expect(try await eventually { phases.all.count >= 3 })
            #expect(other.drags.map(\.session) == [session] && other.drags.first.map { Array($0.items) } == [item])
          }
          let submission = early ?? drop(item, of: dragger)
          #expect(try await submission.outcome.isAccepted)
          try await expectMoved(item, from: before, dragger, other)
          let expected: [Drag.Phase] =
            isDroppedMeanwhile ? [.began, .cancelled] : [.began, .cancelled, .began, .ended]
          #expect(try await eventually { phases.all.count >= expected.count })
          #expect(phases.all == expected)
          #expect(dragger.session == session)
          #expect(try await eventually { server.resumed == 1 })
        }
      }
    }
  }
#endif
