import BenchmarkCore
import GRDB

extension GRDBSession {
  func fetchAll(_ stopwatch: Stopwatch) throws -> Int {
    Checksum.ofAll(try stopwatch.measure { try all() })
  }

  func fetchAndFree(_ stopwatch: Stopwatch) throws -> Int {
    try stopwatch.measure { Checksum.ofQuery(try all()) }
  }

  func fetchValues(_ stopwatch: Stopwatch) throws -> Int {
    Checksum.ofAll(try stopwatch.measure { try queue.read { try GRDBItemValue.fetchAll($0) } })
  }

  func readThreeFields(_ stopwatch: Stopwatch) throws -> Int {
    let items = try all()
    return stopwatch.measure {
      items.reduce(0) { $0 &+ Checksum.ofThreeFields($1) }
    }
  }

  func rangeInIndexOrder(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    try stopwatch.measure {
      try plan.wideRanges.reduce(0) { sum, range in
        sum &+ (try firstRows(of: range, limit: plan.limit))
      }
    }
  }

  func rangeSortedByName(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    try stopwatch.measure {
      try plan.narrowRanges.reduce(0) { sum, range in
        let items = try queue.read { try request(for: range).order(Column("name")).fetchAll($0) }
        return sum &+ Checksum.ofQuery(items)
      }
    }
  }

  func lookUpCold(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    try lookUp(plan.shuffled(try identifiers()), stopwatch)
  }

  private func identifiers() throws -> [Int64] {
    try queue.read { try GRDBItem.select(Column("id"), as: Int64.self).order(Column("id")).fetchAll($0) }
  }

  private func lookUp(_ identifiers: [Int64], _ stopwatch: Stopwatch) throws -> Int {
    try stopwatch.measure {
      try identifiers.reduce(0) { sum, identifier in
        sum &+ (try queue.read { try GRDBItem.fetchOne($0, key: identifier) }?.count ?? 0)
      }
    }
  }

  /// GRDB has no identity map, so a row that is already in memory is still looked up in the database.
  func lookUpRegistered(_ plan: WorkPlan, inOrder: Bool, _ stopwatch: Stopwatch) throws -> Int {
    let items = try all()
    let identifiers = try identifiers()
    return try withExtendedLifetime(items) {
      try lookUp(inOrder ? identifiers : plan.shuffled(identifiers), stopwatch)
    }
  }

  /// The set contains only the `id` of each record, which identifies the record within its table.
  func identifiersInSet(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let items = try all()
    let lookedUp = plan.shuffled(items.compactMap(\.id))
    return stopwatch.measure {
      var identifiers = Set<Int64>(minimumCapacity: plan.setCapacity)
      for item in items {
        if let id = item.id { identifiers.insert(id) }
      }
      return Checksum.ofSet(identifiers, lookedUp: lookedUp)
    }
  }

  func countRange(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    try stopwatch.measure {
      try plan.wideRanges.reduce(0) { sum, range in
        sum &+ (try queue.read { try request(for: range).fetchCount($0) })
      }
    }
  }

  func countAll(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    try stopwatch.measure {
      try (0..<plan.counts).reduce(0) { sum, _ in
        sum &+ (try queue.read { try GRDBItem.fetchCount($0) })
      }
    }
  }

  func findNone(_ plan: WorkPlan, byPredicate: Bool, _ stopwatch: Stopwatch) throws -> Int {
    let ranges = plan.emptyRanges
    return try stopwatch.measure {
      try ranges.reduce(0) { sum, range in
        sum &+ (try queue.read { try (byPredicate ? request(for: range) : GRDBItem.limit(0)).fetchAll($0).count })
      }
    }
  }

  func firstRows(of range: Range<Int>, limit: Int) throws -> Int {
    let items = try queue.read { try request(for: range).order(Column("count")).limit(limit).fetchAll($0) }
    return Checksum.ofQuery(items)
  }

  private func request(for range: Range<Int>) -> QueryInterfaceRequest<GRDBItem> {
    GRDBItem.filter(Column("count") >= range.lowerBound && Column("count") < range.upperBound)
  }
}
