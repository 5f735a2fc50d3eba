// swift-tools-version: 6.1
import PackageDescription

/// Whether the library itself is measured. False leaves raw code and the peers, which need nothing of the library.
let measuresLibrary = Context.environment["BENCHMARK_WITHOUT_LIBRARY"] == nil

/// The macros' executable, built in debug by `run`: swift-syntax in release would take eight minutes.
let macroTool =
  Context.environment["OPENSWIFTDATA_MACRO_TOOL"]
  ?? Context.packageDirectory + "/../.build/debug/OpenSwiftDataMacros-tool"
let macros: [SwiftSetting] = [.unsafeFlags(["-load-plugin-executable", "\(macroTool)#OpenSwiftDataMacros"])]

/// With the trait, the command `postgres` is there too, and libpq is needed.
let onPostgreSQL = TargetDependencyCondition.when(traits: ["PostgreSQL"])

/// With the trait, swift-crypto is built too, and the situation with encrypted texts can be measured.
let onEncryption = TargetDependencyCondition.when(traits: ["Encryption"])

/// The library's own sources as targets of this package, through the symbolic link `Library`: a dependency on the
/// package next door would build its macros, and swift-syntax with them, in release. Follows ../Package.swift.
let libraryTargets: [Target] = [
  .target(
    name: "PersistenceSupport",
    dependencies: ["_CSwiftRuntime", .product(name: "Logging", package: "swift-log")],
    path: "Library/PersistenceSupport"
  ),
  .target(
    name: "PersistenceRuntime",
    dependencies: ["_CSwiftRuntime", "PersistenceSupport", .product(name: "Logging", package: "swift-log")],
    path: "Library/PersistenceRuntime"
  ),
  .target(
    name: "PersistenceSchemas",
    dependencies: ["PersistenceRuntime", "PersistenceSupport"],
    path: "Library/PersistenceSchemas"
  ),
  .target(
    name: "PersistenceQueries",
    dependencies: ["PersistenceRuntime", "PersistenceSupport", .product(name: "Logging", package: "swift-log")],
    path: "Library/PersistenceQueries"
  ),
  .target(
    name: "PersistenceHistory",
    dependencies: ["PersistenceRuntime", "PersistenceSupport"],
    path: "Library/PersistenceHistory"
  ),
  .target(
    name: "PersistenceContext",
    dependencies: [
      "_CSwiftRuntime", "PersistenceHistory", "PersistenceQueries", "PersistenceRuntime", "PersistenceSchemas",
      "PersistenceSupport",
      .product(name: "Logging", package: "swift-log"),
    ],
    path: "Library/PersistenceContext"
  ),
  .target(
    name: "PersistenceBackingData",
    dependencies: ["PersistenceContext", "PersistenceRuntime", "PersistenceSupport"],
    path: "Library/PersistenceBackingData"
  ),
  .target(
    name: "PersistenceContainer",
    dependencies: [
      "PersistenceContext", "PersistenceHistory", "PersistenceQueries", "PersistenceRuntime", "PersistenceSchemas",
      "PersistenceSupport",
      .product(name: "Logging", package: "swift-log"),
    ],
    path: "Library/PersistenceContainer"
  ),
  .target(
    name: "PersistenceStores",
    dependencies: [
      "PersistenceBackingData", "PersistenceContainer", "PersistenceContext", "PersistenceHistory",
      "PersistenceQueries", "PersistenceRuntime", "PersistenceSchemas", "PersistenceSupport",
    ],
    path: "Library/PersistenceStores"
  ),
  .target(
    name: "PersistenceLiveQueries",
    dependencies: [
      "_CSwiftRuntime", "PersistenceContainer", "PersistenceContext", "PersistenceHistory", "PersistenceQueries",
      "PersistenceRuntime", "PersistenceSupport",
    ],
    path: "Library/PersistenceLiveQueries"
  ),
  .target(
    name: "PersistenceSpellings",
    dependencies: [
      "PersistenceBackingData", "PersistenceContainer", "PersistenceContext", "PersistenceQueries",
      "PersistenceRuntime", "PersistenceSchemas", "PersistenceSupport",
    ],
    path: "Library/PersistenceSpellings",
    swiftSettings: macros
  ),
  .target(
    name: "PersistenceCore",
    dependencies: [
      "PersistenceBackingData", "PersistenceContainer", "PersistenceContext", "PersistenceHistory",
      "PersistenceLiveQueries", "PersistenceQueries", "PersistenceRuntime", "PersistenceSchemas",
      "PersistenceSpellings", "PersistenceStores", "PersistenceSupport",
    ],
    path: "Library/PersistenceCore",
    swiftSettings: macros
  ),
  .target(
    name: "PersistenceExtensions",
    dependencies: [
      "PersistenceContainer", "PersistenceContext", "PersistenceLiveQueries", "PersistenceQueries",
      "PersistenceRuntime", "PersistenceSchemas", "PersistenceSupport",
    ],
    path: "Library/PersistenceExtensions",
    swiftSettings: macros
  ),
  .target(name: "_CSwiftRuntime", path: "Library/_CSwiftRuntime"),
  .target(
    name: "SQLEngine",
    dependencies: ["PersistenceRuntime", "PersistenceSchemas", "PersistenceSupport"],
    path: "Library/SQLEngine"
  ),
  .systemLibrary(name: "CSQLite", path: "Library/CSQLite", pkgConfig: "sqlite3"),
  .target(name: "CSQLiteShim", dependencies: ["CSQLite"], path: "Library/CSQLiteShim"),
  .target(
    name: "SQLiteStore",
    dependencies: [
      "PersistenceHistory", "PersistenceQueries", "PersistenceRuntime", "PersistenceSchemas", "PersistenceSupport",
      "SQLEngine", "CSQLite", "CSQLiteShim",
    ],
    path: "Library/SQLiteStore"
  ),
  .target(
    name: "PostgresSQL",
    dependencies: ["PersistenceRuntime", "PersistenceSchemas", "PersistenceSupport", "SQLEngine"],
    path: "Library/PostgresSQL"
  ),
  .target(
    name: "PostgresStore",
    dependencies: [
      "PersistenceContainer", "PersistenceContext", "PersistenceExtensions", "PersistenceHistory", "PersistenceQueries",
      "PersistenceRuntime", "PersistenceSchemas", "PersistenceStores", "PersistenceSupport", "PostgresSQL", "SQLEngine",
      .target(name: "CPostgreSQL", condition: onPostgreSQL),
    ],
    path: "Library/PostgresStore"
  ),
  .target(
    name: "ValueEncryption",
    dependencies: [
      "PersistenceRuntime", "PersistenceSupport",
      .product(name: "Crypto", package: "swift-crypto", condition: onEncryption),
    ],
    path: "Library/ValueEncryption"
  ),
  .target(
    name: "SwiftData",
    dependencies: ["PersistenceCore", "PersistenceStores", "SQLiteStore", "ValueEncryption"],
    path: "Library/SwiftData",
    swiftSettings: macros
  ),
  .target(
    name: "OpenSwiftData",
    dependencies: ["PersistenceExtensions", "SQLiteStore", "SwiftData"],
    path: "Library/OpenSwiftData",
    swiftSettings: macros
  ),
  .target(
    name: "OurContender",
    dependencies: ["BenchmarkCore", "OpenSwiftData", .target(name: "PostgresStore", condition: onPostgreSQL)],
    swiftSettings: macros
  ),
]

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  traits: [
    .trait(
      name: "PostgreSQL",
      description: "The command 'postgres'. Only with this trait is the system's libpq needed."
    ),
    .trait(
      name: "Encryption",
      description:
        "Encrypted texts in the command 'situations'. Only with this trait is swift-crypto fetched and built."
    ),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
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
        .target(name: "LibpqContender", condition: onPostgreSQL),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ] + (measuresLibrary ? ["OurContender"] : []),
      swiftSettings: measuresLibrary ? [.define("MEASURES_LIBRARY")] : []
    ),
    .target(name: "BenchmarkCore", dependencies: ["CBenchmarkShim"]),
    // Its tests are those of ../Package.swift, Tests/Gauge.
    .target(name: "BenchmarkGauge"),
    .systemLibrary(
      name: "CSQLiteBenchmark",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .target(name: "CBenchmarkShim", dependencies: ["CSQLiteBenchmark"]),
    .target(
      name: "RawContender",
      dependencies: [
        "BenchmarkCore", "CSQLiteBenchmark", "CBenchmarkShim",
        .product(name: "Crypto", package: "swift-crypto", condition: onEncryption),
      ]),
    .target(
      name: "GRDBContender",
      dependencies: ["BenchmarkCore", "CBenchmarkShim", .product(name: "GRDB", package: "GRDB.swift")]
    ),
    .systemLibrary(
      name: "CPostgreSQL",
      path: "Library/CPostgreSQL",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    ),
    .target(
      name: "LibpqContender",
      dependencies: ["BenchmarkCore", .target(name: "CPostgreSQL", condition: onPostgreSQL)]
    ),
    // What Tests/Proof of ../Package.swift gives stores to: it needs nothing of the library.
    .executableTarget(name: "proof-grdb", dependencies: [.product(name: "GRDB", package: "GRDB.swift")]),
  ] + (measuresLibrary ? libraryTargets : []),
  swiftLanguageModes: [.v6]
)
