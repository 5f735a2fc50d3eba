// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// For modules without unsafe code: the compiler warns of whatever is not memory-safe and does not say `unsafe`.
let memorySafe: [SwiftSetting] = [.strictMemorySafety()]

let package = Package(
  name: "OpenSwiftData",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "OpenSwiftData", targets: ["OpenSwiftData"]),
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "_SwiftData_SwiftUI", targets: ["_SwiftData_SwiftUI"]),
    .library(name: "PostgresStore", targets: ["PostgresStore"]),
  ],
  traits: [
    .trait(
      name: "Encryption",
      description: "Attributes that are declared with .encrypt. Only with this trait is swift-crypto fetched and built."
    ),
    .trait(
      name: "PostgreSQL",
      description: "Stores in a PostgreSQL database. Only with this trait is the system's libpq needed."
    ),
  ],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
  ],
  targets: [
    .macro(
      name: "OpenSwiftDataMacros",
      dependencies: [
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
      ]
    ),
    .target(
      name: "PersistenceSupport", dependencies: ["_CSwiftRuntime", .product(name: "Logging", package: "swift-log")]),
    .target(
      name: "PersistenceRuntime",
      dependencies: ["_CSwiftRuntime", "PersistenceSupport", .product(name: "Logging", package: "swift-log")]),
    .target(name: "PersistenceSchemas", dependencies: ["PersistenceRuntime", "PersistenceSupport"]),
    .target(
      name: "PersistenceQueries",
      dependencies: ["PersistenceRuntime", "PersistenceSupport", .product(name: "Logging", package: "swift-log")]),
    .target(name: "PersistenceHistory", dependencies: ["PersistenceRuntime", "PersistenceSupport"]),
    .target(
      name: "PersistenceContext",
      dependencies: [
        "_CSwiftRuntime", "PersistenceHistory", "PersistenceQueries", "PersistenceRuntime", "PersistenceSchemas",
        "PersistenceSupport",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .target(
      name: "PersistenceBackingData", dependencies: ["PersistenceContext", "PersistenceRuntime", "PersistenceSupport"]),
    .target(
      name: "PersistenceContainer",
      dependencies: [
        "PersistenceContext", "PersistenceHistory", "PersistenceQueries", "PersistenceRuntime", "PersistenceSchemas",
        "PersistenceSupport",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .target(
      name: "PersistenceStores",
      dependencies: [
        "PersistenceBackingData", "PersistenceContainer", "PersistenceContext", "PersistenceHistory",
        "PersistenceQueries", "PersistenceRuntime", "PersistenceSchemas", "PersistenceSupport",
      ]
    ),
    .target(
      name: "PersistenceLiveQueries",
      dependencies: [
        "_CSwiftRuntime", "PersistenceContainer", "PersistenceContext", "PersistenceHistory", "PersistenceQueries",
        "PersistenceRuntime", "PersistenceSupport",
      ], swiftSettings: memorySafe),
    .target(
      name: "PersistenceSpellings",
      dependencies: [
        "OpenSwiftDataMacros", "PersistenceBackingData", "PersistenceContainer", "PersistenceContext",
        "PersistenceQueries", "PersistenceRuntime", "PersistenceSchemas", "PersistenceSupport",
      ], swiftSettings: memorySafe),
    .target(
      name: "PersistenceCore",
      dependencies: [
        "OpenSwiftDataMacros", "PersistenceBackingData", "PersistenceContainer", "PersistenceContext",
        "PersistenceHistory", "PersistenceLiveQueries", "PersistenceQueries", "PersistenceRuntime",
        "PersistenceSchemas", "PersistenceSpellings", "PersistenceStores", "PersistenceSupport",
      ], swiftSettings: memorySafe),
    .target(
      name: "PersistenceExtensions",
      dependencies: [
        "OpenSwiftDataMacros", "PersistenceContainer", "PersistenceContext", "PersistenceLiveQueries",
        "PersistenceQueries", "PersistenceRuntime", "PersistenceSchemas", "PersistenceSupport",
      ], swiftSettings: memorySafe),
    .target(name: "_CSwiftRuntime"),
    .target(
      name: "SQLEngine", dependencies: ["PersistenceRuntime", "PersistenceSchemas", "PersistenceSupport"],
      swiftSettings: memorySafe),
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .target(name: "CSQLiteShim", dependencies: ["CSQLite"]),
    .target(
      name: "SQLiteStore",
      dependencies: [
        "PersistenceHistory", "PersistenceQueries", "PersistenceRuntime", "PersistenceSchemas", "PersistenceSupport",
        "SQLEngine", "CSQLite", "CSQLiteShim",
      ]
    ),
    .systemLibrary(
      name: "CPostgreSQL",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    ),
    .target(
      name: "PostgresSQL",
      dependencies: ["PersistenceRuntime", "PersistenceSchemas", "PersistenceSupport", "SQLEngine"],
      swiftSettings: memorySafe),
    .target(
      name: "PostgresStore",
      dependencies: [
        "PersistenceContainer", "PersistenceContext", "PersistenceExtensions", "PersistenceHistory",
        "PersistenceQueries", "PersistenceRuntime", "PersistenceSchemas", "PersistenceStores", "PersistenceSupport",
        "PostgresSQL", "SQLEngine", "ValueEncryption",
        .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
      ]
    ),
    .target(
      name: "ValueEncryption",
      dependencies: [
        "PersistenceRuntime", "PersistenceSupport",
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
      ], swiftSettings: memorySafe),
    .target(
      name: "SwiftData", dependencies: ["PersistenceCore", "PersistenceStores", "SQLiteStore", "ValueEncryption"],
      swiftSettings: memorySafe),
    .target(name: "_SwiftData_SwiftUI", dependencies: ["SwiftData"], swiftSettings: memorySafe),
    .target(
      name: "OpenSwiftData", dependencies: ["PersistenceExtensions", "SQLiteStore", "SwiftData"],
      swiftSettings: memorySafe),
    .testTarget(
      name: "PersistenceCoreTests",
      dependencies: [
        "PersistenceContainer", "PersistenceContext", "PersistenceCore", "PersistenceQueries", "PersistenceRuntime",
        "PersistenceSchemas", "PersistenceSupport", "SeededNumbers",
      ]
    ),
    .testTarget(name: "SQLEngineTests", dependencies: ["PersistenceCore", "SQLEngine", "SQLiteStore"]),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: ["CSQLite", "ConformanceSupport", "PersistenceCore", "SQLEngine", "SQLiteStore", "SeededNumbers"]
    ),
    // Empty without the trait PostgreSQL. With it, the tests start a server of their own.
    .testTarget(
      name: "PostgresTests",
      dependencies: [
        "ConformanceSupport", "MigrationWorkload", "Migrator", "OpenSwiftData", "PersistenceCore",
        "PersistenceExtensions", "PostgresSQL", "PostgresStore", "PostgresSupport", "RowWriter", "SQLEngine",
        "SeededNumbers", "SharedStoreProcess", "SharedStoreWorkload", "SwiftData",
      ]),
    .executableTarget(
      name: "RowWriter", dependencies: ["PostgresStore", "SeededNumbers", "SwiftData", "Waiting"],
      path: "Tests/RowWriter"),
    // The server that tests start.
    .target(
      name: "PostgresSupport", dependencies: ["PersistenceSupport", "PostgresStore", "Waiting"],
      path: "Tests/PostgresSupport"),
    // What the suites that run against every engine share.
    .target(name: "SeededNumbers", path: "Tests/SeededNumbers"),
    .target(name: "Waiting", path: "Tests/Waiting"),
    .target(
      name: "ConformanceSupport",
      dependencies: [
        "CSQLite", "JSONStore", "PersistenceCore", "PostgresStore", "PostgresSupport", "SeededNumbers", "SQLiteStore",
        "SwiftData", "Waiting", .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/ConformanceSupport"
    ),
    // The example, whose store is tested where it is read.
    .target(name: "JSONStore", dependencies: ["SwiftData"], path: "Examples/JSONStore/Sources/JSONStore"),
    .testTarget(
      name: "CustomStores",
      dependencies: ["ConformanceSupport", "JSONStore", "PersistenceCore", "SeededNumbers", "SwiftData"]),
    .target(
      name: "SharedStoreWorkload", dependencies: ["PostgresStore", "SwiftData"], path: "Tests/SharedStoreWorkload"),
    .executableTarget(
      name: "SharedStoreProcess",
      dependencies: ["PostgresStore", "SharedStoreWorkload", "SwiftData", "Waiting"],
      path: "Tests/SharedStoreProcess"
    ),
    .testTarget(
      name: "Concurrency",
      dependencies: ["ConformanceSupport", "OpenSwiftData", "SharedStoreProcess", "SharedStoreWorkload", "SwiftData"]
    ),
    .testTarget(
      name: "LiveQueries",
      dependencies: ["ConformanceSupport", "OpenSwiftData", "PersistenceCore", "SeededNumbers", "SwiftData"]),
    .testTarget(
      name: "DescriptorConformance",
      dependencies: [
        "ConformanceSupport", "OpenSwiftData", "SwiftData", .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .testTarget(name: "StoreConformance", dependencies: ["ConformanceSupport", "OpenSwiftData", "SwiftData"]),
    .testTarget(name: "ActorModels", dependencies: ["ConformanceSupport", "OpenSwiftData", "SwiftData"]),
    .testTarget(
      name: "Editing", dependencies: ["ConformanceSupport", "PersistenceCore", "SQLiteStore", "SwiftData"]),
    .testTarget(
      name: "SpatialIndexes",
      dependencies: ["ConformanceSupport", "CSQLite", "OpenSwiftData", "PersistenceCore", "SQLiteStore", "SwiftData"]
    ),
    .testTarget(
      name: "QueryConformance",
      dependencies: [
        "ConformanceSupport", "OpenSwiftData", "PersistenceContainer", "PersistenceContext", "PersistenceCore",
        "PersistenceQueries", "PersistenceRuntime", "PersistenceSchemas", "SQLiteStore", "SeededNumbers", "SwiftData",
      ]
    ),
    .target(name: "CAllocation", path: "Tests/CAllocation"),
    .executableTarget(
      name: "GrowthProcess", dependencies: ["CAllocation", "JSONStore", "OpenSwiftData", "SwiftData"],
      path: "Tests/GrowthProcess"),
    .testTarget(name: "Growth", dependencies: ["ConformanceSupport", "GrowthProcess", "SwiftData"]),
    // A library beside the program: a test that imports the module of a program does not always build.
    .target(name: "CrashWorkload", dependencies: ["SeededNumbers", "SwiftData"], path: "Tests/CrashWorkload"),
    .executableTarget(
      name: "CrashWriter", dependencies: ["CrashWorkload", "SwiftData", "Waiting"], path: "Tests/CrashWriter"),
    .testTarget(name: "Crash", dependencies: ["ConformanceSupport", "CrashWorkload", "CrashWriter", "SwiftData"]),
    .target(
      name: "DamageWorkload", dependencies: ["CSQLite", "OpenSwiftData", "SQLiteStore", "SeededNumbers", "SwiftData"],
      path: "Tests/DamageWorkload"
    ),
    .executableTarget(name: "DamageReader", dependencies: ["DamageWorkload", "SwiftData"], path: "Tests/DamageReader"),
    .testTarget(name: "Damage", dependencies: ["ConformanceSupport", "DamageReader", "DamageWorkload", "SwiftData"]),
    .target(name: "CDisturbance", dependencies: ["CSQLite"], path: "Tests/CDisturbance"),
    .executableTarget(
      name: "Disturber",
      dependencies: ["CDisturbance", "CSQLite", "SwiftData", .product(name: "Logging", package: "swift-log")],
      path: "Tests/Disturber"),
    .testTarget(name: "Disturbance", dependencies: ["ConformanceSupport", "Disturber"]),
    .executableTarget(
      name: "Interleaver",
      dependencies: ["CSQLite", "SeededNumbers", "SwiftData", .product(name: "Logging", package: "swift-log")],
      path: "Tests/Interleaver"),
    .testTarget(name: "Interleaving", dependencies: ["ConformanceSupport", "Interleaver"]),
    // Gives stores to other programs. What it runs is in Programs, and in Benchmarks/Sources/proof-grdb.
    .testTarget(
      name: "Proof", dependencies: ["ConformanceSupport", "PersistenceCore", "SwiftData"], exclude: ["Programs"]),
    // What the benchmark makes of callgrind's counts. It is tested here, where nothing else of the benchmark has to be built.
    .target(name: "BenchmarkGauge", path: "Benchmarks/Sources/BenchmarkGauge"),
    .testTarget(name: "Gauge", dependencies: ["BenchmarkGauge"]),
    .target(name: "MigrationWorkload", dependencies: ["PostgresStore", "SwiftData"], path: "Tests/MigrationWorkload"),
    .executableTarget(
      name: "Migrator", dependencies: ["CSQLite", "MigrationWorkload", "PostgresStore", "SwiftData"],
      path: "Tests/Migrator"),
    .testTarget(
      name: "Migrations",
      dependencies: [
        "ConformanceSupport", "MigrationWorkload", "Migrator", "OpenSwiftData", "PostgresStore", "PostgresSupport",
        "SQLiteStore", "SwiftData",
      ],
      exclude: ["Fixtures"]
    ),
    .target(name: "SourceCompatibilityModels", dependencies: ["SwiftData"], path: "Tests/SourceCompatibilityModels"),
    .testTarget(
      name: "SourceCompatibility",
      dependencies: ["ConformanceSupport", "OpenSwiftData", "SourceCompatibilityModels", "SwiftData"]
    ),
    .testTarget(
      name: "SourceCompatibilityMainActor",
      dependencies: ["SwiftData"],
      swiftSettings: [.defaultIsolation(MainActor.self)]
    ),
    // A module of its own: what gives types raw values is seen in all of it.
    .testTarget(name: "RawRepresentableValues", dependencies: ["ConformanceSupport", "OpenSwiftData", "SwiftData"]),
    .testTarget(
      name: "CompileFail", dependencies: ["ConformanceSupport", "OpenSwiftData", "SwiftData"],
      exclude: ["Programs", "Modules", "TypeChecking", "Foundation", "Examples", "Quiet", "Contract"]
    ),
  ],
  swiftLanguageModes: [.v6]
)
