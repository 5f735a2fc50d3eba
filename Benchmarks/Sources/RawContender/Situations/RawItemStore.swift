import BenchmarkCore
import CSQLiteBenchmark

/// The situations that save single fields of items, in hand-written code.
final class RawItemStore {
  private let connection: RawConnection
  private let transactions: RawTransactions
  private let find: RawStatement
  private let store: RawStatement

  init(_ connection: RawConnection) throws {
    self.connection = connection
    transactions = try RawTransactions(on: connection)
    find = try connection.prepare("SELECT \(RawItem.columns) FROM item WHERE id = ?")
    store = try connection.prepare("UPDATE item SET score = ? WHERE id = ?")
  }

  /// Hand-written code has no contexts: it fetches and saves with the same statements each time.
  func shortContexts(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    let keys = try keys(at: plan.scattered(plan.contexts))
    try stopwatch.measure {
      for key in keys {
        guard let item = try fetch(key) else { continue }
        item.score += 1
        try transactions.run { try update(item) }
      }
    }
    return try checksum()
  }

  /// The second context is a second array of objects. At the end it gets the saved rows, which are read by their keys.
  func secondContext(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    let items = try first(plan.saves)
    var others = try first(plan.saves)
    let sum = try stopwatch.measure {
      for item in items {
        item.score += 1
        try transactions.run { try update(item) }
      }
      for (index, item) in items.enumerated() {
        if let current = try fetch(Int(item.id)) { others[index] = current }
      }
      return others.reduce(0) { $0 + $1.score }
    }
    return try checksum() &+ Int(sum)
  }

  /// Reads the properties of objects that can be observed, as those of the library can.
  func readThreeProperties(_ stopwatch: Stopwatch) throws -> Int {
    var items: [ObservedItem] = []
    try connection.prepare("SELECT \(RawItem.columns) FROM item").forEachRow { items.append(ObservedItem(row: $0)) }
    return stopwatch.measure {
      items.reduce(0) { $0 &+ $1.count &+ Int($1.score) &+ $1.name.utf8.count }
    }
  }

  func manyRegistered(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    let items = try first(plan.rows)
    let positions = plan.scattered(plan.saves)
    try stopwatch.measure {
      for position in positions {
        items[position].score += 1
        try transactions.run { try update(items[position]) }
      }
    }
    return try checksum()
  }

  /// Changes the same objects in several transactions. It keeps nothing with which the changes could be undone.
  func changesOfMany(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    let items = try first(plan.undoable)
    try stopwatch.measure {
      for _ in 0..<plan.undoableSaves {
        for item in items { item.score += 1 }
        try transactions.run {
          for item in items { try update(item) }
        }
      }
    }
    return try checksum()
  }

  private func update(_ item: RawItem) throws {
    sqlite3_bind_double(store.handle, 1, item.score)
    sqlite3_bind_int64(store.handle, 2, item.id)
    try store.run()
  }

  private func fetch(_ key: Int) throws -> RawItem? {
    find.bind(key)
    return try find.fetchOne()
  }

  private func first(_ count: Int) throws -> [RawItem] {
    let load = try connection.prepare("SELECT \(RawItem.columns) FROM item ORDER BY id LIMIT ?")
    load.bind(count)
    return try load.fetch()
  }

  private func keys(at positions: [Int]) throws -> [Int] {
    let keys = try connection.prepare("SELECT id FROM item ORDER BY id").fetchNumbers()
    return positions.map { keys[$0] }
  }

  private func checksum() throws -> Int {
    Checksum.ofAll(try connection.prepare("SELECT \(RawItem.columns) FROM item").fetch())
  }
}
