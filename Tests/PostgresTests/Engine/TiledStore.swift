#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  /// A separate server. On the shared server, an open transaction of another test would make old rows count as recently
  /// written.
  let ageCluster = Result { try TestCluster { $0.settings = ["autovacuum=off"] } }

  /// A store with 300 tiles that another process has saved, and a context that has read them.
  struct TiledStore {
    let cluster: TestCluster
    let catalog: TestCatalog
    let recorder = LogRecorder()
    let container: ModelContainer
    /// A context of a second container of the same store, which acts as another process.
    let foreign: ModelContext
    let context: ModelContext
    static let count = 300

    /// - Parameter prepare: Runs before the context reads the tiles.
    init(
      _ change: (inout PostgresConfiguration) -> Void = { _ in }, in cluster: TestCluster? = nil, reads: Bool = true,
      prepare: (TestCatalog) throws -> Void = { _ in }
    ) throws {
      self.cluster = try cluster ?? ageCluster.get()
      var configuration = PostgresConfiguration(self.cluster.url)
      configuration.namespace = "Ages \(UUID().uuidString)"
      configuration.maximumConnections = 2
      (configuration.history, configuration.propagation) = (.off, .off)
      foreign = ModelContext(try Self.open(configuration))
      for number in 0..<Self.count { foreign.insert(Tile(number)) }
      try foreign.save()
      configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(threshold: .zero, logger: recorder.logger())
      change(&configuration)
      container = try Self.open(configuration)
      catalog = try TestCatalog(self.cluster, namespace: configuration.namespace)
      context = ModelContext(container)
      try prepare(catalog)
      if reads { _ = try tiles() }
    }

    private static func open(_ configuration: PostgresConfiguration) throws -> ModelContainer {
      try ModelContainer(for: Tile.self, Wall.self, Stone.self, configurations: configuration)
    }

    func tiles(_ limit: Int? = nil) throws -> [Tile] {
      var descriptor = FetchDescriptor<Tile>()
      descriptor.fetchLimit = limit
      return try context.fetch(descriptor).sorted { $0.number < $1.number }
    }

    func their(_ number: Int) throws -> Tile {
      try #require(try foreign.fetch(FetchDescriptor<Tile>(predicate: #Predicate { $0.number == number })).first)
    }

    func left() throws -> Int64 {
      try catalog.connection.run(PostgresStatement("SELECT count(*) FROM \"Tile\"")).integer(0, 0) ?? -1
    }

    /// Saves. Returns whether the save's deletions checked the age of rows, and whether they compared values.
    func save() throws -> (looks: Bool, compares: Bool) {
      recorder.clear()
      try context.save()
      let deletions = recorder.statements.filter { $0.contains("DELETE FROM") }
      return (
        deletions.contains { $0.contains("age(") }, deletions.contains { $0.contains("IS NOT DISTINCT FROM") }
      )
    }
  }

  /// A change by another session between the context's reading and its deletion. The transaction of the change may have
  /// begun before the reading.
  enum Interference: String, CaseIterable, Sendable {
    case change
    case savepoint
    case openBefore
    case openSavepointBefore
    case uncommitted
    case replacement

    /// The statement by which another session changes tile 150.
    static let sql = "UPDATE \"Tile\" SET \"note\" = 'theirs' WHERE \"number\" = 150"

    func begin(_ catalog: TestCatalog) throws {
      switch self {
      case .openBefore: try catalog.connection.execute("BEGIN; \(Self.sql)")
      case .openSavepointBefore: try catalog.connection.execute("BEGIN; SAVEPOINT s; \(Self.sql)")
      default: break
      }
    }

    func end(_ store: TiledStore) throws {
      let connection = store.catalog.connection
      switch self {
      case .change:
        try store.their(150).note = "theirs"
        try store.foreign.save()
      case .savepoint: try connection.execute("BEGIN; SAVEPOINT s; \(Self.sql); RELEASE SAVEPOINT s; COMMIT")
      case .openBefore: try connection.execute("COMMIT")
      case .openSavepointBefore: try connection.execute("RELEASE SAVEPOINT s; COMMIT")
      case .uncommitted: try connection.execute("BEGIN; \(Self.sql)")
      case .replacement:
        try connection.execute(
          """
          BEGIN; CREATE TEMPORARY TABLE kept ON COMMIT DROP AS SELECT * FROM "Tile" WHERE "number" = 150;
          DELETE FROM "Tile" WHERE "number" = 150; UPDATE kept SET "note" = 'theirs';
          INSERT INTO "Tile" SELECT * FROM kept; COMMIT
          """)
      }
    }
  }

  @Model
  final class Tile {
    var number: Int
    var size = 1
    var note: String?

    init(_ number: Int) { self.number = number }
  }

  @Model
  final class Wall {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Stone.wall) var stones: [Stone] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Stone {
    var label: String
    var wall: Wall?

    init(_ label: String, in wall: Wall? = nil) {
      self.label = label
      self.wall = wall
    }
  }
#endif
