#if PostgreSQL
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  /// A store behind a proxy, and a context with 3,000 unsaved rows.
  private final class FilledContext {
    private static let count = 3_000

    let proxy: TestProxy
    let context: ModelContext
    private let direct: PostgresConnection
    private let namespace = "Large faults \(UUID().uuidString)"

    init(_ change: (inout PostgresConfiguration) -> Void = { _ in }) throws {
      let cluster = try TestCluster.shared.get()
      proxy = try TestProxy(to: cluster.socket)
      direct = try cluster.connect()
      var configuration = PostgresConfiguration(proxy.url)
      configuration.namespace = namespace
      configuration.maximumConnections = 3
      configuration.acquireTimeout = .seconds(5)
      // The save also writes a notification row. It proves the commit if the connection is lost before the engine
      // learns the transaction ID.
      configuration.propagation = .polling(interval: .seconds(600))
      change(&configuration)
      context = ModelContext(try ModelContainer(for: Watched.self, configurations: configuration))
      // The store prepares a statement when it is used for the second time. After these saves, each save sends the same
      // messages.
      for round in 1...3 {
        context.insert(Watched(-round))
        try context.save()
      }
      for number in 0..<Self.count { context.insert(Watched(number)) }
    }

    deinit { proxy.stop() }

    /// True if each row is stored once, false if none is stored; nil if only some are stored.
    func isSaved() throws -> Bool? {
      let result = try direct.run(
        PostgresStatement(
          "SELECT count(*), count(DISTINCT number) FROM \"\(namespace)\".\"Watched\" WHERE number >= 0"))
      let (counts, all) = ([result.integer(0, 0), result.integer(0, 1)], Int64(Self.count))
      if counts == [0, 0] { return false }
      return counts == [all, all] ? true : nil
    }
  }

  /// Covers cuts, torn messages and delays. A soak test causes them at every message of a save; an ordinary run at a
  /// few random ones.
  @Suite("Saving thousands of new rows with a network fault", .serialized, .timeLimit(.minutes(10)))
  struct LargeSaveFaultTests {
    /// The numbers of messages that a save without a fault sends and receives.
    private static func counts(
      _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws -> (requests: Int, answers: Int) {
      try FaultRun.fewestMessages(of: 4) { _ in
        let store = try FilledContext(change)
        return try store.proxy.counting { try store.context.save() }
      }
    }

    @Test("a save with a fault is retried, and its rows are stored once")
    func goesOn() throws {
      let run = FaultRun(
        "large save", [.cut, .tear, .delay], counts: try Self.counts(), milliseconds: 30, few: 3, width: 3)
      run.run(within: .seconds(60)) { fault in
        let store = try FilledContext()
        let (result, time, hasHappened) = store.proxy.during(fault) { try store.context.save() }
        var outcome = FaultRun.Outcome(end: "saved", hasHappened: hasHappened)
        if case .failure(let error) = result { outcome.problems.append("it was not saved: \(error)") }
        if try store.isSaved() != true { outcome.problems.append("not all of it is there once") }
        return (outcome, time)
      }
    }

    @Test("a save without retries stores everything or nothing, and reports which")
    func says() throws {
      let run = FaultRun(
        "large save without retries", [.cut, .tear, .delay], counts: try Self.counts { $0.saveRetries = 0 },
        milliseconds: 30, few: 3, width: 3)
      run.run(within: .seconds(60)) { fault in
        let store = try FilledContext { $0.saveRetries = 0 }
        let (result, time, hasHappened) = store.proxy.during(fault) { try store.context.save() }
        let isSaved = try store.isSaved()
        var outcome = FaultRun.Outcome(end: isSaved == true ? "saved" : "not saved", hasHappened: hasHappened)
        switch (result, isSaved) {
        case (.success, true?): break
        case (.failure(let error as SwiftDataError), false?):
          // The engine could ask the server for the outcome, so the error must not report it as unknown.
          if error != .storeUnreachable || UnknownOutcome.isCause(of: error) { outcome.problems.append("\(error)") }
          if fault.kind == .delay { outcome.problems.append("a delay was an error: \(error)") }
          try store.context.save()
          if try store.isSaved() != true { outcome.problems.append("saving again did not save it") }
        case (let result, let isSaved):
          outcome.problems.append("\(result), and in the store: \(isSaved.map { "\($0)" } ?? "a part of it")")
        }
        return (outcome, time)
      }
    }
  }
#endif
