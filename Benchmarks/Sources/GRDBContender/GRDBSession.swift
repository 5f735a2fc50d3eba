import BenchmarkCore
import Foundation
import GRDB

/// The workloads through GRDB's records and query interface.
final class GRDBSession: ContenderSession {
  let queue: DatabaseQueue

  init(_ queue: DatabaseQueue) {
    self.queue = queue
  }

  func insert(_ values: [ItemValues], _ stopwatch: Stopwatch) throws -> Int {
    let items = values.map { GRDBItem($0) }
    try stopwatch.measure {
      try queue.write { database in
        for item in items { try item.insert(database) }
      }
    }
    return try queue.read { try GRDBItem.fetchCount($0) }
  }

  func update(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    try stopwatch.measure {
      try queue.write { database in
        let items = try GRDBItem.order(Column("id")).limit(plan.half).fetchAll(database)
        for item in items {
          item.score += 1
          try item.update(database, columns: ["score"])
        }
      }
    }
    return Checksum.ofAll(try all())
  }

  func saveOne(_ plan: WorkPlan, afterOther: Bool, _ stopwatch: Stopwatch) throws -> Int {
    let items = try queue.read { try GRDBItem.order(Column("id")).limit(plan.half).fetchAll($0) }
    func save(_ item: GRDBItem) throws {
      item.score += 1
      try queue.write { try item.update($0, columns: ["score"]) }
    }
    if afterOther { try save(items[0]) }
    try stopwatch.measure {
      for _ in 0..<plan.saves { try save(items[1]) }
    }
    return Checksum.ofAll(try all())
  }

  func saveWithRecord(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let items = try queue.read { try GRDBItem.order(Column("id")).limit(plan.half).fetchAll($0) }
    try queue.write { database in
      try database.create(table: GRDBRecord.databaseTableName, ifNotExists: true) { table in
        table.autoIncrementedPrimaryKey("number")
        for column in ["time", "program", "process", "changes"] { table.column(column) }
      }
    }
    let process = String(ProcessInfo.processInfo.processIdentifier)
    try stopwatch.measure {
      for _ in 0..<plan.saves {
        let item = items[1]
        item.score += 1
        let record = GRDBRecord(
          time: Date().timeIntervalSinceReferenceDate, program: "benchmark", process: process,
          changes: "[[\"update\",\"Item\",[\"score\"],\(item.id ?? 0)]]")
        try queue.write { database in
          try item.update(database, columns: ["score"])
          try record.insert(database)
        }
      }
    }
    return Checksum.ofAll(try all())
  }

  func delete(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let items = try queue.read { try GRDBItem.order(Column("id")).limit(plan.half).fetchAll($0) }
    try stopwatch.measure {
      try queue.write { database in
        for item in items { try item.delete(database) }
      }
    }
    return Checksum.ofAll(try all())
  }

  /// Fetches every row.
  func all() throws -> [GRDBItem] {
    try queue.read { try GRDBItem.fetchAll($0) }
  }
}

/// A row of the table of records, which describes the change of one save.
private struct GRDBRecord: Encodable, PersistableRecord {
  static let databaseTableName = "record"

  let time: Double
  let program: String
  let process: String
  let changes: String
}
