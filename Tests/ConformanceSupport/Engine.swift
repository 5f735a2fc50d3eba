import Foundation
import JSONStore
import PersistenceCore
import SwiftData
import Testing

#if PostgreSQL
  import PostgresStore
  import PostgresSupport
#endif

/// The engines that have to behave in the same way.
package enum Engine: String, CaseIterable, CustomTestStringConvertible {
  case file, memory
  /// A store in memory that behaves as a store behind a network; see ``RemoteEngine``.
  case remote
  /// The example of a program's own store. Only Scripts/test-json-store runs it, with the tests that it can pass.
  case json
  /// A store in PostgreSQL, on a server that the tests start. Needs the package trait, and OSD_ENGINE=postgres in the
  /// environment.
  case postgres

  /// The only engine of this run; nil in a normal run.
  private static let only: Engine? = ProcessInfo.processInfo.environment["OSD_ENGINE"].flatMap { Engine(rawValue: $0) }

  package static var allCases: [Engine] { only.map { [$0] } ?? [.file, .memory, .remote] }

  /// The engines on SQLite, for tests that are about SQLite or create containers of a `ModelConfiguration` themselves.
  /// A run with another engine has none of them.
  package static var sqlite: [Engine] { only == nil ? [.file, .memory] : [] }

  /// The engines of a random suite: all in a soak run, only SQLite engines in a normal run, to save time.
  package static var randomCases: [Engine] { RandomTesting.soak > 1 || only == .postgres ? allCases : sqlite }

  /// Whether the store continues to exist after its last container was closed.
  package var persists: Bool { self == .file || self == .json || self == .postgres }

  /// Opens a store with the engine.
  ///
  /// - Parameter link: The connection of a remote engine.
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
    /// A store in the configuration's own namespace.
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
      // Short, because a test in which two transactions wait for each other lasts until this timeout.
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
