import ConformanceSupport
import OpenSwiftData

extension CountedStore {
  /// A store with clubs.
  init(_ engine: Engine, _ names: String...) throws {
    try self.init(engine, clubModels)
    let context = ModelContext(container)
    for (index, name) in names.enumerated() { context.insert(Club(name, rank: index)) }
    try context.save()
  }

  /// The number of queries of clubs in a block, without reads of single models.
  func runs(_ block: () throws -> Void) rethrows -> Int {
    recorder.clear()
    try block()
    return recorder.statements.count { $0.hasPrefix("SELECT") && $0.contains("\"Club\"") && $0.contains("ORDER BY") }
  }

  /// The number of SELECT statements on clubs in a block.
  func reads(_ block: () throws -> Void) rethrows -> Int { try reads(of: "Club", block) }

  /// The number of SELECT statements on clubs since the recorder was cleared.
  func reads() -> Int { reads(of: "Club") }
}

/// A counter that any thread increments and reads.
final class Tally: Sendable {
  private let log = Log<Void>()

  var value: Int { log.entries.count }

  func increment() { log.add(()) }
}
