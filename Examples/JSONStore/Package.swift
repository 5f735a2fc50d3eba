// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "JSONStore",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The library is two folders up; a package of your own gives the path of its clone.
    .package(name: "OpenSwiftData", path: "../..")
  ],
  targets: [
    .target(name: "JSONStore", dependencies: [.product(name: "SwiftData", package: "OpenSwiftData")]),
    .executableTarget(
      name: "json-store", dependencies: ["JSONStore", .product(name: "SwiftData", package: "OpenSwiftData")]),
  ],
  swiftLanguageModes: [.v6]
)
