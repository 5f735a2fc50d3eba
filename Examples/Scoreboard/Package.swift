// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Scoreboard",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The library is two folders up; a package of your own gives the path of its clone.
    .package(name: "OpenSwiftData", path: "../..")
  ],
  targets: [
    .executableTarget(name: "scoreboard", dependencies: [.product(name: "OpenSwiftData", package: "OpenSwiftData")])
  ],
  swiftLanguageModes: [.v6]
)
