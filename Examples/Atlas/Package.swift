// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Atlas",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The library is two folders up; a package of your own gives the path of its clone.
    .package(name: "OpenSwiftData", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
  ],
  targets: [
    .executableTarget(
      name: "atlas",
      dependencies: [
        .product(name: "SwiftData", package: "OpenSwiftData"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)
