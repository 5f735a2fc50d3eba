import SwiftData
import Testing

/// A store to which things are done at random, and a model of it to which the same is done.
package protocol RandomizedRun {
  init(_ engine: Engine, seed: UInt64, transactions: Bool) throws
  var step: Int { get set }

  mutating func doSomething() throws
  mutating func save() throws
  mutating func reopen() throws
  mutating func compareAll() throws
}

extension RandomTesting {
  /// Does as many things as are asked for, times the soak, and compares at the end what the closed store has.
  package static func run<Run: RandomizedRun>(_ type: Run.Type, _ engine: Engine, transactions: Bool, steps: Int) {
    let seed = Self.seed
    note("steps of contexts", steps * soak)
    do {
      var run = try Run(engine, seed: seed, transactions: transactions)
      for step in 0..<(steps * soak) {
        run.step = step
        try run.doSomething()
      }
      try run.save()
      try run.reopen()
      try run.compareAll()
    } catch is Failure {
      // Recorded where it was found.
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
  }
}
