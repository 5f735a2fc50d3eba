#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceCore
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  /// Covers cuts, torn messages and delays, from connecting to the end of the move. A soak test causes them at every
  /// message; an ordinary run at a few random ones.
  @Suite("Moves to a server with a network fault", .serialized, .timeLimit(.minutes(20)))
  struct MoveFaultTests {
    private struct Attempt {
      var error: (any Error)?
      var hasHappened: Bool
      var counts: (requests: Int, answers: Int)
    }

    private let stores: MovedStores
    private let source: ModelContainer

    init() throws {
      stores = try MovedStores()
      source = try stores.open(stores.file())
      try MovedContents.fill(source)
    }

    /// Copies the store to the server through a proxy that causes the fault.
    private func copy(to database: PostgresConfiguration, _ fault: TestProxy.Fault?) async throws -> Attempt {
      let proxy = try TestProxy(to: TestCluster.shared.get().socket)
      defer { proxy.stop() }
      var configuration = PostgresConfiguration(proxy.url)
      // The messages of the connection for notifications would be counted otherwise.
      configuration.propagation = .off
      configuration.namespace = database.namespace
      (configuration.connectTimeout, configuration.acquireTimeout) = (.seconds(5), .seconds(5))
      proxy.arm(fault)
      var attempt = Attempt(hasHappened: false, counts: (0, 0))
      do { try await source.copy(to: configuration) } catch { attempt.error = error }
      (attempt.hasHappened, attempt.counts) = (!proxy.isArmed, proxy.counts)
      return attempt
    }

    /// True if the store has all expected contents, false if it is empty; nil if it has other contents.
    private func hasAll(_ database: PostgresConfiguration, _ known: [String]) throws -> Bool? {
      let found = try MovedContents.of(stores.open(database))
      return found == known ? true : found.isEmpty ? false : nil
    }

    @Test("a move with a fault fills the new store or leaves it empty, and reports which; the next move fills it")
    func faults() async throws {
      let known = try MovedContents.of(source)
      let clean = try await copy(to: stores.database(), nil)
      #expect(clean.error == nil)
      let run = FaultRun(
        "move", [.cut, .tear, .delay], counts: clean.counts, milliseconds: 50, few: 4, step: 5)
      var (reached, undone, unknown) = (0, 0, 0)
      for fault in run.faults {
        let database = try stores.database()
        let attempt = try await copy(to: database, fault)
        if attempt.hasHappened { reached += 1 }
        guard let isWhole = try hasAll(database, known) else {
          Issue.record("half of a store is there: \(fault)")
          continue
        }
        if let error = attempt.error {
          #expect((error as? SwiftDataError) == .storeUnreachable, "\(fault): \(error)")
          let words = (error as? SwiftDataError)?.explanation ?? ""
          // If the COMMIT is not acknowledged, the store may be filled or empty, and the error reports that this is
          // unknown.
          if words.contains("during the commit") { unknown += 1 } else { #expect(!isWhole, "\(fault): \(words)") }
        } else {
          #expect(isWhole, "\(fault)")
        }
        guard !isWhole else { continue }
        undone += 1
        try await source.copy(to: database)
        #expect(try hasAll(database, known) == true, "\(fault)")
      }
      print("Faults at messages of a move: \(reached); nothing copied: \(undone), unknown: \(unknown)")
      RandomTesting.note("messages of a move", reached)
      #expect(reached * 10 >= run.faults.count * 8)
      #expect(undone > 0)
    }
  }
#endif
