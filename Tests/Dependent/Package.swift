// swift-tools-version: 6.2
import PackageDescription

// A package as an app's would be: it depends on Baize from outside, links its libraries, and uses nothing that is not
// public. `swift run --package-path Tests/Dependent` builds and runs it.
let package = Package(
  name: "dependent",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "baize", path: "../..")],
  targets: [
    .executableTarget(
      name: "dependent",
      dependencies: [
        .product(name: "BaizeClient", package: "baize"),
        .product(name: "BaizeTable", package: "baize"),
        .product(name: "BaizeServer", package: "baize"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
