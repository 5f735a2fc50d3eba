#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import SharedStoreWorkload
  import Testing

  @Suite("Moves whose process is killed", .timeLimit(.minutes(5)))
  struct KilledMoveTests {
    private static let count = 20_000

    @Test("the new store stays empty and the old store unchanged, and the next move is complete")
    func killed() throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "osd-move-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let file = folder.appending(path: "store").path
      let context = ModelContext(try SharedStore.open(file))
      for number in 0..<Self.count {
        context.insert(SharedStoreWorkload.Entry(writer: "mover", number: number))
      }
      try context.save()
      let cluster = try TestCluster.shared.get()
      let namespace = "Killed \(UUID().uuidString)"
      let location = "\(cluster.url)#\(namespace)"
      let process = try ProgramProcess("SharedStoreProcess", ["copy", file, location, "0"])
      #expect(try waitForCopy(of: namespace, on: cluster.connect()))
      kill(process.identifier, SIGKILL)
      let end = try process.end()
      #expect(end.status == SIGKILL)
      #expect(end.lines == [])
      // The server detects the closed connection and rolls the move back.
      let copied = ModelContext(try SharedStore.open(location))
      #expect(try copied.fetchCount(FetchDescriptor<SharedStoreWorkload.Entry>()) == 0)
      #expect(try ModelContext(SharedStore.open(file)).fetchCount(SharedStore.entries(of: "mover")) == Self.count)
      let again = try ProgramProcess("SharedStoreProcess", ["copy", file, location, "0"]).end()
      #expect(again.lines == ["copied"])
      let found = try ModelContext(SharedStore.open(location)).fetch(SharedStore.entries(of: "mover"))
      #expect(found.map(\.number) == Array(0..<Self.count))
    }

    /// Waits until the move has locked the tables against writes of other sessions.
    private func waitForCopy(of namespace: String, on connection: PostgresConnection) throws -> Bool {
      try waitUntil(longestPause: .milliseconds(2)) {
        let locks = try connection.run(
          PostgresStatement(
            "SELECT 1 FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation "
              + "JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE l.mode = 'ExclusiveLock' AND l.granted "
              + "AND c.relname = 'Entry' AND n.nspname = '\(namespace)'"))
        return locks.rowCount > 0
      }
    }
  }
#endif
