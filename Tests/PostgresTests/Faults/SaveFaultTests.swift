#if PostgreSQL
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  /// A store behind a proxy, and a context with unsaved changes.
  private final class ChangedStore {
    /// The kind of changes that the save contains.
    enum Shape: String, CaseIterable, Sendable {
      /// Changes that the save sends in one pipeline.
      case plain
      /// Deletions, and a unique value that another row has: the save reads before it writes.
      case asking
    }

    let proxy: TestProxy
    let context: ModelContext
    private let direct: PostgresConnection
    private let namespace = "Faults \(UUID().uuidString)"
    private let shape: Shape
    private let first = Holder("first", number: -1)
    private var victims: [Holder]
    private static let victimCount = 9

    init(_ shape: Shape, _ change: (inout PostgresConfiguration) -> Void = { _ in }) throws {
      let cluster = try TestCluster.shared.get()
      proxy = try TestProxy(to: cluster.socket)
      direct = try cluster.connect()
      self.shape = shape
      var configuration = PostgresConfiguration(proxy.url)
      configuration.namespace = namespace
      configuration.maximumConnections = 3
      configuration.acquireTimeout = .seconds(5)
      // The save also writes a notification row. It proves the commit if the connection is lost before the engine
      // learns the transaction ID.
      configuration.propagation = .polling(interval: .seconds(600))
      change(&configuration)
      context = ModelContext(try ModelContainer(for: Holder.self, Ship.self, configurations: configuration))
      victims = (0..<Self.victimCount).map { Holder("victim \($0)") }
      for holder in [first] + victims { context.insert(holder) }
      try context.save()
      // The store prepares a statement when it is used for the second time. After these saves, each save sends the same
      // messages.
      for round in 0..<3 {
        edit(round)
        try context.save()
      }
    }

    deinit { proxy.stop() }

    func edit(_ round: Int) {
      first.note = "round \(round)"
      let new = Holder("new \(round)", number: round)
      context.insert(new)
      new.holdings = [Holding("of \(round)"), Ship("boat \(round)", mark: shape == .plain ? "mark \(round)" : "mark")]
      first.friends = [new]
      if shape == .asking { context.delete(victims.removeLast()) }
    }

    private func count(_ table: String, _ condition: String) throws -> Int64 {
      let result = try direct.run(
        PostgresStatement("SELECT count(*) FROM \"\(namespace)\".\"\(table)\" WHERE \(condition)"))
      return result.integer(0, 0) ?? -1
    }

    /// True if all changes of the round are stored once, false if none is stored; nil if only some are stored.
    func isSaved(_ round: Int) throws -> Bool? {
      var parts = [
        try count("Holder", "name = 'new \(round)' AND number = \(round)"),
        try count("Holding", "title = 'of \(round)'"), try count("Holding", "title = 'boat \(round)'"),
        try count("Holder", "name = 'first' AND note = 'round \(round)'"),
      ]
      if shape == .asking { parts.append(1 - (try count("Holder", "name = 'victim \(Self.victimCount - 1 - round)'"))) }
      if parts.allSatisfy({ $0 == 1 }) { return true }
      return parts.allSatisfy { $0 == 0 } ? false : nil
    }
  }

  /// Covers cuts, torn messages, delays and silence. A soak test causes them at every message of a save; an ordinary
  /// run at a few random ones.
  @Suite("Saves with a network fault", .serialized, .timeLimit(.minutes(10)))
  struct SaveFaultTests {
    private static let round = 3

    private typealias Shape = ChangedStore.Shape

    /// The numbers of messages that a save without a fault sends and receives.
    private static func counts(
      _ shape: Shape, _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws -> (requests: Int, answers: Int) {
      let store = try ChangedStore(shape, change)
      return try FaultRun.fewestMessages(of: 5) { number in
        store.edit(round + number)
        return try store.proxy.counting { try store.context.save() }
      }
    }

    private static func name(_ shape: ChangedStore.Shape) -> String { "save (\(shape))" }

    @Test("a save with a fault is retried, and its changes are stored once", arguments: [true, false])
    func goesOn(_ isPlain: Bool) throws {
      let shape: Shape = isPlain ? .plain : .asking
      let run = FaultRun(
        Self.name(shape), [.cut, .tear, .delay], counts: try Self.counts(shape), milliseconds: 30, few: 3)
      run.run(within: .seconds(20)) { fault in
        let store = try ChangedStore(shape)
        store.edit(Self.round)
        let (result, time, hasHappened) = store.proxy.during(fault) { try store.context.save() }
        var outcome = FaultRun.Outcome(end: "saved", hasHappened: hasHappened)
        if case .failure(let error) = result { outcome.problems.append("it was not saved: \(error)") }
        if try store.isSaved(Self.round) != true { outcome.problems.append("not all of it is there once") }
        return (outcome, time)
      }
    }

    @Test("a save without retries stores everything or nothing, and reports which", arguments: [true, false])
    func says(_ isPlain: Bool) throws {
      let shape: Shape = isPlain ? .plain : .asking
      let run = FaultRun(
        "\(Self.name(shape)) without retries", [.cut, .tear, .delay],
        counts: try Self.counts(shape) { $0.saveRetries = 0 }, milliseconds: 30, few: 3)
      run.run(within: .seconds(20)) { fault in
        let store = try ChangedStore(shape) { $0.saveRetries = 0 }
        store.edit(Self.round)
        let (result, time, hasHappened) = store.proxy.during(fault) { try store.context.save() }
        let isSaved = try store.isSaved(Self.round)
        var outcome = FaultRun.Outcome(end: isSaved == true ? "saved" : "not saved", hasHappened: hasHappened)
        switch (result, isSaved) {
        case (.success, true?): break
        case (.failure(let error as SwiftDataError), false?):
          // The engine could ask the server for the outcome, so the error must not report it as unknown.
          if error != .storeUnreachable || UnknownOutcome.isCause(of: error) { outcome.problems.append("\(error)") }
          if fault.kind == .delay { outcome.problems.append("a delay was an error: \(error)") }
          try store.context.save()
          if try store.isSaved(Self.round) != true { outcome.problems.append("saving again did not save it") }
        case (let result, let isSaved):
          outcome.problems.append("\(result), and in the store: \(isSaved.map { "\($0)" } ?? "a part of it")")
        }
        return (outcome, time)
      }
    }

    /// The proxy forwards no further message, so that the save cannot ask the server whether its commit succeeded. The
    /// next save asks.
    @Test(
      "a save ends within its timeouts if no further message arrives, and the next save determines its outcome",
      arguments: [true, false])
    func silence(_ isPlain: Bool) throws {
      let shape: Shape = isPlain ? .plain : .asking
      let run = FaultRun(
        Self.name(shape), [.silence], counts: try Self.counts(shape) { $0.saveRetries = 0 }, milliseconds: 0, few: 3,
        width: 24)
      // Six seconds until the connection is considered lost, some seconds for the query of the outcome, and a margin.
      run.run(within: .seconds(20)) { fault in
        let store = try ChangedStore(shape) {
          ($0.statementTimeout, $0.acquireTimeout, $0.connectTimeout) = (.seconds(1), .seconds(1), .seconds(1))
          $0.saveRetries = 0
        }
        store.edit(Self.round)
        let (result, time, hasHappened) = store.proxy.during(fault) { try store.context.save() }
        var outcome = FaultRun.Outcome(hasHappened: hasHappened)
        let isSaved = try store.isSaved(Self.round)
        if isSaved == nil { outcome.problems.append("a part of it is in the store") }
        switch result {
        case .success:
          outcome.end = "saved"
          if isSaved != true { outcome.problems.append("it is not saved, and was acknowledged") }
        case .failure(let error):
          let isUnknown = UnknownOutcome.isCause(of: error)
          outcome.end = isUnknown ? "unknown, then found out" : "not saved"
          if !isUnknown, isSaved != false { outcome.problems.append("it is saved, and is said not to be: \(error)") }
          try store.context.save()
          if try store.isSaved(Self.round) != true { outcome.problems.append("the next save did not save it once") }
        }
        return (outcome, time)
      }
    }
  }
#endif
