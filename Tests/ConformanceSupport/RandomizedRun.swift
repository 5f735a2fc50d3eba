import SwiftData
import Testing

/// A store that is changed at random, and a model of it in memory with the same changes.
package protocol RandomizedRun {
  init(_ engine: Engine, seed: UInt64, transactions: Bool) throws
  var step: Int { get set }

  mutating func doSomething() throws
  mutating func save() throws
  mutating func reopen() throws
  mutating func compareAll() throws
}

extension RandomTesting {
  /// Runs the given number of steps, closes the store, and compares its content with the model. A soak repeats this
  /// with new stores, because comparing a store that only grows becomes ever slower.
  package static func run<Run: RandomizedRun>(_ type: Run.Type, _ engine: Engine, transactions: Bool, steps: Int) {
    for seed in seeds(soak) {
      note("steps of contexts", steps)
      do {
        try run(Run(engine, seed: seed, transactions: transactions), steps: steps)
      } catch is Failure {
        // The failure was recorded where it occurred.
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
