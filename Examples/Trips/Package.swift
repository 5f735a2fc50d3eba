// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Trips",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The library is two folders up; a package of your own gives the path of its clone.
    .package(name: "OpenSwiftData", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "trips",
      dependencies: [
        .product(name: "OpenSwiftData", package: "OpenSwiftData"),
        .product(name: "SwiftData", package: "OpenSwiftData"),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)
