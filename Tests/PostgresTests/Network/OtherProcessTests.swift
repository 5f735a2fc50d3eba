#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import SharedStoreWorkload
  import Testing

  private typealias SharedEntry = SharedStoreWorkload.Entry

  /// A store that this process follows and other processes change.
  private final class FollowedStore {
    /// The counts that the live queries reported last: all entries, and changed entries.
    private final class Counts: Sendable {
      let latest = Lock((all: -1, changed: -1))
    }

    let location: String
    let container: ModelContainer
    let context: ModelContext
    private let counts = Counts()
    private var tasks: [Task<Void, Never>] = []

    /// - Parameter isPolling: Whether processes poll the table, without notifications of saves of other processes.
    init(_ isPolling: Bool) throws {
      location = "\(try TestCluster.shared.get().url)#Processes \(UUID().uuidString)\(isPolling ? "#polling" : "")"
      container = try SharedStore.open(location)
      context = ModelContext(container)
      let (database, counts) = (ModelDatabase(modelContainer: container), self.counts)
      tasks = [
        Task {
          do {
            for try await models in database.references(of: FetchDescriptor<SharedEntry>()) {
              counts.latest.withLock { $0.all = models.count }
            }
          } catch { Issue.record(error) }
        },
        Task {
          do {
            let changed = FetchDescriptor<SharedEntry>(predicate: #Predicate { $0.changes == 5 })
            for try await models in database.references(of: changed) {
              counts.latest.withLock { $0.changed = models.count }
            }
          } catch { Issue.record(error) }
        },
      ]
    }

    deinit { for task in tasks { task.cancel() } }

    /// Whether the live queries have reported these counts last.
    func hasLive(_ all: Int, changed: Int) -> Bool { counts.latest.withLock { $0 == (all, changed) } }

    /// Whether a condition holds for objects of the context, after it has applied saves of other processes.
    func isSo(_ body: () -> Bool) throws -> Bool {
      _ = try context.fetchCount(SharedStore.entries(of: ""))
      return body()
    }

    /// Runs a process to its end, and checks that it has no error.
    func run(_ command: String, writer: String, _ number: Int) throws {
      let (lines, status) = try ProgramProcess("SharedStoreProcess", [command, location, writer, "\(number)"]).end()
      #expect(status == 0, "\(lines)")
    }
  }

  @Suite("Saves across processes", .timeLimit(.minutes(6)))
  struct OtherProcessTests {
    @Test("by another process update live queries and objects of this process", arguments: [false, true])
    func follow(_ isPolling: Bool) async throws {
      let store = try FollowedStore(isPolling)
      #expect(await eventually { store.hasLive(0, changed: 0) })
      try store.run("write", writer: "other", 3)
      #expect(await eventually { store.hasLive(3, changed: 0) })
      let found = try store.context.fetch(SharedStore.entries(of: "other"))
      try #require(found.map(\.number) == [0, 1, 2])
      try store.run("change", writer: "other", 5)
      #expect(await eventually { store.hasLive(3, changed: 3) })
      #expect(try await eventually { try store.isSo { found.allSatisfy { $0.changes == 5 } } })
      try store.run("delete", writer: "other", 0)
      #expect(await eventually { store.hasLive(0, changed: 0) })
      #expect(try await eventually { try store.isSo { found.allSatisfy(\.isDeleted) } })
    }

    @Test("by this process update objects of another process", arguments: [false, true])
    func followed(_ isPolling: Bool) async throws {
      let store = try FollowedStore(isPolling)
      let entries = (0..<3).map { (number: Int) in SharedEntry(writer: "this", number: number) }
      for entry in entries { store.context.insert(entry) }
      try store.context.save()
      let process = try ProgramProcess("SharedStoreProcess", ["watch", store.location, "this", "8"])
      var lines: [String] = []
      while lines.isEmpty, process.listen({ lines.append($0) }) { process.waitForOutput() }
      #expect(lines == ["watches 3"])
      // The first save has two changes, the second one has one.
      for (number, entry) in entries.enumerated() {
        entry.changes = 8
        if number > 0 { try store.context.save() }
      }
      let end = try process.end()
      #expect(end.lines == ["seen"])
      #expect(end.status == 0)
    }

    @Test("are detected even if their process is killed before it sends a notification", arguments: [false, true])
    func killed(_ isPolling: Bool) async throws {
      let store = try FollowedStore(isPolling)
      let proxy = try TestProxy(to: try TestCluster.shared.get().socket)
      defer { proxy.stop() }
      proxy.swallowsRequests(with: "NOTIFY")
      let place = store.location.drop { $0 != "#" }
      let process = try ProgramProcess("SharedStoreProcess", ["stay", proxy.url + place, "other", "2"])
      #expect(await eventually { proxy.swallowedCount > 0 })
      var lines: [String] = []
      while lines.count < 2, process.listen({ lines.append($0) }) { process.waitForOutput() }
      kill(process.identifier, SIGKILL)
      #expect(lines == ["saved 0", "saved 1"])
      #expect(try process.end().status == SIGKILL)
      #expect(await eventually { store.hasLive(2, changed: 0) })
      #expect(try store.context.fetchCount(SharedStore.entries(of: "other")) == 2)
    }

    @Test("are detected after their process has ended and started again", arguments: [false, true])
    func restarted(_ isPolling: Bool) async throws {
      let store = try FollowedStore(isPolling)
      for round in 1...3 {
        let process = try ProgramProcess("SharedStoreProcess", ["stay", store.location, "other", "2"])
        #expect(await eventually { store.hasLive(2 * round, changed: 0) })
        kill(process.identifier, SIGKILL)
        #expect(try process.end().status == SIGKILL)
      }
      let found = try store.context.fetch(SharedStore.entries(of: "other"))
      #expect(found.map(\.number) == [0, 0, 0, 1, 1, 1])
      try store.run("change", writer: "other", 5)
      #expect(await eventually { store.hasLive(6, changed: 6) })
      #expect(try await eventually { try store.isSo { found.allSatisfy { $0.changes == 5 } } })
    }
  }
#endif
