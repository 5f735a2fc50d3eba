import BenchmarkCore

extension RawSession {
  func fetchAll(_ stopwatch: Stopwatch) throws -> Int {
    let statement = try statement("SELECT \(RawItem.columns) FROM item")
    let items = try stopwatch.measure { try statement.fetch() }
    return Checksum.ofAll(items)
  }

  func fetchAndFree(_ stopwatch: Stopwatch) throws -> Int {
    let statement = try statement("SELECT \(RawItem.columns) FROM item")
    return try stopwatch.measure { Checksum.ofQuery(try statement.fetch()) }
  }

  func fetchValues(_ stopwatch: Stopwatch) throws -> Int {
    let statement = try statement("SELECT \(RawItem.columns) FROM item")
    let items = try stopwatch.measure {
      var items: [RawItemValue] = []
      try statement.forEachRow { items.append(RawItemValue(row: $0)) }
      return items
    }
    return Checksum.ofAll(items)
  }

  func readThreeFields(_ stopwatch: Stopwatch) throws -> Int {
    let items = try all()
    return stopwatch.measure {
      items.reduce(0) { $0 &+ Checksum.ofThreeFields($1) }
    }
  }

  func rangeInIndexOrder(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let statement = try rangeStatement()
    return try stopwatch.measure {
      try plan.wideRanges.reduce(0) { sum, range in
        statement.bind(range.lowerBound, range.upperBound, plan.limit)
        return sum &+ Checksum.ofQuery(try statement.fetch())
      }
    }
  }

  func rangeSortedByName(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let statement = try statement("SELECT \(RawItem.columns) FROM item WHERE count >= ? AND count < ? ORDER BY name")
    return try stopwatch.measure {
      try plan.narrowRanges.reduce(0) { sum, range in
        statement.bind(range.lowerBound, range.upperBound)
        return sum &+ Checksum.ofQuery(try statement.fetch())
      }
    }
  }

  func lookUpCold(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    try lookUp(plan.shuffled(try identifiers()), stopwatch)
  }

  private func identifiers() throws -> [Int] {
    try statement("SELECT id FROM item ORDER BY id").fetchNumbers()
  }

  private func lookUp(_ identifiers: [Int], _ stopwatch: Stopwatch) throws -> Int {
    let statement = try statement("SELECT \(RawItem.columns) FROM item WHERE id = ?")
    return try stopwatch.measure {
      try identifiers.reduce(0) { sum, identifier in
        statement.bind(identifier)
        return sum &+ (try statement.fetchOne()?.count ?? 0)
      }
    }
  }

  /// Hand-written code has no identity map, so a row that is already in memory is still looked up in the database.
  func lookUpRegistered(_ plan: WorkPlan, inOrder: Bool, _ stopwatch: Stopwatch) throws -> Int {
    let items = try all()
    let identifiers = try identifiers()
    return try withExtendedLifetime(items) {
      try lookUp(inOrder ? identifiers : plan.shuffled(identifiers), stopwatch)
    }
  }

  func identifiersInSet(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let items = try all()
    let lookedUp = plan.shuffled(items.map(\.reference))
    return stopwatch.measure {
      var references = Set<RowReference>(minimumCapacity: plan.setCapacity)
      for item in items { references.insert(item.reference) }
      return Checksum.ofSet(references, lookedUp: lookedUp)
    }
  }

  func countRange(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let statement = try statement("SELECT COUNT(*) FROM item WHERE count >= ? AND count < ?")
    return try stopwatch.measure {
      try plan.wideRanges.reduce(0) { sum, range in
        statement.bind(range.lowerBound, range.upperBound)
        return sum &+ (try statement.fetchNumber())
      }
    }
  }

  func countAll(_ plan: WorkPlan, _ stopwatch: Stopwatch) throws -> Int {
    let statement = try statement("SELECT COUNT(*) FROM item")
    return try stopwatch.measure {
      try (0..<plan.counts).reduce(0) { sum, _ in sum &+ (try statement.fetchNumber()) }
    }
  }

  func findNone(_ plan: WorkPlan, byPredicate: Bool, _ stopwatch: Stopwatch) throws -> Int {
    let condition = byPredicate ? "WHERE count >= ? AND count < ?" : "LIMIT ?"
    let statement = try statement("SELECT \(RawItem.columns) FROM item \(condition)")
    let ranges = plan.emptyRanges
    return try stopwatch.measure {
      try ranges.reduce(0) { sum, range in
        if byPredicate { statement.bind(range.lowerBound, range.upperBound) } else { statement.bind(0) }
        return sum &+ (try statement.fetch().count)
      }
    }
  }

  func firstRows(of range: Range<Int>, limit: Int) throws -> Int {
    let statement = try rangeStatement()
    statement.bind(range.lowerBound, range.upperBound, limit)
    return Checksum.ofQuery(try statement.fetch())
  }

  private func rangeStatement() throws -> RawStatement {
    try statement("SELECT \(RawItem.columns) FROM item WHERE count >= ? AND count < ? ORDER BY count LIMIT ?")
  }
}
