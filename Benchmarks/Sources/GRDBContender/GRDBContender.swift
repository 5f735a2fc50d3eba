import BenchmarkCore
import CBenchmarkShim
import Foundation
import GRDB

/// GRDB in its fastest form. Records are of a final class and decoded by column position, and dates are stored as
/// numbers. The SQLite settings are those of the hand-written code, so that only GRDB's own work differs.
public struct GRDBContender: Contender {
  public let name = "grdb"
  public let title = "GRDB"

  public init() {}

  public func prepareProcess() {
    _ = benchmark_turn_memory_statistics_off()
  }

  public func create(_ file: URL) throws -> any ContenderSession {
    let queue = try makeQueue(file)
    try queue.write { database in
      try database.create(table: "item") { table in
        table.column("id", .integer).primaryKey()
        for name in ["name", "title", "body"] { table.column(name, .text).notNull() }
        table.column("count", .integer).notNull().indexed()
        for name in ["score", "created"] { table.column(name, .double).notNull() }
        table.column("note", .text)
      }
    }
    return GRDBSession(queue)
  }

  public func open(_ file: URL) throws -> any ContenderSession {
    GRDBSession(try makeQueue(file))
  }

  public func createGraph(_ file: URL) throws -> any GraphSession {
    let queue = try makeQueue(file)
    try queue.write { database in
      try database.create(table: "parent") { table in
        table.column("id", .integer).primaryKey()
        table.column("name", .text).notNull()
      }
      try database.create(table: "child") { table in
        table.column("id", .integer).primaryKey()
        table.column("name", .text).notNull()
        table.column("number", .integer).notNull()
        table.column("parent", .integer).indexed().references("parent", onDelete: .cascade)
      }
    }
    return GRDBGraphSession(queue)
  }

  public func openGraph(_ file: URL) throws -> any GraphSession {
    GRDBGraphSession(try makeQueue(file))
  }

  private func makeQueue(_ file: URL) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536")
    }
    return try DatabaseQueue(path: file.path, configuration: configuration)
  }
}
