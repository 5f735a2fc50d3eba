import ConformanceSupport
import SwiftData
import Testing

/// Creates random rows of one model, and random changes and predicates.
protocol RandomRows {
  associatedtype Model: PersistentModel

  var generator: SeededGenerator { get set }

  mutating func model() -> Model
  /// Moves the model to other coordinates, or deletes it.
  mutating func change(_ model: Model, in context: ModelContext)
  mutating func predicate() -> Predicate<Model>
}

extension RandomRows {
  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

  /// Changes one in `many` rows at random, inserts some rows, and saves.
  private mutating func change(oneOf many: Int, in context: ModelContext) throws {
    for model in try context.fetch(FetchDescriptor<Model>()) where chance(many) { change(model, in: context) }
    for _ in 0..<Int.random(in: 0...3, using: &generator) { context.insert(model()) }
    try context.save()
  }

  /// Changes rows repeatedly. After each step, checks that fetches find the models for which `evaluate` returns true.
  /// Returns false at the first difference.
  mutating func agree(
    in store: TestStore, steps: Int, changing oneOf: Int, seed: UInt64, location: SourceLocation = #_sourceLocation
  ) throws -> Bool {
    let context = store.context()
    for _ in 0..<60 { context.insert(model()) }
    try context.save()
    for step in 0..<(steps * RandomTesting.soak) {
      try change(oneOf: oneOf, in: context)
      let models = try context.fetch(FetchDescriptor<Model>())
      for _ in 0..<4 {
        let predicate = predicate()
        let wanted = try models.filter { try predicate.evaluate($0) }.map(\.persistentModelID)
        let found = try store.context().fetchIdentifiers(FetchDescriptor(predicate: predicate))
        #expect(found == wanted, "seed \(seed), step \(step): \(predicate)", sourceLocation: location)
        guard found == wanted else { return false }
      }
    }
    RandomTesting.note("compared predicates over places", 4 * steps * RandomTesting.soak)
    return true
  }
}
