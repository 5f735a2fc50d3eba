import BenchmarkCore
import CSQLiteBenchmark
import Foundation

/// The workloads in hand-written code. Each statement is prepared once, before the time of its first use is measured.
final class RawSession: ContenderSession {
  private let connection: RawConnection
  private var statements: [String: RawStatement] = [:]

  init(_ connection: RawConnection) {
    self.connection = connection
  }

  func insert(_ values: [ItemValues], _ stopwatch: Stopwatch) throws -> Int {
    let items = values.map { RawItem($0) }
    let statement = try statement(
      "INSERT INTO item(name, title, body, count, score, created, note) VALUES (?, ?, ?, ?, ?, ?, ?)")
    try stopwatch.measure {
      try connection.transaction {
        for item in items { try item.insert(with: statement) }
      }
    }
    return try count()
  }

  func update(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let load = try statement("SELECT \(RawItem.columns) FROM item ORDER BY id LIMIT ?")
    let store = try statement("UPDATE item SET score = ? WHERE id = ?")
    try stopwatch.measure {
      load.bind(plan.half)
      let items = try load.fetch()
      try connection.transaction {
        for item in items {
          item.score += 1
          sqlite3_bind_double(store.handle, 1, item.score)
          sqlite3_bind_int64(store.handle, 2, item.id)
          try store.run()
        }
      }
    }
    return Checksum.ofAll(try all())
  }

  func saveOne(_ plan: WorkPlan, afterOther: Bool, _ stopwatch: Stopwatch) throws -> Int {
    let load = try statement("SELECT \(RawItem.columns) FROM item ORDER BY id LIMIT ?")
    load.bind(plan.half)
    let items = try load.fetch()
    let store = try statement("UPDATE item SET score = ? WHERE id = ?")
    func save(_ item: RawItem) throws {
      item.score += 1
      sqlite3_bind_double(store.handle, 1, item.score)
      sqlite3_bind_int64(store.handle, 2, item.id)
      try connection.transaction { try store.run() }
    }
    if afterOther { try save(items[0]) }
    try stopwatch.measure {
      for _ in 0..<plan.saves { try save(items[1]) }
    }
    return Checksum.ofAll(try all())
  }

  func saveWithRecord(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let load = try statement("SELECT \(RawItem.columns) FROM item ORDER BY id LIMIT ?")
    load.bind(plan.half)
    let items = try load.fetch()
    try statement(
      "CREATE TABLE IF NOT EXISTS record(number INTEGER PRIMARY KEY, time REAL, program TEXT, process TEXT, changes TEXT)"
    ).run()
    let store = try statement("UPDATE item SET score = ? WHERE id = ?")
    let record = try statement("INSERT INTO record(time, program, process, changes) VALUES (?, ?, ?, ?)")
    var (program, process) = ("benchmark", String(ProcessInfo.processInfo.processIdentifier))
    func write(_ changes: consuming String) throws {
      sqlite3_bind_double(record.handle, 1, Date().timeIntervalSinceReferenceDate)
      try program.withUTF8 { program in
        try process.withUTF8 { process in
          try changes.withUTF8 { changes in
            RawText.bind(program, record.handle, 2)
            RawText.bind(process, record.handle, 3)
            RawText.bind(changes, record.handle, 4)
            try record.run()
          }
        }
      }
    }
    try stopwatch.measure {
      for _ in 0..<plan.saves {
        let item = items[1]
        item.score += 1
        sqlite3_bind_double(store.handle, 1, item.score)
        sqlite3_bind_int64(store.handle, 2, item.id)
        try connection.transaction {
          try store.run()
          try write("[[\"update\",\"Item\",[\"score\"],\(item.id)]]")
        }
      }
    }
    return Checksum.ofAll(try all())
  }

  func delete(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let load = try statement("SELECT \(RawItem.columns) FROM item ORDER BY id LIMIT ?")
    load.bind(plan.half)
    let items = try load.fetch()
    let remove = try statement("DELETE FROM item WHERE id = ?")
    try stopwatch.measure {
      try connection.transaction {
        for item in items {
          remove.bind(Int(item.id))
          try remove.run()
        }
      }
    }
    return Checksum.ofAll(try all())
  }

  /// The number of rows.
  func count() throws -> Int {
    try statement("SELECT COUNT(*) FROM item").fetchNumber()
  }

  /// Fetches every row.
  func all() throws -> [RawItem] {
    try statement("SELECT \(RawItem.columns) FROM item").fetch()
  }

  /// Returns the prepared statement, and prepares it on first use.
  func statement(_ sql: String) throws -> RawStatement {
    if let statement = statements[sql] { return statement }
    let statement = try connection.prepare(sql)
    statements[sql] = statement
    return statement
  }
}
