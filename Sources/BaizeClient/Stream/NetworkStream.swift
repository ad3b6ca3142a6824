#if canImport(Network)
  // TLS over Network.framework. Our CI builds on Linux, where there is none, and so does not build this file.

  import Dispatch
  import Foundation
  public import Network
  import Synchronization

  /// A byte stream over an `NWConnection`, with TLS unless other parameters are given.
  public final class NetworkStream: ByteStream {
    private let connection: NWConnection
    private let queue = DispatchQueue(label: "baize.stream")
    private let listener = Mutex<ByteStreamListener?>(nil)

    /// The most that is taken at a time.
    private static let receiveBytesMax = 64 << 10

    public init(to endpoint: NWEndpoint, using parameters: NWParameters = .tls) {
      connection = NWConnection(to: endpoint, using: parameters)
    }

    public func open(_ listener: ByteStreamListener) {
      self.listener.withLock { $0 = listener }
      connection.stateUpdateHandler = { [connection] state in
        switch state {
        case .ready: listener.opened()
        // The client has a back-off of its own: what would wait for a better network counts as failed.
        case .waiting(let error), .failed(let error):
          listener.closed(why: "\(error)")
          connection.cancel()
        case .setup, .preparing, .cancelled: break
        @unknown default: break
        }
      }
      connection.start(queue: queue)
    }

    public func receive() {
      let listener = self.listener.withLock { $0 }
      connection.receive(minimumIncompleteLength: 1, maximumLength: Self.receiveBytesMax) { data, _, isEnd, error in
        if let data, !data.isEmpty { listener?.received(Array(data)) }
        if let error {
          listener?.closed(why: "\(error)")
        } else if isEnd {
          listener?.closed(why: "the daemon ended the connection")
        }
      }
    }

    public func send(_ bytes: [UInt8]) {
      connection.send(content: Data(bytes), completion: .contentProcessed { _ in })
    }

    public func close() {
      // The end of the stream goes out behind everything else, and then the connection is let go of.
      connection.send(
        content: nil, contentContext: .finalMessage, isComplete: true,
        completion: .contentProcessed { [connection] _ in connection.cancel() })
    }
  }

  extension Endpoint {
    /// A daemon behind TLS, such as a proxy that ends it.
    public static func tls(host: String, port: UInt16) -> Endpoint {
      .stream {
        NetworkStream(
          to: .hostPort(host: NWEndpoint.Host(host), port: NWEndpoint.Port(rawValue: port) ?? .https))
      }
    }
  }
#endif
