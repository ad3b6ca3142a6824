// The operating system's C library, by one import on every platform.

#if canImport(Darwin)
  @_exported public import Darwin
#else
  @_exported public import CLinux
  @_exported public import Glibc
#endif

/// A standard stream of the process.
package enum StandardStream: Int32, Sendable {
  case output = 1
  case error = 2

  /// Writes a text, in one call if possible, so that lines of several threads do not mix.
  ///
  /// - Returns: Whether all of it was written.
  @discardableResult package func put(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = write(rawValue, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN {
          // Others may have made the stream non-blocking.
          var full = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
          guard poll(&full, 1, -1) >= 0 || errno == EINTR else { return false }
          continue
        }
        guard count > 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return true
    }
  }
}

/// The allocator's free memory.
package enum FreeMemory {
  /// Returns what is free to the system, where the allocator can.
  package static func returnToSystem() {
    #if canImport(CLinux)
      _ = baize_return_free_memory()
    #endif
  }
}
