#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Synchronization
  import Testing
  import Waiting

  /// Changes a row in a transaction of another thread, until another session waits for the row.
  private final class RowHolder: Sendable {
    let hasBegun = DispatchSemaphore(value: 0)
    /// The number of advisory locks of the session that waited; negative if none did.
    let locksOfWaiting = Atomic<Int>(-1)

    init(of change: String, in store: TiledStore) {
      let (cluster, namespace) = (store.cluster, store.catalog.namespace)
      Thread { [self] in try? hold(change, cluster, namespace) }.start()
    }

    private func hold(_ change: String, _ cluster: TestCluster, _ namespace: String) throws {
      let (holder, observer) = try (cluster.connect(), cluster.connect())
      try holder.execute("SET search_path TO \"\(namespace)\"; BEGIN")
      try holder.execute(change)
      let process = try holder.run(PostgresStatement("SELECT pg_backend_pid()")).integer(0, 0) ?? 0
      hasBegun.signal()
      let waiting = "SELECT pid FROM pg_stat_activity WHERE \(process) = ANY (pg_blocking_pids(pid))"
      if try waitUntil({ try observer.run(PostgresStatement(waiting)).rowCount == 1 }) {
        let locks = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid IN (\(waiting))"
        locksOfWaiting.store(try observer.run(PostgresStatement(locks)).rowCount, ordering: .releasing)
      }
      try holder.execute("COMMIT")
    }
  }

  @Suite("Saves of one changed row in PostgreSQL", .timeLimit(.minutes(5)))
  struct SingleRowSaveTests {
    private static let settings: [(history: Bool, news: Bool)] = [
      (false, false), (true, false), (false, true), (true, true),
    ]

    private func store(history: Bool, news: Bool) throws -> TiledStore {
      let store = try TiledStore(
        {
          $0.history = history ? .standard : .off
          $0.propagation = news ? .automatic : .off
        }, in: TestCluster.shared.get())
      // The first record of an opened store also determines up to where the history is complete.
      try store.tiles()[0].size = 2
      try store.context.save()
      return store
    }

    private func sizes(_ store: TiledStore, _ number: Int) throws -> Int64? {
      let sql = "SELECT \"size\" FROM \"Tile\" WHERE \"number\" = \(number)"
      return try store.catalog.connection.run(PostgresStatement(sql)).integer(0, 0)
    }

    private func count(_ table: String, of store: TiledStore) throws -> Int64 {
      try store.catalog.connection.run(PostgresStatement("SELECT count(*) FROM \"\(table)\"")).integer(0, 0) ?? -1
    }

    @Test("the row, its notification and its record are written by one statement", arguments: settings)
    func oneStatement(history: Bool, news: Bool) throws {
      let store = try store(history: history, news: news)
      let tile = try store.tiles()[7]
      // A listener starts soon after the first save. Its first statements would otherwise be logged during a save.
      if news { #expect(waitUntil { store.recorder.statements.contains { $0.hasPrefix("WITH due AS") } }) }
      for size in 3..<10 {
        store.recorder.clear()
        tile.size = size
        try store.context.save()
        let writing = store.recorder.statements.filter { $0.contains("UPDATE \"") }
        #expect(writing.count == 1 && store.recorder.statements.count == 1)
        #expect(writing.first?.contains("_osd_history\"") == history)
        #expect(writing.first?.contains("_osd_news\"") == news)
        #expect(try sizes(store, 7) == Int64(size))
      }
      if history { #expect(try store.context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 8) }
      if news { #expect(try count("_osd_news", of: store) == 8) }
    }

    @Test("the record and the token of the save are those of a save with several rows")
    func record() throws {
      let store = try store(history: true, news: true)
      store.context.author = "me"
      let tile = try store.tiles()[9]
      tile.size = 5
      try store.context.save()
      let token = try #require(
        try store.context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token)
      tile.size = 6
      try store.context.save()
      var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
      descriptor.predicate = #Predicate { $0.token > token }
      let after = try store.context.fetchHistory(descriptor)
      #expect(after.count == 1)
      #expect(after.first?.author == "me")
      #expect(after.first?.changes.map(\.changedPersistentIdentifier) == [tile.persistentModelID])
    }

    @Test("a conflict is merged, and the save is recorded and notified of once", arguments: settings)
    func conflict(history: Bool, news: Bool) throws {
      let store = try store(history: history, news: news)
      let tile = try store.tiles()[3]
      let (records, notes) = try (
        history ? count("_osd_history", of: store) : 0, news ? count("_osd_news", of: store) : 0
      )
      try store.catalog.connection.execute(
        "UPDATE \"Tile\" SET \"size\" = 40, \"note\" = 'theirs' WHERE \"number\" = 3")
      store.context.conflictPolicy = .mergeByProperty(keeping: .ours)
      tile.size = 50
      try store.context.save()
      #expect(try sizes(store, 3) == 50)
      #expect(tile.note == "theirs")
      if history { #expect(try count("_osd_history", of: store) == records + 1) }
      if news { #expect(try count("_osd_news", of: store) == notes + 1) }
    }

    @Test("with the policy to throw, a conflict writes no record and no notification", arguments: settings)
    func refusal(history: Bool, news: Bool) throws {
      let store = try store(history: history, news: news)
      let tile = try store.tiles()[3]
      func additions() throws -> [Int64] {
        try [history ? count("_osd_history", of: store) : 0, news ? count("_osd_news", of: store) : 0]
      }
      let before = try additions()
      try store.catalog.connection.execute("UPDATE \"Tile\" SET \"size\" = 40 WHERE \"number\" = 3")
      store.context.conflictPolicy = .throwError
      tile.size = 50
      #expect(throws: SwiftDataError.conflictingChanges) { try store.context.save() }
      #expect(try additions() == before)
      #expect(try sizes(store, 3) == 40)
    }

    @Test(
      "a save that waits for a row locks no number of the history, and then writes row and record", arguments: settings)
    func waitingSave(history: Bool, news: Bool) throws {
      let store = try store(history: history, news: news)
      let tile = try store.tiles()[3]
      let records = history ? try count("_osd_history", of: store) : 0
      let holder = RowHolder(of: "UPDATE \"Tile\" SET \"note\" = 'theirs' WHERE \"number\" = 3", in: store)
      #expect(holder.hasBegun.wait(timeout: .now() + 60) == .success)
      tile.size = 50
      try store.context.save()
      #expect(holder.locksOfWaiting.load(ordering: .acquiring) == 0)
      #expect(try sizes(store, 3) == 50)
      if history { #expect(try count("_osd_history", of: store) == records + 1) }
    }

    @Test("behind a pooler of transactions, a save has a transaction of its own, even if no setting needs one")
    func pooler() throws {
      let store = try TiledStore(
        {
          ($0.pooling, $0.lockTimeout, $0.statementTimeout) = (.transaction, nil, nil)
        }, in: TestCluster.shared.get())
      let tile = try store.tiles()[3]
      store.recorder.clear()
      tile.size = 50
      try store.context.save()
      #expect(store.recorder.statements.contains { $0.hasPrefix("BEGIN") })
      #expect(store.recorder.statements.contains("COMMIT"))
      #expect(try sizes(store, 3) == 50)
    }

    @Test("a deleted row is noticed", arguments: settings)
    func missingRow(history: Bool, news: Bool) throws {
      let store = try store(history: history, news: news)
      let tile = try store.tiles()[3]
      try store.catalog.connection.execute("DELETE FROM \"Tile\" WHERE \"number\" = 3")
      tile.size = 50
      try store.context.save()
      #expect(tile.isDeleted)
      #expect(try store.left() == Int64(TiledStore.count - 1))
    }

    @Test("a program whose schema has been replaced in the meantime cannot save", arguments: settings)
    func outdatedProgram(history: Bool, news: Bool) throws {
      let store = try store(history: history, news: news)
      let tile = try store.tiles()[3]
      try store.catalog.connection.execute("ALTER TABLE \"_osd_schema_1\" RENAME TO \"_osd_schema_2\"")
      tile.size = 50
      #expect(throws: SwiftDataError.self) { try store.context.save() }
      #expect(try sizes(store, 3) == 1)
    }
  }
#endif
