#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  // The tests run one after the other: an open transaction of one test would make the rows of other tests count as
  // recently written.
  @Suite("Checks of a deletion of many rows in PostgreSQL", .serialized, .timeLimit(.minutes(10)))
  struct AgedDeletionTests {
    @Test(
      "a deletion takes two round trips and compares no values if no row was written since the context began to read")
    func oldRows() throws {
      let store = try TiledStore()
      for tile in try store.tiles() { store.context.delete(tile) }
      let engine = try #require(store.context.stores.stores.first?.engine as? PostgresStoreEngine)
      let before = engine.roundTrips
      let sent = try store.save()
      #expect(engine.roundTrips - before == 2)
      #expect(sent.looks && !sent.compares)
      #expect(
        store.recorder.statements.map { String($0.prefix { $0 != " " }) }
          == ["BEGIN", "LOCK", "DELETE", "SELECT", "COMMIT"])
      #expect(try store.left() == 0)
    }

    @Test(
      "a deletion compares values if the context has saved since it read, or another process changed and reverted a row"
    )
    func youngRows() throws {
      let store = try TiledStore()
      store.context.conflictPolicy = .throwError
      let tiles = try store.tiles()
      for tile in tiles[..<100] { tile.note = "mine" }
      try store.context.save()
      for note in ["theirs", nil] as [String?] {
        try store.their(150).note = note
        try store.foreign.save()
      }
      for tile in tiles { store.context.delete(tile) }
      let sent = try store.save()
      #expect(sent.looks && sent.compares)
      #expect(try store.left() == 0)
    }

    @Test("a deletion skips the check of row ages after most rows of the deletion before it were recently written")
    func mostlyYoung() throws {
      let store = try TiledStore()
      for tile in try store.tiles() { tile.note = "mine" }
      try store.context.save()
      for expected in [true, false] {
        for number in 0..<TiledStore.count where !expected { store.context.insert(Tile(number)) }
        try store.context.save()
        for tile in try store.tiles() { store.context.delete(tile) }
        let sent = try store.save()
        #expect(sent.looks == expected)
        #expect(sent.compares)
        #expect(try store.left() == 0)
      }
    }

    @Test("a deletion detects a change by another session", arguments: Interference.allCases, [true, false])
    func interference(_ kind: Interference, isThrown: Bool) throws {
      let store = try TiledStore(prepare: { try kind.begin($0) })
      let tiles = try store.tiles()
      try kind.end(store)
      for tile in tiles { store.context.delete(tile) }
      if isThrown { store.context.conflictPolicy = .throwError }
      if kind == .uncommitted {
        // The deletion waits until the transaction with the change ends.
        let connection = store.catalog.connection
        let ended = DispatchSemaphore(value: 0)
        let commit = UncheckedCommit(connection)
        Thread.detachNewThread {
          commit.runWhenOthersWait()
          ended.signal()
        }
        try expectConflict(store, isThrown)
        ended.wait()
      } else {
        try expectConflict(store, isThrown)
      }
      #expect(try store.left() == (isThrown ? 300 : 0))
    }

    @Test("a deletion of so many rows that they are compared in parts detects a change of the last row")
    func inParts() throws {
      let store = try TiledStore(reads: false)
      let count = 10_001
      for number in TiledStore.count..<count { store.foreign.insert(Tile(number)) }
      try store.foreign.save()
      let tiles = try store.tiles()
      try store.their(count - 1).note = "theirs"
      try store.foreign.save()
      for tile in tiles { store.context.delete(tile) }
      store.context.conflictPolicy = .throwError
      let error = #expect(throws: SwiftDataError.self) { try store.context.save() }
      #expect(error == .conflictingChanges)
      #expect(try store.left() == count)
      store.context.conflictPolicy = .mergeByProperty(keeping: .ours)
      _ = try store.save()
      #expect(try store.left() == 0)
    }

    private func expectConflict(_ store: TiledStore, _ isThrown: Bool) throws {
      guard isThrown else {
        _ = try store.save()
        #expect(store.context.resolvedConflicts.map(\.kind) == [.deletedHere])
        return
      }
      let error = #expect(throws: SwiftDataError.self) { try store.context.save() }
      #expect(error == .conflictingChanges)
    }

    @Test("a deletion detects a change to the context's rows even if another context reads many rows after the change")
    func otherContext() throws {
      for saves in [true, false] {
        let store = try TiledStore(reads: false)
        store.context.conflictPolicy = .throwError
        let tiles: [Tile]
        if saves {
          tiles = (0..<TiledStore.count).map { Tile(1_000 + $0) }
          for tile in tiles { store.context.insert(tile) }
          try store.context.save()
        } else {
          tiles = try store.tiles(256)
        }
        try store.their(tiles[0].number).note = "theirs"
        try store.foreign.save()
        // This fetch starts after the change and records a later transaction ID as the start of its reading. The
        // deletion must not use this ID.
        #expect(try ModelContext(store.container).fetch(FetchDescriptor<Tile>()).count >= 300)
        for tile in tiles { store.context.delete(tile) }
        let error = #expect(throws: SwiftDataError.self) { try store.context.save() }
        #expect(error == .conflictingChanges)
      }
    }

    @Test("a deletion of many rows deletes the remaining rows if another process has deleted one of them")
    func deletedTwice() throws {
      let store = try TiledStore()
      for tile in try store.tiles() { store.context.delete(tile) }
      store.foreign.delete(try store.their(7))
      try store.foreign.save()
      try store.context.save()
      #expect(try store.left() == 0)
    }

    @Test("a deletion does not check row ages behind a pooler, or if standbys answer reads", arguments: [true, false])
    func unknownServers(isPooled: Bool) throws {
      let url = try ageCluster.get().url
      let store = try TiledStore { configuration in
        if isPooled { configuration.pooling = .transaction } else { configuration.readerURLs = [url] }
      }
      for tile in try store.tiles() { store.context.delete(tile) }
      let sent = try store.save()
      #expect(!sent.looks && sent.compares)
      #expect(try store.left() == 0)
    }

    @Test("a deletion deletes the original texts of its rows")
    func originals() throws {
      let store = try TiledStore(reads: false)
      // The Kelvin sign is stored as the letter K, and the sign itself as an original text.
      try store.their(3).note = "\u{212A}"
      try store.foreign.save()
      for tile in try store.tiles() { store.context.delete(tile) }
      let sent = try store.save()
      #expect(sent.looks && !sent.compares)
      #expect(try store.left() == 0)
      #expect(try store.catalog.problems() == [])
    }

    @Test(
      "a deletion cascades to many rows by foreign key, to objects by row age, and to rows of other contexts",
      arguments: [false, true])
    func cascade(areObjects: Bool) throws {
      for isDisturbed in [false, true] {
        let store = try TiledStore(reads: false)
        let wall = Wall("w")
        store.foreign.insert(wall)
        for number in 0..<TiledStore.count { store.foreign.insert(Stone("\(number)", in: wall)) }
        try store.foreign.save()
        let own = try #require(try store.context.fetch(FetchDescriptor<Wall>()).first)
        if areObjects { #expect(own.stones.count == TiledStore.count) }
        store.context.delete(own)
        if isDisturbed {
          store.foreign.insert(Stone("theirs", in: wall))
          try store.foreign.save()
        }
        let sent = try store.save()
        #expect(sent.looks == areObjects)
        if !isDisturbed {
          let stones = store.recorder.statements.filter { $0.contains("DELETE FROM") && $0.contains("\"Stone\"") }
          #expect(stones.count == 1 && stones.allSatisfy { $0.contains(areObjects ? "age(" : "\"wall\" = ANY") })
        }
        let count = try store.catalog.connection.run(PostgresStatement("SELECT count(*) FROM \"Stone\"")).integer(0, 0)
        #expect(count == 0)
      }
    }

    @Test("a deletion compares values after a server crash, by which rows may be lost and transaction IDs reused")
    func crash() throws {
      let cluster = try TestCluster {
        $0.settings = ["autovacuum=off", "synchronous_commit=off", "wal_writer_delay=10s"]
      }
      defer { cluster.stop() }
      for _ in 0..<5 {
        let store = try TiledStore(in: cluster, reads: false)
        try store.catalog.connection.execute("CHECKPOINT")
        try store.their(150).note = "lost"
        try store.foreign.save()
        let tiles = try store.tiles()
        #expect(tiles[150].note == "lost")
        try cluster.kill()
        try cluster.start()
        let catalog = try TestCatalog(cluster, namespace: store.catalog.namespace)
        let note = try catalog.rows("SELECT \"note\" FROM \"Tile\" WHERE \"number\" = 150").first?.first ?? nil
        // The change survived the crash by chance, because the server had already written it to the disk.
        if note == "lost" { continue }
        store.context.conflictPolicy = .throwError
        for tile in tiles { store.context.delete(tile) }
        let error = #expect(throws: SwiftDataError.self) { try store.context.save() }
        #expect(error == .conflictingChanges)
        return
      }
      Issue.record("the server has lost nothing")
    }

    @Test("a distant transaction ID does not make a row old, even if its lower half equals the row's")
    func wraparound() throws {
      let store = try TestDatabase(Specimen.self)
      let table = try store.table(Specimen.self)
      try store.connection.run(try store.insertion(of: Specimen(1), key: 5))
      let next = try #require(
        try store.connection.run(
          PostgresStatement("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int8")
        ).integer(0, 0))
      let written = try #require(
        try store.connection.run(
          PostgresStatement("SELECT xmin::text::int8 FROM \(store.dialect.table(table.name))")
        ).integer(0, 0))
      func delete(_ number: Int64) throws -> Int {
        var parameters = PostgresParameters()
        parameters.append(keys: [5])
        parameters.append(number)
        return try store.connection.run(PostgresStatement(store.statements.deleteOlder(from: table), parameters))
          .affectedRows
      }
      let whole: Int64 = 1 << 32
      #expect(try delete(written) == 0)
      for far in [written + 1 - whole, written + 1 + whole, written + whole / 2, next + 1_000_000, Int64.max, 0, -1] {
        #expect(try delete(far) == 0, "\(far)")
      }
      #expect(try delete(written + 1) == 1)
    }

    /// A store whose connections go through a proxy, and a context that has deleted all tiles without saving.
    private static func storeBehindProxy() throws -> (store: TiledStore, proxy: TestProxy) {
      let proxy = try TestProxy(to: try ageCluster.get().socket)
      let url = proxy.url
      let store = try TiledStore { configuration in
        let namespace = configuration.namespace
        configuration = PostgresConfiguration(url)
        configuration.namespace = namespace
        configuration.maximumConnections = 3
        configuration.acquireTimeout = .seconds(5)
        // The save also writes a notification row. It proves the commit if the connection is lost before the engine
        // learns the transaction ID.
        configuration.propagation = .polling(interval: .seconds(600))
      }
      for tile in try store.tiles() { store.context.delete(tile) }
      // The connection for notifications starts soon after the first read. Its messages would be counted otherwise.
      let listening =
        "SELECT pid::text FROM pg_stat_activity WHERE state = 'idle' AND query LIKE 'WITH due AS%' "
        + "AND query LIKE '%\(store.catalog.namespace)%'"
      try #require(try waitUntil { try !store.catalog.rows(listening).isEmpty })
      return (store, proxy)
    }

    @Test(
      "a deletion is applied once, regardless of the message at which the connection is cut", .timeLimit(.minutes(5)))
    func faults() throws {
      let (first, counting) = try Self.storeBehindProxy()
      let counts = try counting.counting { try first.context.save() }
      counting.stop()
      let run = FaultRun("deletion by age", [.cut, .tear, .delay], counts: counts, milliseconds: 30, few: 4)
      run.run(within: .seconds(20)) { fault in
        let (store, proxy) = try Self.storeBehindProxy()
        defer { proxy.stop() }
        let (result, time, hasHappened) = proxy.during(fault) { try store.context.save() }
        var outcome = FaultRun.Outcome(end: "deleted", hasHappened: hasHappened)
        if case .failure(let error) = result { outcome.problems.append("it was not saved: \(error)") }
        let left = try store.left()
        if left != 0 { outcome.problems.append("\(left) rows are left") }
        return (outcome, time)
      }
    }
  }

  /// Commits a transaction on a connection. Unchecked, because the other thread uses the connection only after the
  /// commit.
  private final class UncheckedCommit: @unchecked Sendable {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Waits until another session is blocked by this one, and then commits.
    func runWhenOthersWait() {
      let waiting = PostgresStatement(
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))")
      _ = try? waitUntil { try connection.run(waiting).integer(0, 0) ?? 0 > 0 }
      try? connection.execute("COMMIT")
    }
  }
#endif
