import ConformanceSupport
import OpenSwiftData

extension CountedStore {
  /// Creates a store that counts its statements, with clubs of the given names.
  init(_ engine: Engine, _ names: String...) throws {
    try self.init(engine, clubModels)
    let context = ModelContext(container)
    for (index, name) in names.enumerated() { context.insert(Club(name, rank: index)) }
    try context.save()
  }

  /// Counts the sorted queries on clubs that a block executes. Reads of a single club are not counted.
  func runs(_ block: () throws -> Void) rethrows -> Int {
    recorder.clear()
    try block()
    return recorder.statements.count { $0.hasPrefix("SELECT") && $0.contains("\"Club\"") && $0.contains("ORDER BY") }
  }

  /// Counts all SELECT statements on clubs that a block executes.
  func reads(_ block: () throws -> Void) rethrows -> Int { try reads(of: "Club", block) }

  /// The number of SELECT statements on clubs since the recorder was last cleared.
  func reads() -> Int { reads(of: "Club") }
}

/// A counter that any thread may increment and read.
final class Tally: Sendable {
  private let log = Log<Void>()

  var value: Int { log.entries.count }

  func increment() { log.add(()) }
}
