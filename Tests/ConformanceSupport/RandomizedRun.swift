import SwiftData
import Testing

/// A random test, which makes the same random changes to a store and to a simple model of the store in memory.
package protocol RandomizedRun {
  init(_ engine: Engine, seed: UInt64, transactions: Bool) throws
  var step: Int { get set }

  mutating func doSomething() throws
  mutating func save() throws
  mutating func reopen() throws
  mutating func compareAll() throws
}

extension RandomTesting {
  /// Runs the given number of steps, closes the store, and compares its content with the model. A soak run repeats this
  /// with new stores, because comparing takes longer the more rows a store has.
  package static func run<Run: RandomizedRun>(_ type: Run.Type, _ engine: Engine, transactions: Bool, steps: Int) {
    for seed in seeds(soak) {
      note("steps of contexts", steps)
      do {
        try run(Run(engine, seed: seed, transactions: transactions), steps: steps)
      } catch is Failure {
        // The code that found the failure has already recorded it.
        return
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }

  private static func run<Run: RandomizedRun>(_ run: Run, steps: Int) throws {
    var run = run
    for step in 0..<steps {
      run.step = step
      try run.doSomething()
    }
    try run.save()
    try run.reopen()
    try run.compareAll()
  }
}
