// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "board",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../baize")],
  targets: [
    .executableTarget(
      name: "board",
      dependencies: [.product(name: "BaizeClient", package: "baize"), .product(name: "BaizeTable", package: "baize")])
  ]
)
