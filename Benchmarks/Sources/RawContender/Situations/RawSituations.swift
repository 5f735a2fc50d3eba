import BenchmarkCore
import Foundation

/// The situations in hand-written code with SQLite's C functions. The connections have the settings that the library
/// uses, and all statements are prepared before the time is measured.
public struct RawSituations: SituationContender {
  public let name = RawContender.sameSettings.name
  public let title = RawContender.sameSettings.title

  /// Prepares the process: call this before any database is opened.
  public init() {
    RawContender.sameSettings.prepareProcess()
  }

  public func run(_ situation: Situation, _ plan: SituationPlan, in folder: URL, _ stopwatch: Stopwatch) throws -> Int {
    let file = folder.appending(path: "situation.store")
    switch situation {
    case .shortContexts: return try Self.filled(file, plan).shortContexts(plan, stopwatch)
    case .secondContext: return try Self.filled(file, plan).secondContext(plan, stopwatch)
    case .manyRegistered: return try Self.filled(file, plan).manyRegistered(plan, stopwatch)
    case .observedProperties: return try Self.filled(file, plan).readThreeProperties(stopwatch)
    case .undo: return try Self.filled(file, plan).changesOfMany(plan, stopwatch)
    case .inheritance: return try RawVehicleStore(Self.open(file)).run(plan, stopwatch)
    case .composites: return try RawParcelStore(Self.open(file)).run(plan, stopwatch)
    case .externalValues: return try RawScanStore(Self.open(file), besides: file).run(plan, stopwatch)
    case .entities: return try RawEntities.open(file, plan, stopwatch)
    case .readersAndWriter:
      _ = try Self.filled(file, plan)
      return try RawReadersAndWriter.run(file, plan, stopwatch)
    case .encryption: return try Self.encrypted(file, plan, stopwatch)
    }
  }

  private static func encrypted(_ file: URL, _ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    #if Encryption
      try RawLetterStore(open(file), key: plan.encryptionKey).run(plan, stopwatch)
    #else
      throw SituationError.notDone(.encryption, reason: "the program was built without the trait Encryption")
    #endif
  }

  /// Inserts the items, closes the database, and opens it again, so that no page of the insertion is in memory.
  private static func filled(_ file: URL, _ plan: SituationPlan) throws -> RawItemStore {
    _ = try RawContender.sameSettings.create(file).insert(plan.items.makeItems(), Stopwatch())
    // Writes changed pages to the disk now, so that the system does not write them during the measurement.
    sync()
    return try RawItemStore(open(file))
  }

  private static func open(_ file: URL) throws -> RawConnection {
    try RawConnection(file, settings: .ofSituations)
  }
}

/// The two statements around a save, prepared once. A save begins with the write lock, as the library's saves do.
struct RawTransactions {
  private let begin: RawStatement
  private let commit: RawStatement

  init(on connection: RawConnection) throws {
    begin = try connection.prepare("BEGIN IMMEDIATE")
    commit = try connection.prepare("COMMIT")
  }

  /// Runs the work in one transaction. An error ends the measurement, so nothing is rolled back.
  func run(_ work: () throws -> Void) throws {
    try begin.run()
    try work()
    try commit.run()
  }
}
