#if canImport(Network)
  // TLS over Network.framework. CI runs on Linux, which has no Network.framework, so it does not build this file.

  import Dispatch
  import Foundation
  public import Network
  import Synchronization

  /// A byte stream over an `NWConnection`, with TLS unless other parameters are given.
  public final class NetworkStream: ByteStream {
    private let connection: NWConnection
    private let queue = DispatchQueue(label: "baize.stream")
    private let listener = Mutex<ByteStreamListener?>(nil)

    /// The maximum number of bytes to receive at a time.
    private static let receiveBytesMax = 64 << 10

    /// Creates a stream to an endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: The daemon's endpoint.
    ///   - parameters: The transport; TLS by default.
    public init(to endpoint: NWEndpoint, using parameters: NWParameters = .tls) {
      connection = NWConnection(to: endpoint, using: parameters)
    }

    public func open(_ listener: ByteStreamListener) {
      self.listener.withLock { $0 = listener }
      connection.stateUpdateHandler = { [connection] state in
        switch state {
        case .ready: listener.opened()
        // The client has its own back-off: an attempt that would wait for a better network counts as failed.
        case .waiting(let error), .failed(let error):
          listener.closed(reason: "\(error)")
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
          listener?.closed(reason: "\(error)")
        } else if isEnd {
          listener?.closed(reason: "the daemon ended the connection")
        }
      }
    }

    public func send(_ bytes: [UInt8]) {
      connection.send(content: Data(bytes), completion: .contentProcessed { _ in })
    }

    public func close() {
      // The final message is sent after everything else; then the connection can be cancelled.
      connection.send(
        content: nil, contentContext: .finalMessage, isComplete: true,
        completion: .contentProcessed { [connection] _ in connection.cancel() })
    }
  }

  extension Endpoint {
    /// Returns an endpoint that connects over TLS, for example to a proxy in front of a daemon.
    ///
    /// - Parameters:
    ///   - host: The host name, which is also the name in the certificate.
    ///   - port: The port.
    public static func tls(host: String, port: UInt16) -> Endpoint {
      .stream {
        NetworkStream(
          to: .hostPort(host: NWEndpoint.Host(host), port: NWEndpoint.Port(rawValue: port) ?? .https))
      }
    }
  }
#endif
