// swift-tools-version: 6.2
import PackageDescription

// Type-checks `BaizeSwiftUI` and a sample app where there is no SwiftUI: against a module of that name with the
// declarations that Apple publishes. Nothing of it is run. `Tests/swiftui.py` builds it for each platform in turn.

/// The platform whose declarations and branches are compiled: `macOS`, `iOS` or `visionOS`.
let platform = Context.environment["BAIZE_SWIFTUI_DECLARATIONS"] ?? "macOS"
let settings: [SwiftSetting] =
  [.define("BAIZE_SWIFTUI_DECLARATIONS")]
  + (platform == "macOS" ? [.define("BAIZE_SWIFTUI_DECLARATIONS_MACOS")] : [])
/// The settings with which the bridge is compiled in its own package.
let strictSettings: [SwiftSetting] =
  settings + [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]

/// The compiler writes what it has compiled of the bridge here, private declarations included.
let symbolGraphs: [String] = [
  "-emit-symbol-graph", "-emit-symbol-graph-dir", "\(Context.packageDirectory)/.build/symbols/\(platform)",
  "-symbol-graph-minimum-access-level", "private",
]
let baize: [Target.Dependency] = [
  .product(name: "BaizeClient", package: "baize"), .product(name: "BaizeTable", package: "baize"),
]

let package = Package(
  name: "swiftui-declarations",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "baize", path: "../..")],
  targets: [
    .target(name: "UniformTypeIdentifiers", swiftSettings: settings),
    .target(name: "CoreTransferable", dependencies: ["UniformTypeIdentifiers"], swiftSettings: settings),
    .target(name: "SwiftUI", dependencies: ["CoreTransferable", "UniformTypeIdentifiers"], swiftSettings: settings),
    .target(
      name: "Bridge", dependencies: baize + ["SwiftUI"],
      swiftSettings: strictSettings + [.unsafeFlags(symbolGraphs)]),
    .target(name: "Sample", dependencies: baize + ["Bridge", "SwiftUI"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
