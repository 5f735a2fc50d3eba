import Foundation
import PersistenceRuntime
import SQLEngine

extension SQLiteConnection {
  /// The query plan of a fetch.
  func explain(_ request: FetchRequest) throws -> StatementExplanation {
    try withStatement(for: request, purpose: .rows) { statement in
      StatementExplanation(
        statement: statement.sql, bindings: statement.parameters.map { $0.description(in: request) },
        steps: try steps(of: statement, for: request))
    }
  }

  private func steps(
    of statement: SQLiteStatement, for request: FetchRequest
  ) throws -> [StatementExplanation.Step] {
    let plan = try SQLiteStatement(
      "EXPLAIN QUERY PLAN " + statement.sql, parameters: statement.parameters, on: handle)
    try plan.bind(request)
    var depths: [Int64: Int] = [:]
    var steps: [StatementExplanation.Step] = []
    while try plan.step() {
      let depth = depths[plan.integer(1)].map { $0 + 1 } ?? 0
      depths[plan.integer(0)] = depth
      steps.append(StatementExplanation.Step(text: plan.text(3) ?? "", depth: depth))
    }
    return steps
  }
}
