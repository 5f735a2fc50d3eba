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

  /// A store that this process observes and other processes change.
  private final class FollowedStore {
    /// The counts that the live queries reported last: of all entries, and of changed entries.
    private final class Counts: Sendable {
      let latest = Lock((all: -1, changed: -1))
    }

    let location: String
    let container: ModelContainer
    let context: ModelContext
    private let counts = Counts()
    private var tasks: [Task<Void, Never>] = []

    /// - Parameter isPolling: True if processes poll the notification table; otherwise the server notifies them.
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

    /// Returns true if these are the counts that the live queries reported last.
    func hasLive(_ all: Int, changed: Int) -> Bool { counts.latest.withLock { $0 == (all, changed) } }

    /// Applies the received saves of other processes, and then returns the result of the condition.
    func isSo(_ body: () -> Bool) throws -> Bool {
      _ = try context.fetchCount(SharedStore.entries(of: ""))
      return body()
    }

    /// Runs a process until it exits, and checks that it reports no error.
    func run(_ command: String, writer: String, _ number: Int) throws {
      let (lines, status) = try ProgramProcess("SharedStoreProcess", [command, location, writer, "\(number)"]).end()
      #expect(status == 0, "\(lines)")
    }
  }

  @Suite("Saves of several processes on one store", .timeLimit(.minutes(6)))
  struct OtherProcessTests {
    @Test("saves of another process update live queries and objects of this process", arguments: [false, true])
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

    @Test("saves of this process update objects of another process", arguments: [false, true])
    func followed(_ isPolling: Bool) async throws {
      let store = try FollowedStore(isPolling)
      let entries = (0..<3).map { (number: Int) in SharedEntry(writer: "this", number: number) }
      for entry in entries { store.context.insert(entry) }
      try store.context.save()
      let process = try ProgramProcess("SharedStoreProcess", ["watch", store.location, "this", "8"])
      var lines: [String] = []
      while lines.isEmpty, process.listen({ lines.append($0) }) { process.waitForOutput() }
      #expect(lines == ["watches 3"])
      // The first save contains the changes of two entries, the second save the change of one.
      for (number, entry) in entries.enumerated() {
        entry.changes = 8
        if number > 0 { try store.context.save() }
      }
      let end = try process.end()
      #expect(end.lines == ["seen"])
      #expect(end.status == 0)
    }

    @Test("a save is detected even if its process is killed before it sends a notification", arguments: [false, true])
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

    @Test("a process detects saves that were made while it was not running", arguments: [false, true])
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
