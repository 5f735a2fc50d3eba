import PersistenceQueries
import PersistenceRuntime

extension ModelContext {
  /// How a fetch is answered: the SQL, its bindings and the plan of the database.
  ///
  /// Made by ``FetchDescriptor/explain(in:)``. Printing it gives all of it, over several lines.
  public struct FetchExplanation: Sendable, Hashable {
    /// One step of the database's plan.
    public struct Step: Sendable, Hashable {
      /// The step in the database's words, such as `SEARCH Trip USING INDEX …` or `USE TEMP B-TREE FOR ORDER BY`.
      public let text: String
      /// How many other steps it is a part of.
      public let depth: Int
    }

    /// The statement that the store is asked.
    public let sql: String
    /// The values of its parameters, `?1` first, as SQL writes them.
    public let bindings: [String]
    /// What the database does for it.
    public let plan: [Step]
    /// What is left to be done in memory, in words; empty when the store does everything.
    public let inMemory: [String]
    /// Whether the fetch merges changes that are not saved yet into what the store says.
    public let mergesPendingChanges: Bool

    /// Whether a step of the plan reads an index.
    public var usesIndex: Bool {
      plan.contains { $0.text.contains("USING INDEX") || $0.text.contains("USING COVERING INDEX") }
    }
  }
}

extension ModelContext.FetchExplanation: CustomStringConvertible {
  public var description: String {
    var lines = [sql]
    for (number, binding) in bindings.enumerated() { lines.append("  ?\(number + 1) = \(binding)") }
    for step in plan { lines.append("  " + String(repeating: "  ", count: step.depth) + "– " + step.text) }
    lines += inMemory.map { "  in memory: \($0)" }
    if mergesPendingChanges { lines.append("  in memory: changes that are not saved are merged") }
    return lines.joined(separator: "\n")
  }
}

extension FetchDescriptor {
  /// How a context would answer a fetch of this descriptor. Nothing is fetched.
  ///
  /// Values are shown as they are, so print it where it may be read.
  /// - Throws: `SwiftDataError` of the predicate or of the store.
  ///
  /// ```swift
  /// print(try descriptor.explain(in: context))
  /// // SELECT "_osd_key", "name", "days" FROM "Trip" WHERE "days" > ?1 ORDER BY "name", "_osd_key"
  /// //   ?1 = 5
  /// //   – SCAN Trip
  /// //   – USE TEMP B-TREE FOR ORDER BY
  /// ```
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
