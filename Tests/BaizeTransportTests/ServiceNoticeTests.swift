import Foundation
import TestSupport
import Testing

@testable import BaizeTransport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension TransportTests {
  @Suite struct ServiceNotices {
    @Test func `a datagram arrives at a socket in a directory`() throws {
      let path = "/tmp/baize-notice-\(UUID().uuidString)"
      defer { unlink(path) }
      let manager = try ServiceManager(path)
      try #require(ServiceNotice(socketName: path)).send("READY=1", "STATUS=listening")
      #expect(manager.next() == "READY=1\nSTATUS=listening")
    }

    #if os(Linux)
      @Test func `a datagram arrives at a socket without a file`() throws {
        let name = "@baize-notice-\(UUID().uuidString)"
        let manager = try ServiceManager(name)
        try #require(ServiceNotice(socketName: name)).send("STOPPING=1")
        #expect(manager.next() == "STOPPING=1")
      }
    #endif

    @Test func `a missing receiver is an error, a missing name is not`() throws {
      for name in [nil, ""] {
        let nobody = ServiceNotice(socketName: name)
        #expect(nobody == nil)
      }
      for name in ["/tmp/baize-notice-\(UUID().uuidString)", "vsock:2:1", "/" + String(repeating: "x", count: 200)] {
        let notice = try #require(ServiceNotice(socketName: name))
        #expect(throws: SystemError.self) { try notice.send("READY=1") }
      }
    }
  }
}
