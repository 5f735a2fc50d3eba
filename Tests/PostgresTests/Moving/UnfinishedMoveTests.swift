#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SQLEngine
  import SwiftData
  import Testing

  @Suite("Moves that fail or are cancelled")
  struct UnfinishedMoveTests {
    private let stores: MovedStores

    init() throws { stores = try MovedStores() }

    private static let rowCount = 20_000

    /// Creates a store in a file with 20,000 rows.
    private func filled() throws -> ModelContainer {
      let container = try stores.open(stores.file())
      let context = ModelContext(container)
      let depots = (0..<50).map { Depot("depot \($0)") }
      for depot in depots { context.insert(depot) }
      for number in 0..<Self.rowCount {
        let parcel = Parcel("parcel \(number)", number: number)
        context.insert(parcel)
        if number.isMultiple(of: 10) { parcel.depots = [depots[number / 10 % 50]] }
      }
      try context.save()
      return container
    }

    /// Ends the session that copies rows. It is recognized by the lock that only a copy has.
    private static func endCopy(in namespace: String) {
      try? TestCluster.shared.get().connect().execute(
        """
        SELECT pg_terminate_backend(l.pid) FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE l.mode = 'ExclusiveLock' AND c.relname = 'Parcel' AND n.nspname = '\(namespace)'
        """)
    }

    private func count(_ container: ModelContainer) throws -> Int {
      try ModelContext(container).fetchCount(FetchDescriptor<Parcel>())
        + ModelContext(container).fetchCount(FetchDescriptor<Depot>())
    }

    @Test("a cancelled move of 20,000 rows, or one whose connection ends, copies nothing; otherwise it is complete")
    func many() async throws {
      let source = try filled()
      let database = try stores.database()
      let cancelled = WatchedProgress(at: 100) { $0.cancel() }
      await #expect(throws: CancellationError.self) { try await source.copy(to: database, progress: cancelled) }
      #expect(try count(stores.open(database)) == 0)
      let namespace = database.namespace
      let lost = WatchedProgress(at: 600) { _ in Self.endCopy(in: namespace) }
      let error = await #expect(throws: SwiftDataError.self) { try await source.copy(to: database, progress: lost) }
      #expect(error?.explanation?.contains("Nothing was copied") == true)
      #expect(try count(stores.open(database)) == 0)
      let progress = MovedStores.progress()
      let copy = try await source.copy(to: database, progress: progress)
      #expect(progress.completedUnitCount == 1_000)
      #expect(copy.models.first { $0.name == "Parcel" }?.count == Self.rowCount)
      #expect(copy.relationships.first { $0.name == "Parcel.depots" }?.count == Self.rowCount / 10)
      #expect(try count(stores.open(database)) == Self.rowCount + 50)
    }

    @Test("if PostgreSQL cannot store a value, the move throws and copies nothing")
    func refusedValue() async throws {
      let source = try stores.open(stores.file())
      let context = ModelContext(source)
      for number in 0..<3 { context.insert(Holder("holder \(number)")) }
      // A text that is too long for an index even after compression.
      var state: UInt64 = 1
      let long = String(
        decoding: (0..<9_000).map { _ in
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return UInt8(33 + (state >> 33) % 90)
        }, as: UTF8.self)
      let holder = Holder(long)
      context.insert(holder)
      try context.save()
      let database = try stores.database()
      let error = await #expect(throws: SwiftDataError.self) { try await source.copy(to: database) }
      #expect(error?.explanation?.contains("Nothing was copied") == true)
      #expect(try ModelContext(stores.open(database)).fetchCount(FetchDescriptor<Holder>()) == 0)
      holder.name = "short"
      try context.save()
      try await source.copy(to: database)
      #expect(try ModelContext(stores.open(database)).fetchCount(FetchDescriptor<Holder>()) == 4)
    }

    @Test("a destination that contains models, or has other models, makes the move throw and stays unchanged")
    func occupied() async throws {
      let source = try stores.open(stores.file())
      let database = try stores.database()
      do {
        let context = ModelContext(try stores.open(database))
        context.insert(Depot("mine"))
        try context.save()
      }
      let error = await #expect(throws: SwiftDataError.storeUnreachable) { try await source.copy(to: database) }
      #expect(error?.explanation?.contains("Depot: 1") == true)
      #expect(try ModelContext(stores.open(database)).fetch(FetchDescriptor<Depot>()).map(\.name) == ["mine"])
      let other = try stores.database()
      _ = try ModelContainer(for: Specimen.self, configurations: other)
      await #expect(throws: SwiftDataError.unknownSchema) { try await source.copy(to: other) }
      _ = try ModelContainer(for: Specimen.self, configurations: other)
    }

    @Test("no other session can write to a store during the move, and an erased store can be a destination")
    func erased() async throws {
      let database = try stores.database()
      let open = try stores.open(database)
      let context = ModelContext(open)
      for number in 0..<5 { context.insert(Depot("\(number)")) }
      try context.save()
      let former = try context.fetchIdentifiers(FetchDescriptor<Depot>()).compactMap { $0.row?.key }
      try open.erase()
      let engine = try #require(open.stores.stores.first?.engine as? any MovableEngine)
      let filling = try engine.beginFilling()
      var impatient = database
      impatient.lockTimeout = .milliseconds(50)
      let other = ModelContext(try stores.open(impatient))
      other.insert(Depot("other"))
      #expect(throws: SwiftDataError.storeBusy) { try other.save() }
      filling.rollBack()
      try await open.close()
      let source = try stores.open(stores.file())
      try MovedContents.fill(source)
      try await source.copy(to: database)
      let moved = ModelContext(try stores.open(database))
      moved.insert(Depot("new"))
      try moved.save()
      // The new model's key is greater than the keys of the erased models.
      let new = try #require(
        try moved.fetch(FetchDescriptor<Depot>(predicate: #Predicate { $0.name == "new" })).first)
      #expect(try moved.fetchCount(FetchDescriptor<Depot>()) == 4)
      #expect(try #require(new.persistentModelID.row?.key) > #require(former.max()))
    }

    #if Encryption
      @Test("a move of encrypted attributes needs a key of the new store; without it nothing is created")
      func encrypted() async throws {
        var configuration = stores.file()
        configuration.encryptionKey = ModelConfiguration.EncryptionKey()
        let source = try ModelContainer(for: Secret.self, configurations: configuration)
        let database = try stores.database()
        await #expect(throws: SwiftDataError.encryptionKeyMissing) { try await source.copy(to: database) }
        let connection = try TestCluster.shared.get().connect()
        let found = try connection.run(
          PostgresStatement("SELECT count(*) FROM pg_namespace WHERE nspname = '\(database.namespace)'"))
        #expect(found.integer(0, 0) == 0)
      }
    #endif
  }
#endif
