import BenchmarkCore
import CSQLiteBenchmark
import Foundation

/// The situation with concurrent readers and a writer, in hand-written code: each thread has a connection of its own.
enum RawReadersAndWriter {
  static func run(_ file: URL, _ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    let before = try sumOfScores(file)
    let limit = plan.items.limit
    let (sum, saves) = try ReadersAndWriter.run(plan, stopwatch) {
      let connection = try RawConnection(file, settings: .ofSituations, waits: true)
      let fetch = try connection.prepare(
        "SELECT \(RawItem.columns) FROM item WHERE count >= ? AND count < ? ORDER BY count LIMIT ?")
      return { range in
        fetch.bind(range.lowerBound, range.upperBound, limit)
        return try fetch.fetch().reduce(0) { $0 &+ Checksum.ofUnchangedFields($1) }
      }
    } makeWriter: {
      try makeWriter(file, plan)
    }
    return try sum &+ Int(sumOfScores(file) - before) &- saves
  }

  private static func makeWriter(_ file: URL, _ plan: SituationPlan) throws -> () throws -> Void {
    let connection = try RawConnection(file, settings: .ofSituations, waits: true)
    let transactions = try RawTransactions(on: connection)
    let store = try connection.prepare("UPDATE item SET score = ? WHERE id = ?")
    let load = try connection.prepare("SELECT \(RawItem.columns) FROM item ORDER BY id LIMIT ?")
    load.bind(plan.saves)
    let items = try load.fetch()
    var turn = 0
    return {
      let item = items[turn % items.count]
      item.score += 1
      turn += 1
      try transactions.run {
        sqlite3_bind_double(store.handle, 1, item.score)
        sqlite3_bind_int64(store.handle, 2, item.id)
        try store.run()
      }
    }
  }

  private static func sumOfScores(_ file: URL) throws -> Double {
    let connection = try RawConnection(file, settings: .ofSituations, waits: true)
    return try connection.prepare("SELECT \(RawItem.columns) FROM item").fetch().reduce(0) { $0 + $1.score }
  }
}
