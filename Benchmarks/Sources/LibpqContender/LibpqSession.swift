#if PostgreSQL
  import BenchmarkCore
  import Foundation

  /// The workloads in hand-written code. Each statement is prepared once, before the time of its first use is measured.
  final class LibpqSession: ServerSession {
    let connection: LibpqConnection
    private let url: String
    private var statements: [String: LibpqStatement] = [:]

    init(_ connection: LibpqConnection, url: String) {
      self.connection = connection
      self.url = url
    }

    func insert(_ values: [ItemValues], _ stopwatch: Stopwatch) throws -> Int {
      let items = values.map { LibpqItem($0) }
      try stopwatch.measure {
        try connection.copy("COPY item(name, title, body, count, score, created, note) FROM STDIN (FORMAT binary)") {
          for item in items { try item.write(to: &$0) }
        }
      }
      return try count()
    }

    func update(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
      let store = try statement(
        """
        UPDATE item SET score = new.score FROM unnest($1, $2) AS new(id, score) WHERE item.id = new.id
        """, .int8Array, .float8Array)
      try stopwatch.measure {
        let items = try firstHalf(plan)
        for item in items { item.score += 1 }
        store.bind(LibpqBytes.array(.int8, count: items.count) { UInt64(bitPattern: items[$0].id) }, at: 0)
        store.bind(LibpqBytes.array(.float8, count: items.count) { items[$0].score.bitPattern }, at: 1)
        _ = try store.run()
      }
      return Checksum.ofAll(try all())
    }

    func saveOne(_ plan: WorkPlan, afterOther: Bool, _ stopwatch: Stopwatch) throws -> Int {
      let items = try firstHalf(plan)
      let save = try savingOne()
      if afterOther { try save(items[0]) }
      try stopwatch.measure {
        for _ in 0..<plan.saves { try save(items[1]) }
      }
      return Checksum.ofAll(try all())
    }

    /// Returns a closure that adds one to the score of an item and saves it, in one round trip and one transaction.
    private func savingOne() throws -> (LibpqItem) throws -> Void {
      let store = try statement("UPDATE item SET score = $1 WHERE id = $2", .float8, .int8)
      return { item in
        item.score += 1
        store.bind(item.score, at: 0)
        store.bind(item.id, at: 1)
        _ = try store.run()
      }
    }

    func saveByClients(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
      let url = url
      try Clients.run(plan.clients, stopwatch) { client in
        let own = LibpqSession(try LibpqConnection(url), url: url)
        let item = try own.firstHalf(plan)[client]
        let save = try own.savingOne()
        try save(item)
        return { for _ in 0..<plan.savesOfEachClient { try save(item) } }
      }
      return Checksum.ofAll(try all())
    }

    func saveWithRecord(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
      let item = try firstHalf(plan)[1]
      let store = try statement("UPDATE item SET score = $1 WHERE id = $2", .float8, .int8)
      let record = try statement(
        "INSERT INTO record(time, program, process, changes) VALUES ($1, $2, $3, $4)", .float8, .text, .text, .text)
      record.bind(bytes("benchmark"), at: 1)
      record.bind(bytes(String(ProcessInfo.processInfo.processIdentifier)), at: 2)
      try stopwatch.measure {
        for _ in 0..<plan.saves {
          item.score += 1
          store.bind(item.score, at: 0)
          store.bind(item.id, at: 1)
          record.bind(Date().timeIntervalSinceReferenceDate, at: 0)
          record.bind(bytes("[[\"update\",\"Item\",[\"score\"],\(item.id)]]"), at: 3)
          try connection.pipeline([store, record])
        }
      }
      return Checksum.ofAll(try all())
    }

    private func bytes(_ text: String) -> LibpqBytes {
      var text = text
      let bytes = LibpqBytes(capacity: text.utf8.count)
      text.withUTF8 { bytes.append($0) }
      return bytes
    }

    func delete(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
      let items = try firstHalf(plan)
      let remove = try statement("DELETE FROM item WHERE id = ANY($1)", .int8Array)
      // With this setting, PostgreSQL plans the statement for this number of keys. The deletion then takes two thirds
      // of the time that it takes with a plan for any number of keys.
      try connection.execute("SET plan_cache_mode = auto")
      try stopwatch.measure {
        remove.bind(LibpqBytes.array(.int8, count: items.count) { UInt64(bitPattern: items[$0].id) }, at: 0)
        _ = try remove.run()
      }
      return Checksum.ofAll(try all())
    }

    /// The number of rows.
    func count() throws -> Int {
      try statement("SELECT count(*) FROM item").run().number
    }

    /// Fetches every row.
    func all() throws -> [LibpqItem] {
      try items("SELECT \(LibpqItem.columns) FROM item")
    }

    /// The first half of the inserted rows.
    private func firstHalf(_ plan: WorkPlan) throws -> [LibpqItem] {
      try items("SELECT \(LibpqItem.columns) FROM item ORDER BY id LIMIT \(plan.half)")
    }

    /// Creates an object for every row of a query that returns many rows.
    func items(_ sql: String) throws -> [LibpqItem] {
      var items: [LibpqItem] = []
      try connection.forEachRow(sql) { items.append(LibpqItem(row: $0)) }
      return items
    }

    /// Returns the prepared statement, and prepares it on first use.
    func statement(_ sql: String, _ types: LibpqType...) throws -> LibpqStatement {
      if let statement = statements[sql] { return statement }
      let statement = try connection.prepare(sql, types)
      statements[sql] = statement
      return statement
    }
  }
#endif
