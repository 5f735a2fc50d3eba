import PersistenceContext
import PersistenceQueries
import PersistenceRuntime

extension ModelContext {
  /// The SQL of a fetch, its bindings and the query plan of the database. Ours.
  ///
  /// ``FetchDescriptor/explain(in:)`` creates it. `print` shows the whole explanation over several lines.
  public struct FetchExplanation: Sendable, Hashable {
    /// One step of the query plan. Ours.
    public struct Step: Sendable, Hashable {
      /// The database's description of the step, such as `SEARCH Trip USING INDEX …` or `USE TEMP B-TREE FOR ORDER BY`
      /// of SQLite, and `Index Scan using …` of PostgreSQL.
      public let text: String
      /// The depth of the step in the tree of steps.
      public let depth: Int
    }

    /// The SQL statement.
    public let sql: String
    /// The values of its parameters, `?1` or `$1` first, as SQL literals.
    public let bindings: [String]
    /// The query plan.
    public let plan: [Step]
    /// Descriptions of the work that the fetch does in memory; empty if the store does everything.
    public let inMemory: [String]
    /// Whether the fetch merges pending changes into the rows.
    public let mergesPendingChanges: Bool

    /// Whether a step of the plan uses an index.
    public var usesIndex: Bool {
      plan.contains { step in
        step.text.contains("USING INDEX") || step.text.contains("USING COVERING INDEX")
          || Self.indexScans.contains { step.text.hasPrefix($0) }
      }
    }

    /// The beginnings of PostgreSQL's names of index scans. They are searched for only at the beginning of a step,
    /// because the names of tables and indexes in the rest may contain the same words.
    private static let indexScans = ["Index ", "Bitmap Index ", "Parallel Index "]
  }
}

extension ModelContext.FetchExplanation: CustomStringConvertible {
  /// The explanation over several lines.
  public var description: String {
    var lines = [sql]
    let mark = sql.contains("?1") ? "?" : "$"
    for (number, binding) in bindings.enumerated() { lines.append("  \(mark)\(number + 1) = \(binding)") }
    for step in plan { lines.append("  " + String(repeating: "  ", count: step.depth) + "– " + step.text) }
    lines += inMemory.map { "  in memory: \($0)" }
    if mergesPendingChanges { lines.append("  in memory: changes that are not saved are merged") }
    return lines.joined(separator: "\n")
  }
}

extension FetchDescriptor {
  /// Explains how a context fetches this descriptor, without fetching. Ours.
  ///
  /// The explanation contains the values of the predicate in plain text. Call it only on the context's actor or thread.
  ///
  /// ```swift
  /// print(try descriptor.explain(in: context))
  /// // SELECT "_osd_key", "name", "days" FROM "Trip" WHERE "days" > ?1 ORDER BY "name", "_osd_key"
  /// //   ?1 = 5
  /// //   – SCAN Trip
  /// //   – USE TEMP B-TREE FOR ORDER BY
  /// ```
  /// - Parameter context: The context.
  /// - Returns: The explanation.
  /// - Throws: `SwiftDataError` of the predicate or of the store.
  public func explain(in context: ModelContext) throws -> ModelContext.FetchExplanation {
    try context.explain(self)
  }
}

extension ModelContext {
  fileprivate func explain<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> FetchExplanation {
    let map = try requireIdentityMap(for: T.self)
    let (plan, mergesPending) = try preparedPlan(descriptor, in: map)
    let explanation = try map.store.engine.explain(plan.request, in: openTransaction(of: map.store))
    return FetchExplanation(
      sql: explanation.statement, bindings: explanation.bindings,
      plan: explanation.steps.map { FetchExplanation.Step(text: $0.text, depth: $0.depth) },
      inMemory: plan.memoryWork, mergesPendingChanges: mergesPending)
  }
}
