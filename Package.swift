// swift-tools-version: 6.2
import PackageDescription

/// The language settings of every target: upcoming features that make the compiler stricter, none that would prevent use as
/// a dependency.
let strictSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// With `BAIZE_FAULT_INJECTION` in the environment, rules can be mutated (`baize-sim --mutation`).
let faultInjection: [SwiftSetting] =
  Context.environment["BAIZE_FAULT_INJECTION"] == nil ? [] : [.define("BAIZE_FAULT_INJECTION")]

/// What needs a library that not every system has. With `PACKAGE_ALL_TRAITS` in the environment all of it is in the build by
/// default, so that the gate, whose tests need it, can try the documents' commands without building everything twice.
let traits: Set<Trait> = {
  let all: Set<Trait> = [
    .trait(
      name: "OpenSSL",
      description: "Signed tokens in the daemon, TLS in the daemon and in the client, with the system's OpenSSL 3."),
    .trait(name: "PostgreSQL", description: "Journals in a PostgreSQL database, with the system's libpq."),
  ]
  let isDefault = Context.environment["PACKAGE_ALL_TRAITS"] != nil
  return isDefault ? all.union([.default(enabledTraits: Set(all.map(\.name)))]) : all
}()

/// With `BAIZE_FUZZ` in the environment there is `baize-fuzz`, which only `Tests/fuzz.py` knows how to build. It is no part
/// of any other build.
let fuzzing: [Target] =
  Context.environment["BAIZE_FUZZ"] == nil
  ? []
  : [
    .executableTarget(
      name: "baize-fuzz",
      dependencies: [
        "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeClient", "BaizeSimulator",
        "BaizeHTTP", "BaizeTransport", "BaizeTokens", "BaizeWorkload",
      ],
      path: "Tests/Fuzzing", exclude: ["Corpus"], swiftSettings: strictSettings)
  ]

/// With `BAIZE_SANITIZERS` in the environment there are only the tests that `Tests/sanitize.sh` runs, and what they need.
let isSanitized = Context.environment["BAIZE_SANITIZERS"] != nil
let sanitizedTests: Set = [
  "BaizeWireTests", "BaizeTransportTests", "BaizeTokensTests", "BaizeJournalTests", "BaizeServerTests",
  "BaizeClientTests",
]

/// A target of `Sources/`. Its dependencies are the only imports it may have (`Tests/ArchitectureTests` holds that).
func layer(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource]? = nil
) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources,
    swiftSettings: strictSettings + faultInjection)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: strictSettings + faultInjection)
}

/// A target below `Tests/` that is no test: what tests and long runs are made of.
func proof(
  _ name: String, _ folder: String, isProgram: Bool = false, _ dependencies: [Target.Dependency]
) -> Target {
  let settings = strictSettings + faultInjection
  return isProgram
    ? .executableTarget(
      name: name, dependencies: dependencies, path: "Tests/\(folder)", swiftSettings: settings)
    : .target(
      name: name, dependencies: dependencies, path: "Tests/\(folder)", swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: strictSettings)
}

