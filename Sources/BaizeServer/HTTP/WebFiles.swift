import BaizeHTTP
import BaizeSync
import CWeb

/// The files of the folder `Web`, which are a part of the program, by the paths of their addresses.
struct WebFiles {
  /// A file.
  struct File {
    let bytes: UnsafeRawBufferPointer
    /// The name of these contents, for caches.
    let tag: String
    let contentType: String
    /// Whether the bytes are packed by gzip, which every browser unpacks.
    let isPacked: Bool
    /// Whether the pages of other sites may load it.
    let isShared: Bool
  }

  private static let packedSuffix = ".gz"

  private let files: [String: File]

  init() {
    var files: [String: File] = [:]
    var number: Int32 = 0
    while let (name, bytes) = Self.embedded(number) {
      let isPacked = name.hasSuffix(Self.packedSuffix)
      let path = isPacked ? String(name.dropLast(Self.packedSuffix.count)) : name
      let isShared = path == "/baize.js" || path == "/baize.d.ts" || path.hasPrefix("/baize/")
      files[path] = File(
        bytes: bytes, tag: Self.tag(bytes), contentType: Self.contentType(of: path), isPacked: isPacked,
        isShared: isShared)
      number += 1
    }
    // `index.html` loads the sources as they are, one by one; what is made of them (Tests/bundle.py) is there after a few requests.
    files["/"] = files["/made/index.html"]
    self.files = files
  }

  /// The paths in ascending order.
  var paths: [String] { files.keys.sorted() }

  subscript(path: String) -> File? { files[path] }

  private static func embedded(_ number: Int32) -> (path: String, bytes: UnsafeRawBufferPointer)? {
    let file = web_file(number)
    guard let path = file.path else { return nil }
    return ("/" + String(cString: path), UnsafeRawBufferPointer(start: file.bytes, count: file.count))
  }

  /// Returns the name of contents.
  static func tag(_ bytes: UnsafeRawBufferPointer) -> String {
    var checksum = Checksum()
    checksum.combine(bytes)
    let hash = UInt64(bitPattern: checksum.value)
    return "\"\(String(hash, radix: 16))-\(String(bytes.count, radix: 16))\""
  }

  private static func contentType(of path: String) -> String {
    switch path.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "json": "application/json"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "woff2": "font/woff2"
    case _: "text/plain; charset=utf-8"
    }
  }
}
