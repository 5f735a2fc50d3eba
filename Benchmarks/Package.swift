// swift-tools-version: 6.1
import PackageDescription

/// Whether the library itself is measured. False leaves raw code and the peers, which need nothing of the library.
let measuresLibrary = Context.environment["BENCHMARK_WITHOUT_LIBRARY"] == nil

/// The macros' executable, built in debug by `run`: swift-syntax in release would take eight minutes.
let macroTool =
  Context.environment["OPENSWIFTDATA_MACRO_TOOL"]
  ?? Context.packageDirectory + "/../.build/debug/OpenSwiftDataMacros-tool"
let macros: [SwiftSetting] = [.unsafeFlags(["-load-plugin-executable", "\(macroTool)#OpenSwiftDataMacros"])]

/// The library's own sources as targets of this package, through the symbolic link `Library`: a dependency on the
/// package next door would build its macros, and swift-syntax with them, in release. Follows ../Package.swift.
let libraryTargets: [Target] = [
  .target(
    name: "PersistenceCore",
    dependencies: ["CSwiftRuntime", "PersistenceSupport", .product(name: "Logging", package: "swift-log")],
    path: "Library/PersistenceCore",
    swiftSettings: macros
  ),
  .target(
    name: "PersistenceSupport",
    dependencies: ["CSwiftRuntime", .product(name: "Logging", package: "swift-log")],
    path: "Library/PersistenceSupport"
  ),
  .target(name: "CSwiftRuntime", path: "Library/CSwiftRuntime"),
  .target(name: "SQLEngine", dependencies: ["PersistenceCore"], path: "Library/SQLEngine", swiftSettings: macros),
  .systemLibrary(name: "CSQLite", path: "Library/CSQLite", pkgConfig: "sqlite3"),
  .target(name: "CSQLiteShim", dependencies: ["CSQLite"], path: "Library/CSQLiteShim"),
  .target(
    name: "SQLiteStore",
    dependencies: ["PersistenceCore", "SQLEngine", "CSQLite", "CSQLiteShim"],
    path: "Library/SQLiteStore",
    swiftSettings: macros
  ),
  .target(
    name: "ValueEncryption",
    dependencies: ["PersistenceCore"],
    path: "Library/ValueEncryption",
    swiftSettings: macros
  ),
  .target(
    name: "OpenSwiftData",
    dependencies: ["PersistenceCore", "SQLiteStore", "ValueEncryption"],
    path: "Library/OpenSwiftData",
    swiftSettings: macros
  ),
  .target(name: "SwiftData", dependencies: ["OpenSwiftData"], path: "Library/SwiftData", swiftSettings: macros),
  .target(name: "OurContender", dependencies: ["BenchmarkCore", "SwiftData"], swiftSettings: macros),
]

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ]
    + (measuresLibrary
      ? [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2")
      ] : []),
  targets: [
    .executableTarget(
      name: "benchmark",
      dependencies: [
        "BenchmarkCore", "BenchmarkGauge", "CSQLiteBenchmark", "RawContender", "GRDBContender",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ] + (measuresLibrary ? ["OurContender"] : []),
      swiftSettings: measuresLibrary ? [.define("MEASURES_LIBRARY")] : []
    ),
    .target(name: "BenchmarkCore"),
    // Its tests are those of ../Package.swift, Tests/Gauge.
    .target(name: "BenchmarkGauge"),
    .systemLibrary(
      name: "CSQLiteBenchmark",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .target(name: "CBenchmarkShim", dependencies: ["CSQLiteBenchmark"]),
    .target(name: "RawContender", dependencies: ["BenchmarkCore", "CSQLiteBenchmark", "CBenchmarkShim"]),
    .target(
      name: "GRDBContender",
      dependencies: ["BenchmarkCore", "CBenchmarkShim", .product(name: "GRDB", package: "GRDB.swift")]
    ),
  ] + (measuresLibrary ? libraryTargets : []),
  swiftLanguageModes: [.v6]
)
