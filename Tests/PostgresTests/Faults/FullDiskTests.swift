#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import MigrationWorkload
  import OpenSwiftData
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  @Suite(
    "A server with a full disk",
    .enabled(if: SmallDisk.isAvailable, "a disk of a certain size takes root, and the right to mount"), .serialized,
    .timeLimit(.minutes(5)))
  struct FullDiskTests {
    private func code(_ error: SwiftDataError?) -> String? {
      (error?.underlyingError as? SwiftDataError.PostgresError)?.sqlState
    }

    /// Saves a hundred holders at a time until a save fails. The holders of the failed save stay unsaved in the
    /// context.
    ///
    /// - Returns: The number of saved holders, and the error of the failed save.
    private func fill(_ context: ModelContext) throws -> (saved: Int, failure: SwiftDataError?) {
      var saved = try context.fetchCount(FetchDescriptor<Holder>())
      for round in 0..<2_000 {
        for number in 0..<100 {
          let holder = Holder("h\(round)-\(number)")
          // The note consists of random UUIDs, so that PostgreSQL cannot compress it.
          holder.note = (0..<60).map { _ in UUID().uuidString }.joined()
          context.insert(holder)
        }
        do {
          try context.save()
          saved += 100
        } catch {
          return (saved, error as? SwiftDataError)
        }
      }
      return (saved, nil)
    }

    @Test("a save throws and stores nothing; saves work again when there is space")
    func save() throws {
      let disk = try SmallDisk(kilobytes: 16_384)
      defer { disk.remove() }
      let cluster = try TestCluster()
      defer { cluster.stop() }
      var configuration = PostgresConfiguration(try disk.makePlace(on: cluster))
      configuration.propagation = .off
      let container = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      let context = ModelContext(container)
      context.insert(Holder("Ann"))
      try context.save()
      let (saved, failure) = try fill(context)
      #expect(failure == .storeFull)
      #expect(code(failure) == "53100")
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Holder>()) == saved)
      // After the disk is enlarged, the same context saves the changes that failed before.
      try disk.resize(kilobytes: 65_536)
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Holder>()) == saved + 100)
      RandomTesting.note("full disks", 1)
    }

    @Test(
      "if the server stops because its write-ahead log fills the disk, no acknowledged save is lost or stored twice")
    func log() async throws {
      let disk = try SmallDisk(kilobytes: 98_304)
      defer { disk.remove() }
      let cluster = try TestCluster {
        ($0.root, $0.settings) = (disk.folder, ["min_wal_size=32MB", "max_wal_size=64MB"])
      }
      defer { cluster.stop() }
      var configuration = PostgresConfiguration(cluster.url)
      (configuration.connectTimeout, configuration.acquireTimeout) = (.seconds(2), .seconds(2))
      let container = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      let context = ModelContext(container)
      let (saved, failure) = try fill(context)
      #expect(saved > 0)
      let error = try #require(failure)
      #expect(error == .storeFull || error == .storeUnreachable || UnknownOutcome.isCause(of: error), "\(error)")
      try disk.resize(kilobytes: 524_288)
      try cluster.startAgainIfEnded()
      // The next save first queries the outcome of the failed save.
      #expect(await eventually(within: .seconds(60)) { (try? context.save()) != nil })
      let names = try ModelContext(container).fetch(FetchDescriptor<Holder>()).map(\.name)
      #expect(names.count == saved + 100)
      #expect(Set(names).count == names.count)
      RandomTesting.note("full disks", 1)
    }

    @Test("a migration throws and changes nothing; the store is migrated when there is space")
    func migration() throws {
      let disk = try SmallDisk(kilobytes: 65_536)
      defer { disk.remove() }
      let cluster = try TestCluster()
      defer { cluster.stop() }
      let store = try ServerStore(cluster)
      let namespace = store.configuration.namespace
      store.configuration = PostgresConfiguration(try disk.makePlace(on: cluster))
      store.configuration.namespace = namespace
      try TripStores.fill(TripStores.original(store.configuration), trips: 400)
      let before = try store.catalog().dump()
      // The remaining 4 KB are too little for the index that the migration creates.
      try disk.resize(kilobytes: disk.usedKilobytes() + 4)
      let error = #expect(throws: SwiftDataError.self) { _ = try TripStores.migrated(store.configuration) }
      #expect(error == .storeFull)
      #expect(code(error) == "53100")
      #expect(try store.catalog().dump() == before)
      try disk.resize(kilobytes: 65_536)
      #expect(try TripStores.originalProblems(of: TripStores.original(store.configuration), trips: 400) == [])
      #expect(try TripStores.problems(of: TripStores.migrated(store.configuration), trips: 400) == [])
      RandomTesting.note("full disks", 1)
    }
  }
#endif
