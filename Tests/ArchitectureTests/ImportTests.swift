import TestSupport
import Testing

/// The layers of the design, checked by reading every `import` line: the build's own check finds only a part.
@Suite struct ImportTests {
  /// The modules that each target may import; others are not allowed.
  static let allowed: [String: Set<String>] = [
    "BaizeSystem": ["Glibc", "Darwin", "CLinux"],
    "BaizeCommandLine": ["BaizeSystem", "BaizeTable"],
    "BaizeTable": ["Synchronization"],
    "BaizeTableTypes": ["BaizeTable", "FoundationEssentials", "Foundation", "Synchronization"],
    "BaizeWire": ["BaizeTable"],
    "BaizeSync": ["BaizeTable", "BaizeWire", "Synchronization"],
    "BaizeTransport": ["BaizeSystem", "COpenSSL", "Synchronization"],
    "BaizeHTTP": ["BaizeTable"],
    "BaizeTokens": ["BaizeSystem", "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "COpenSSL"],
    "BaizeJournal": [
      "BaizeTable", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeSystem", "CSQLite", "CPostgres",
      "Synchronization",
    ],
    "BaizeServer": [
      "BaizeSystem", "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeJournal",
      "BaizeHTTP", "BaizeTokens", "CWeb", "Synchronization",
      "Dispatch", "FoundationEssentials", "Foundation",
    ],
    "BaizeClient": [
      "BaizeSystem", "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport", "Synchronization",
      "Observation", "Network", "Security", "Dispatch", "FoundationEssentials", "Foundation",
    ],
    "BaizeSwiftUI": ["BaizeTable", "BaizeWire", "BaizeClient", "SwiftUI", "UniformTypeIdentifiers"],
    "BaizeBot": ["BaizeTable", "BaizeSync"],
    "BaizeWorkload": ["BaizeTable", "BaizeWire", "BaizeSync", "BaizeBot"],
    "BaizeDriver": [
      "BaizeTable", "BaizeTableTypes", "BaizeHTTP", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeClient",
      "BaizeBot", "BaizeWorkload", "Foundation", "Synchronization",
    ],
  ]

  /// The same for what proves the product, by folder of `Tests`.
  static let allowedInProofs: [String: Set<String>] = [
    "Simulator": ["BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeWorkload"],
    "Laboratory": [
      "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeClient", "BaizeWorkload",
      "BaizeDriver", "Foundation", "Synchronization",
    ],
  ]

  private static let programs = ["baized", "baize-bot", "baize-load"]

  /// The folders whose every function is a function of its arguments.
  static let pure =
    ["BaizeTable", "BaizeWire", "BaizeSync", "BaizeHTTP", "BaizeBot", "BaizeWorkload"].map { "Sources/\($0)" }
    + ["Tests/Simulator"]

  @Test(arguments: allowed.keys.sorted())
  func `a target imports only the layers below it`(target: String) throws {
    try expectImports(in: "Sources/\(target)", only: Self.allowed[target] ?? [])
  }

  @Test(arguments: allowedInProofs.keys.sorted())
  func `what proves the product imports only the layers below it`(folder: String) throws {
    try expectImports(in: "Tests/\(folder)", only: Self.allowedInProofs[folder] ?? [])
  }

  @Test(arguments: programs)
  func `a program imports nothing that only proves the product`(program: String) throws {
    let layers = Set(Self.allowed.keys)
    let others: Set<String> = ["Foundation", "FoundationEssentials", "Dispatch", "Synchronization", "Glibc", "Darwin"]
    try expectImports(in: "Sources/\(program)", only: layers.union(others))
  }

  private func expectImports(in folder: String, only allowed: Set<String>) throws {
    let sources = try SourceTree.swiftFiles(below: folder)
    #expect(!sources.isEmpty, "\(folder) has no sources")
    for file in sources {
      for (number, module) in file.imports {
        #expect(allowed.contains(module), "\(file.path):\(number) imports \(module)")
      }
    }
  }

  @Test func `every folder of sources is a target of the design`() throws {
    let known = Set(Self.allowed.keys).union(Self.programs).union([
      "CLinux", "COpenSSL", "CPostgres", "CSQLite", "CWeb",
    ])
    #expect(try SourceTree.targets().subtracting(known) == [])
  }

  /// No clock, no random source of its own, and no order that changes from run to run.
  @Test(arguments: pure)
  func `a pure target uses no clock and no random source`(folder: String) throws {
    let banned = [
      "ContinuousClock", "SuspendingClock", "SystemRandomNumberGenerator", ".randomElement()", ".shuffled()",
      ".shuffle()", "Int.random(", "UInt64.random(", "Hasher(", ".hashValue", "print(", "Date(",
    ]
    for file in try SourceTree.swiftFiles(below: folder) {
      for (number, line) in file.codeLines {
        for word in banned where line.contains(word) {
          Issue.record("\(file.path):\(number) uses \(word)")
        }
      }
    }
  }

  /// The one place where the compiler cannot see that values may cross threads: it holds addresses.
  private static let unchecked = "BaizeTable/State/PagedArray.swift"

  /// Constructs that could let one connection's input end the process, or hide shared state.
  @Test func `no source ends the process or silences the compiler`() throws {
    let banned = ["try!", "fatalError(", "@unchecked", "nonisolated(unsafe)", "as!"]
    for file in try SourceTree.swiftFiles(below: "Sources") {
      for (number, line) in file.codeLines {
        for word in banned where line.contains(word) {
          if word == "@unchecked", file.path.hasSuffix(Self.unchecked) { continue }
          Issue.record("\(file.path):\(number) uses \(word)")
        }
      }
    }
  }

  @Test func `no file refers to a document that is not in the repository`() throws {
    let scripts = try Repository.names(in: "Tests").filter { $0.hasSuffix(".py") || $0.hasSuffix(".sh") }
    let sources = try Repository.swiftFiles(below: "Sources") + Repository.swiftFiles(below: "Tests")
    for path in try Repository.documents() + scripts.map({ "Tests/\($0)" }) + sources {
      #expect(try !Repository.text(path).contains("DESIGN" + ".md"), "\(path)")
    }
  }

  /// The reader of import lines can fail: it finds what it is to find.
  @Test func `imports are found in every form`() {
    let file = SourceFile(
      path: "x.swift",
      text: """
        import A
        public import B
        @testable import C
        private import struct D.E
        #if canImport(F)
          internal import F
        #endif
        // import G
        let important = 1
        """)
    #expect(file.imports.map(\.module) == ["A", "B", "C", "D", "F"])
  }
}
