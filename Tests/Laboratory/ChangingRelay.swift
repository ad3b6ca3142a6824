import BaizeDriver
package import BaizeTransport
import Foundation

/// Passes connections on to a daemon, and changes everything that comes back.
package final class ChangingRelay: Sendable {
  /// A change of the bytes that a daemon sends on one connection, read by read.
  package typealias Change = ([UInt8]) -> [UInt8]

  package let port: UInt16
  private let listener: Int32

  /// - Parameter makeChange: Makes the change of a connection, by its number from 0.
  /// - Throws: ``RunFailure`` if there is no port.
  package init(to address: SocketAddress, _ makeChange: @escaping @Sendable (_ connection: Int) -> Change) throws {
    let listener = socket(AF_INET, BlockingSocket.stream, 0)
    let isBound = BlockingSocket.withAddress(port: 0) { bind(listener, $0, $1) == 0 && listen(listener, 64) == 0 }
    guard isBound else { throw RunFailure("there is no port for a relay") }
    self.listener = listener
    port = BlockingSocket.port(of: listener)
    Thread { [listener] in
      for number in 0... {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        let server = socket(AF_INET, BlockingSocket.stream, 0)
        guard BlockingSocket.withAddress(port: address.port, { connect(server, $0, $1) }) == 0 else { return }
        Thread { Self.copy(from: client, to: server) { $0 } }.start()
        Thread { Self.copy(from: server, to: client, makeChange(number)) }.start()
      }
    }.start()
  }

  /// Ends the accepting thread. The others end with their connections.
  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  package var address: SocketAddress { .loopback(port: port) }

  private static func copy(from source: Int32, to target: Int32, _ change: Change) {
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(source, &room, room.count, 0)
      guard count > 0 else { break }
      var rest = change(Array(room[..<count]))[...]
      while !rest.isEmpty {
        let sent = rest.withUnsafeBytes { send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent > 0 else { break }
        rest.removeFirst(sent)
      }
    }
    shutdown(target, Int32(SHUT_RDWR))
  }
}
