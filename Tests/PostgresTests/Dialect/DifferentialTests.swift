#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import SQLEngine
  import SeededNumbers
  import Testing

  /// Evaluates random predicates over random rows. PostgreSQL must find the same rows as Foundation's `evaluate`.
  ///
  /// `OSD_SOAK` multiplies the number of comparisons, and `OSD_SEED` repeats a run with the same seed. `make proof`
  /// makes 200,000 comparisons.
  @Suite("Random predicates in PostgreSQL and in memory")
  struct PostgresDifferentialTests {
    private static let casesOfWorld = 1_000
    private static let worlds = 5
    private static let rowsOfWorld = 60

    private static var soak: Int {
      ProcessInfo.processInfo.environment["OSD_SOAK"].flatMap { Int($0) } ?? 1
    }

    @Test("PostgreSQL and the evaluation in memory find the same rows")
    func agree() async throws {
      let seed = SeededGenerator.chosenSeed
      let worlds = Self.worlds * Self.soak
      // Two tasks run: while one evaluates predicates in memory, the server can work for the other.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for first in 0..<2 {
          group.addTask {
            for world in stride(from: first, to: worlds, by: 2) { try agree(seed: seed &+ UInt64(world)) }
          }
        }
        try await group.waitForAll()
      }
      print("PostgresDifferentialTests: compared \(Self.casesOfWorld * worlds) predicates, seed \(seed)")
    }

    private func agree(seed: UInt64) throws {
      var grammar = SpecimenGrammar(random: SeededGenerator(seed: seed))
      let store = try TestDatabase(Specimen.self)
      let specimens = (0..<Self.rowsOfWorld).map { grammar.specimen($0) }
      _ = try store.connection.run(
        try specimens.enumerated().map { try store.insertion(of: $1, key: Int64($0 + 1)) })
      for number in 0..<Self.casesOfWorld {
        let (tree, matches, words) = try condition(&grammar, depth: grammar.number(0...2), store)
        var wanted: [Int64] = []
        var unknown: Set<Int64> = []
        for (index, specimen) in specimens.enumerated() {
          do { if try matches(specimen) { wanted.append(Int64(index + 1)) } } catch is PredicateError {
            unknown.insert(Int64(index + 1))
          }
        }
        let found = try store.keys(tree, of: Specimen.self).filter { !unknown.contains($0) }
        guard found == wanted else {
          let differing = Set(found).symmetricDifference(wanted).compactMap { key in
            let one = specimens[Int(key) - 1]
            return "\(key): \(one.name.debugDescription) \(one.nickname.debugDescription) \(one.weight) \(one.price) "
              + "\(one.count) \(String(describing: one.rest)) \(one.tags) \(one.notes)"
          }
          Issue.record(
            "seed \(seed), case \(number): \(words); found \(found), wanted \(wanted); \(differing.prefix(3))")
          return
        }
      }
    }

    /// A random query tree, a closure that evaluates it in memory, and its description.
    private func condition(
      _ grammar: inout SpecimenGrammar, depth: Int, _ store: TestDatabase
    ) throws -> (QueryTree, (Specimen) throws -> Bool, String) {
      guard depth > 0 else {
        let test = grammar.test()
        return (try store.tree(test.predicate), { try test.predicate.evaluate($0) }, test.words)
      }
      let (start, first, words) = try condition(&grammar, depth: depth - 1, store)
      var tree = start
      if grammar.chance(3) {
        tree.append(.not)
        return (tree, { try !first($0) }, "!(\(words))")
      }
      let (other, second, rest) = try condition(&grammar, depth: depth - 1, store)
      tree.append(other)
      guard grammar.chance(2) else {
        tree.append(.and)
        return (tree, { try first($0) && second($0) }, "(\(words)) && (\(rest))")
      }
      tree.append(.or)
      return (tree, { try first($0) || second($0) }, "(\(words)) || (\(rest))")
    }
  }
#endif
