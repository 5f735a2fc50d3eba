import Foundation
import JSONStore
import PersistenceCore
import SwiftData
import Testing

#if PostgreSQL
  import PostgresStore
  import PostgresSupport
#endif

/// The engines on which the tests run. The library has to behave in the same way on all of them.
package enum Engine: String, CaseIterable, CustomTestStringConvertible {
  case file, memory
  /// A store in memory that behaves like a store on the other side of a network; see ``RemoteEngine``.
  case remote
  /// The example of a custom engine, which stores JSON. Only Scripts/test-json-store runs it, with the tests that it
  /// can pass.
  case json
  /// A store in PostgreSQL, on a server that the tests start. It needs the package trait `PostgreSQL`, and
  /// `OSD_ENGINE=postgres` in the environment.
  case postgres

  /// The only engine of this run, which the environment variable `OSD_ENGINE` names; nil in a normal run.
  private static let only: Engine? = ProcessInfo.processInfo.environment["OSD_ENGINE"].flatMap { Engine(rawValue: $0) }

  package static var allCases: [Engine] { only.map { [$0] } ?? [.file, .memory, .remote] }

  /// The engines that use SQLite, for tests of SQLite itself and tests that create containers from a
  /// `ModelConfiguration`. There are none in a run with `OSD_ENGINE`.
  package static var sqlite: [Engine] { only == nil ? [.file, .memory] : [] }

  /// The engines of random tests. To save time, only soak runs and runs on PostgreSQL test others than those on SQLite.
  package static var randomCases: [Engine] { RandomTesting.soak > 1 || only == .postgres ? allCases : sqlite }

  /// Whether the store continues to exist after its last container was closed.
  package var persists: Bool { self == .file || self == .json || self == .postgres }

  /// Opens a store with the engine.
  ///
  /// - Parameter link: The simulated connection to the server, which only the remote engine uses.
  package func container(
    for schema: Schema, _ configuration: ModelConfiguration, link: RemoteLink = RemoteLink()
  ) throws -> ModelContainer {
    switch self {
    case .file, .memory: return try ModelContainer(for: schema, configurations: [configuration])
    case .remote: return try ModelContainer(for: schema, engines: [RemoteConfiguration(configuration, link: link)])
    case .json:
      let store = JSONStoreConfiguration(folder: configuration.url.deletingPathExtension())
      return try ModelContainer(for: schema, configurations: [store] as [any DataStoreConfiguration])
    case .postgres: return try Self.postgres(for: schema, configuration)
    }
  }

  #if PostgreSQL
    /// Opens a store in PostgreSQL, in the namespace that belongs to the configuration.
    private static func postgres(for schema: Schema, _ configuration: ModelConfiguration) throws -> ModelContainer {
      var store = PostgresConfiguration(try TestCluster.shared.get().url, name: configuration.name)
      store.namespace = configuration.isStoredInMemoryOnly ? UUID().uuidString : namespace(of: configuration)
      store.schema = configuration.schema
      store.allowsSave = configuration.allowsSave
      store.uniquenessPolicy = configuration.uniquenessPolicy
      store.history = configuration.history
      store.encryptionKey = configuration.encryptionKey
      store.formerEncryptionKeys = configuration.formerEncryptionKeys
      store.maximumConnections = 4
      // The timeout is short, because a test in which two transactions wait for each other takes that long.
      store.lockTimeout = .seconds(3)
      store.acquireTimeout = .seconds(10)
      store.slowStatementLog = configuration.slowStatementLog
      return try ModelContainer(for: schema, engines: [store])
    }

    private static func namespace(of configuration: ModelConfiguration) -> String {
      let url = configuration.url.deletingPathExtension()
      return "\(url.deletingLastPathComponent().lastPathComponent)/\(url.lastPathComponent)"
    }

    /// Runs statements on the tables of a store in PostgreSQL, as another program could.
    static func runOnServer(_ sql: String, in configuration: ModelConfiguration) throws {
      let connection = try TestCluster.shared.get().connect { $0.lockTimeout = .seconds(3) }
      defer { connection.close() }
      try connection.execute("SET search_path TO \"\(namespace(of: configuration))\"")
      try connection.execute(sql)
    }
  #else
    static func runOnServer(_ sql: String, in configuration: ModelConfiguration) throws { throw missingTrait }

    private static func postgres(for schema: Schema, _ configuration: ModelConfiguration) throws -> ModelContainer {
      throw missingTrait
    }

    private static var missingTrait: SwiftDataError {
      SwiftDataError(.storeFailure, "tests of stores in PostgreSQL need the package trait PostgreSQL")
    }
  #endif

  package var testDescription: String {
    switch self {
    case .file: "a store in a file"
    case .memory: "a store in memory"
    case .remote: "a store like a remote one"
    case .json: "a store in JSON files"
    case .postgres: "a store in PostgreSQL"
    }
  }
}