let package = Package(
  name: "baize",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "BaizeTable", targets: ["BaizeTable"]),
    .library(name: "BaizeClient", targets: ["BaizeClient"]),
    .library(name: "BaizeServer", targets: ["BaizeServer"]),
    .library(name: "BaizeSwiftUI", targets: ["BaizeSwiftUI"]),
  ],
  traits: traits,
  targets: [
    .systemLibrary(name: "CLinux"),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    layer("BaizeSystem", [.target(name: "CLinux", condition: .when(platforms: [.linux]))]),
    layer("BaizeCommandLine", ["BaizeSystem", "BaizeTable"]),
    layer("BaizeTable", []),
    layer("BaizeTableTypes", ["BaizeTable"], resources: [.embedInCode("Bundled")]),
    layer("BaizeWire", ["BaizeTable"]),
    layer("BaizeSync", ["BaizeTable", "BaizeWire"]),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    layer("BaizeTransport", ["BaizeSystem", .target(name: "COpenSSL", condition: .when(traits: ["OpenSSL"]))]),
    layer("BaizeHTTP", ["BaizeTable"]),
    layer(
      "BaizeTokens",
      [
        "BaizeSystem", "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync",
        .target(name: "COpenSSL", condition: .when(traits: ["OpenSSL"])),
      ]),
    // The files of the page: embedding is a feature of C.
    .target(name: "CWeb"),
    .systemLibrary(
      name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    layer(
      "BaizeJournal",
      [
        "BaizeSystem", "BaizeTable", "BaizeWire", "BaizeSync", "BaizeTransport", "CSQLite",
        .target(name: "CPostgres", condition: .when(traits: ["PostgreSQL"])),
      ]),
    layer(
      "BaizeServer",
      [
        "BaizeSystem", "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeJournal",
        "BaizeHTTP", "BaizeTokens", "CWeb",
      ],
      exclude: ["Web"]),
    layer(
      "BaizeClient",
      ["BaizeSystem", "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport"]),
    layer("BaizeSwiftUI", ["BaizeTable", "BaizeWire", "BaizeClient"]),
    layer("BaizeBot", ["BaizeTable", "BaizeSync"]),
    layer("BaizeWorkload", ["BaizeTable", "BaizeWire", "BaizeSync"]),
    layer(
      "BaizeDriver",
      [
        "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeHTTP", "BaizeClient",
        "BaizeBot", "BaizeWorkload",
      ]),
    program(
      "baized",
      [
        "BaizeCommandLine", "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeJournal",
        "BaizeServer", "BaizeClient", "BaizeBot", "BaizeTokens", "BaizeSystem",
      ]),
    program(
      "baize-bot",
      [
        "BaizeCommandLine", "BaizeTable", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeClient", "BaizeBot",
        "BaizeSystem",
      ]),
    program(
      "baize-load",
      ["BaizeCommandLine", "BaizeTable", "BaizeTransport", "BaizeWorkload", "BaizeDriver"]),
    // What proves the product.
    proof("PositionModel", "PositionModel", ["BaizeTable", "BaizeWire", "BaizeSync"]),
    proof("ClusterModel", "ClusterModel", []),
    proof("BaizeSimulator", "Simulator", ["BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeWorkload"]),
    proof(
      "BaizeLaboratory", "Laboratory",
      [
        "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeClient", "BaizeDriver",
      ]),
    proof(
      "baize-sim", "SimulatorProgram", isProgram: true,
      ["BaizeCommandLine", "BaizeTable", "BaizeSimulator", "PositionModel", "ClusterModel"]),
    proof(
      "baize-lab", "Lab", isProgram: true,
      [
        "BaizeCommandLine", "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeClient",
        "BaizeWorkload", "BaizeDriver", "BaizeSimulator", "BaizeLaboratory",
      ]),
    proof(
      "hostile-client", "HostileClient", isProgram: true,
      [
        "BaizeCommandLine", "BaizeTable", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeHTTP", "BaizeWorkload",
        "BaizeDriver", "BaizeLaboratory",
      ]),
    // The part of the sample app that knows no SwiftUI; `Tests/swiftui.py` checks the rest.
    .target(
      name: "SampleModel", dependencies: ["BaizeTable", "BaizeClient"],
      path: "Tests/SwiftUIDeclarations/Sources/Sample/Model"),
    .target(
      name: "TestSupport", dependencies: ["BaizeTable", "BaizeDriver"], path: "Tests/TestSupport",
      swiftSettings: strictSettings),
    tests("BaizeCommandLineTests", ["BaizeCommandLine"]),
    tests("BaizeTableTests", ["BaizeTable"]),
    tests("PositionModelTests", ["PositionModel"]),
    tests("ClusterModelTests", ["ClusterModel"]),
    tests("BaizeTableTypesTests", ["BaizeTable", "BaizeTableTypes"]),
    tests("BaizeWireTests", ["BaizeTable", "BaizeWire"]),
    tests("BaizeSyncTests", ["BaizeTable", "BaizeWire", "BaizeSync", "BaizeSimulator", "BaizeWorkload"]),
    tests("BaizeTransportTests", ["BaizeTransport", "BaizeDriver", "BaizeLaboratory"]),
    tests("BaizeHTTPTests", ["BaizeTable", "BaizeHTTP"]),
    tests("BaizeTokensTests", ["BaizeTable", "BaizeWire", "BaizeSync", "BaizeTokens", "BaizeLaboratory"]),
    tests(
      "BaizeJournalTests",
      [
        "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeJournal", "BaizeClient",
        "BaizeSimulator", "BaizeWorkload", "BaizeDriver", "BaizeLaboratory", "baized",
      ]),
    tests(
      "BaizeServerTests",
      [
        "BaizeCommandLine", "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeHTTP",
        "BaizeJournal", "BaizeServer", "BaizeTokens",
        "BaizeClient", "BaizeSimulator", "BaizeWorkload", "BaizeDriver", "BaizeLaboratory", "baized",
      ]),
    tests(
      "BaizeClientTests",
      [
        "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeServer", "BaizeClient",
        "BaizeSimulator", "BaizeWorkload", "BaizeDriver", "BaizeLaboratory", "SampleModel",
      ]),
    tests(
      "BaizeBotTests",
      [
        "BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeBot", "BaizeSimulator",
        "BaizeWorkload",
      ]),
    tests("BaizeSimulatorTests", ["BaizeTable", "BaizeSync", "BaizeWorkload", "BaizeSimulator"]),
    tests(
      "ProtocolTests", ["BaizeTable", "BaizeTableTypes", "BaizeWire", "BaizeSync", "BaizeWorkload", "BaizeSimulator"]),
    tests("BaizeWorkloadTests", ["BaizeTable", "BaizeWire", "BaizeSync", "BaizeWorkload"]),
    tests(
      "LaboratoryTests",
      [
        "BaizeCommandLine", "BaizeTable", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeWorkload", "BaizeDriver",
        "BaizeSimulator", "BaizeLaboratory", "baize-lab", "baized",
      ]),
    tests(
      "BaizeDriverTests",
      [
        "BaizeTable", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeDriver", "BaizeLaboratory", "baized",
      ]),
    tests("ArchitectureTests", []),
    tests(
      "ProgramTests",
      [
        "BaizeTable", "BaizeWire", "BaizeSync", "BaizeTransport", "BaizeClient", "BaizeSimulator", "BaizeWorkload",
        "BaizeDriver", "BaizeLaboratory", "baized", "baize-bot", "baize-load", "baize-lab",
      ]),
  ] + fuzzing,
  swiftLanguageModes: [.v6]
)

if isSanitized {
  package.targets.removeAll { target in
    switch target.type {
    case .test: !sanitizedTests.contains(target.name)
    case .executable: target.name != "baized"
    default: false
    }
  }
}
