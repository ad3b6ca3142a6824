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
    "BaizeSync": ["BaizeTable", "BaizeWire"],
    "BaizeTransport": ["BaizeSystem", "Synchronization"],
    "BaizeHTTP": ["BaizeTable"],
    "BaizeJournal": ["BaizeTable", "BaizeWire", "BaizeSync", "BaizeSystem", "CSQLite", "Synchronization"],
    "BaizeServer": [
      "BaizeSystem", "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeJournal",
      "BaizeHTTP", "CWeb", "Synchronization",
      "Dispatch", "FoundationEssentials", "Foundation",
    ],
    "BaizeClient": [
      "BaizeSystem", "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport", "Synchronization",
      "Observation", "Network", "Security", "Dispatch", "FoundationEssentials", "Foundation",
    ],
    "BaizeSwiftUI": ["BaizeTable", "BaizeWire", "BaizeClient", "SwiftUI", "UniformTypeIdentifiers"],
    "BaizeBot": ["BaizeTable", "BaizeSync"],
    "BaizeSimulator": ["BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync"],
    "BaizeHarness": [
      "BaizeTable", "BaizeTableTypes", "BaizeHTTP", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeClient",
      "BaizeBot",
      "BaizeSimulator", "Foundation", "Synchronization",
    ],
  ]

  /// The targets whose every function is a function of its arguments.
  static let pure = ["BaizeTable", "BaizeWire", "BaizeSync", "BaizeHTTP", "BaizeBot", "BaizeSimulator"]

  @Test(arguments: allowed.keys.sorted())
  func `a target imports only the layers below it`(target: String) throws {
    let sources = try SourceTree.swiftFiles(in: target)
    #expect(!sources.isEmpty, "\(target) has no sources")
    for file in sources {
      for (number, module) in file.imports {
        #expect(Self.allowed[target]?.contains(module) == true, "\(file.path):\(number) imports \(module)")
      }
    }
  }

  @Test func `every folder of sources is a target of the design`() throws {
    let programs: Set<String> = ["baized", "baize-bot", "baize-load", "baize-sim"]
    let known = Set(Self.allowed.keys).union(programs).union(["CLinux", "CSQLite", "CWeb"])
    #expect(try SourceTree.targets().subtracting(known) == [])
  }

  /// No clock, no random source of its own, and no order that changes from run to run.
  @Test(arguments: pure)
  func `a pure target uses no clock and no random source`(target: String) throws {
    let banned = [
      "ContinuousClock", "SuspendingClock", "SystemRandomNumberGenerator", ".randomElement()", ".shuffled()",
      ".shuffle()", "Int.random(", "UInt64.random(", "Hasher(", ".hashValue", "print(", "Date(",
    ]
    for file in try SourceTree.swiftFiles(in: target) {
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
    for target in try SourceTree.targets() {
      for file in try SourceTree.swiftFiles(in: target) {
        for (number, line) in file.codeLines {
          for word in banned where line.contains(word) {
            if word == "@unchecked", file.path.hasSuffix(Self.unchecked) { continue }
            Issue.record("\(file.path):\(number) uses \(word)")
          }
        }
      }
    }
  }

  @Test func `no file refers to a document that is not in the repository`() throws {
    let documents = [
      "README.md", "Protocol/README.md", "Protocol/client.md", "Protocol/table-types.md", "Protocol/tutorial.md",
    ]
    let scripts = try Repository.names(in: "Tests").filter { $0.hasSuffix(".py") || $0.hasSuffix(".sh") }
    let sources = try Repository.swiftFiles(below: "Sources") + Repository.swiftFiles(below: "Tests")
    for path in documents + scripts.map({ "Tests/\($0)" }) + sources {
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
