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

  /// How many queries of clubs a block runs, without reads of single models.
  func runs(_ block: () throws -> Void) rethrows -> Int {
    recorder.clear()
    try block()
    return recorder.statements.count { $0.hasPrefix("SELECT") && $0.contains("\"Club\"") && $0.contains("ORDER BY") }
  }

  /// How many statements on clubs a block reads with.
  func reads(_ block: () throws -> Void) rethrows -> Int { try reads(of: "Club", block) }

  /// How many statements have read clubs since the recorder was cleared.
  func reads() -> Int { reads(of: "Club") }
}

/// A number that any thread counts up and reads.
final class Tally: Sendable {
  private let log = Log<Void>()

  var value: Int { log.entries.count }

  func increment() { log.add(()) }
}
