/// A situation of programs that no ``Workload`` measures. The command `situations` runs each situation in hand-written
/// code and in the library, in the order of the cases.
public enum Situation: String, CaseIterable, Codable, Sendable {
  /// Contexts that come and go: each one fetches a row by its key, changes a field, saves, and is released.
  case shortContexts = "short-contexts"
  /// A context saves rows one by one while a second context has objects of the same rows. The second context takes in
  /// the changes at the end.
  case secondContext = "second-context"
  /// A context with an object for each row of the table saves single objects.
  case manyRegistered = "many-registered"
  /// Three properties of each object of the table are read, beside objects of an `@Observable` class.
  case observedProperties = "observed-properties"
  /// A context with an undo manager saves changes of many objects several times.
  case undo
  /// A model with two levels of subclasses: rows of mixed classes are inserted, and fetched by the base class.
  case inheritance
  /// A model with a struct of ten members.
  case composites
  /// Values so large that each one is in a file beside the database.
  case externalValues = "external-values"
  /// A schema of 200 entities: a new file is created, and the file is opened again.
  case entities
  /// Four readers and a writer that work at the same time, for a fixed time.
  case readersAndWriter = "readers-and-writer"
  /// A model with an encrypted text.
  case encryption

  /// False if this program was built without the trait that the situation needs.
  public var isAvailable: Bool {
    #if Encryption
      true
    #else
      self != .encryption
    #endif
  }

  /// Whether instructions say something about the situation. They do not if its threads work for a fixed time, or if it
  /// is not in each build of the benchmarks.
  public var isCountable: Bool { self != .readersAndWriter && self != .encryption }

  /// Whether each part of the situation needs a process of its own, because the library computes some data only once in
  /// a process.
  public var needsOwnProcesses: Bool { self == .entities }

  /// The parts of the situation, each of which is measured on its own.
  public func phases(in plan: SituationPlan) -> [SituationPhase] {
    switch self {
    case .shortContexts:
      [SituationPhase("context for each: fetch, change, save ×\(plan.contexts)", plan.contexts)]
    case .secondContext:
      [SituationPhase("save 1 row ×\(plan.saves), second context takes them in", plan.saves)]
    case .manyRegistered:
      [SituationPhase("save 1 of \(plan.rows) registered ×\(plan.saves)", plan.saves)]
    case .observedProperties:
      [SituationPhase("read 3 properties of \(plan.rows) objects, beside @Observable", plan.rows)]
    case .undo:
      [SituationPhase("undo on: change \(plan.undoable), save ×\(plan.undoableSaves)", plan.undoableChanges)]
    case .inheritance:
      [
        SituationPhase("3 classes: insert \(plan.newRows), save", plan.newRows, "insert"),
        SituationPhase("3 classes: fetch \(plan.newRows), sum 2 fields", plan.newRows, "fetch"),
      ]
    case .composites:
      [
        SituationPhase("struct of 10: insert \(plan.newRows), save", plan.newRows, "insert"),
        SituationPhase("struct of 10: fetch \(plan.newRows), sum 2 members", plan.newRows, "fetch"),
      ]
    case .externalValues:
      [
        SituationPhase("values of 1 MB: insert \(plan.scans), save", plan.scans, "insert"),
        SituationPhase("values of 1 MB: fetch and read \(plan.scans)", plan.scans, "fetch"),
      ]
    case .entities:
      [
        SituationPhase("\(plan.entities) entities: new file, first query", plan.entities, "new-file"),
        SituationPhase("\(plan.entities) entities: opened by a new process", plan.entities, "new-process"),
        SituationPhase("\(plan.entities) entities: opened again", plan.entities, "again"),
      ]
    case .readersAndWriter:
      [
        SituationPhase("\(plan.readers) readers, 1 writer: 1000 reads of 20 rows", 1_000, "reads"),
        SituationPhase("\(plan.readers) readers, 1 writer: a read, 99 %", 1, "slow-read"),
        SituationPhase("\(plan.readers) readers, 1 writer: 1000 saves of 1 row", 1_000, "saves"),
        SituationPhase("\(plan.readers) readers, 1 writer: a save, 99 %", 1, "slow-save"),
      ]
    case .encryption:
      [
        SituationPhase("encrypted text: insert \(plan.newRows), save", plan.newRows, "insert"),
        SituationPhase("encrypted text: fetch \(plan.newRows), read texts", plan.newRows, "fetch"),
      ]
    }
  }
}

/// A part of a situation that has a row of its own in the table.
public struct SituationPhase: Sendable {
  /// The title in tables.
  public let title: String

  /// The number of operations in one sample.
  public let operations: Int

  /// A word that tells the phase from the others of its situation; nil if there are no others.
  private let word: String?

  init(_ title: String, _ operations: Int, _ word: String? = nil) {
    (self.title, self.operations, self.word) = (title, operations, word)
  }

  /// The name of the phase of a situation, without spaces.
  public func name(in situation: Situation) -> String {
    [situation.rawValue, word].compactMap { $0 }.joined(separator: "-")
  }
}
