#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import SQLEngine
  import SeededNumbers
  import Testing

  @Suite("Sort order and limits in PostgreSQL")
  struct PostgresOrderTests {
    private func world() throws -> (store: TestDatabase, specimens: [Specimen], seed: UInt64) {
      let seed = SeededGenerator.chosenSeed
      var grammar = SpecimenGrammar(random: SeededGenerator(seed: seed))
      let store = try TestDatabase(Specimen.self)
      let specimens = (0..<40).map { grammar.specimen($0) }
      _ = try store.connection.run(try specimens.enumerated().map { try store.insertion(of: $1, key: Int64($0 + 1)) })
      return (store, specimens, seed)
    }

    /// The keys of the objects, sorted by a value; objects whose value is nil come first.
    private func keys<Value>(
      _ specimens: [Specimen], _ value: (Specimen) -> Value?, _ isBefore: (Value, Value) -> Bool
    ) -> [Int64] {
      specimens.indices.sorted { first, second in
        switch (value(specimens[first]), value(specimens[second])) {
        case (nil, nil): first < second
        case (nil, _): true
        case (_, nil): false
        case (let left?, let right?): isBefore(left, right) || (!isBefore(right, left) && first < second)
        }
      }.map { Int64($0 + 1) }
    }

    @Test(
      "the order equals that in memory: texts by the bytes of their stored form, nil first, not-a-number as in memory")
    func orders() throws {
      let (store, specimens, seed) = try world()
      func check<Value>(
        _ descriptor: SortDescriptor<Specimen>, _ value: (Specimen) -> Value?, _ isBefore: (Value, Value) -> Bool,
        at location: SourceLocation = #_sourceLocation
      ) throws {
        let found = try store.keys(nil, sort: [descriptor], of: Specimen.self)
        #expect(found == keys(specimens, value, isBefore), "seed \(seed)", sourceLocation: location)
      }
      func isBefore(_ lhs: String, _ rhs: String) -> Bool {
        StoredText.form(of: lhs).utf8.lexicographicallyPrecedes(StoredText.form(of: rhs).utf8)
      }
      try check(SortDescriptor(\.name), { $0.name }, isBefore)
      try check(SortDescriptor(\.nickname), { $0.nickname }, isBefore)
      try check(SortDescriptor(\.size), { $0.size }, <)
      try check(SortDescriptor(\.rest), { $0.rest }, <)
      try check(SortDescriptor(\.date), { $0.date }, <)
      try check(SortDescriptor(\.weight), { $0.weight }, { $0 < $1 || (!$0.isNaN && $1.isNaN) })
      try check(SortDescriptor(\.price), { $0.price }, { $0.isNaN ? !$1.isNaN : !$1.isNaN && $0 < $1 })
    }

    @Test("a descending order has nil last")
    func reverse() throws {
      let (store, specimens, _) = try world()
      let found = try store.keys(nil, sort: [SortDescriptor(\.rest, order: .reverse)], of: Specimen.self)
      let rests = found.map { specimens[Int($0) - 1].rest }
      #expect(rests.suffix(rests.count { $0 == nil }).allSatisfy { $0 == nil })
      #expect(rests.compactMap { $0 } == rests.compactMap { $0 }.sorted(by: >))
    }

    @Test("a sorted fetch respects limit and offset")
    func limits() throws {
      let (store, _, _) = try world()
      #expect(try store.keys(nil, limit: 3, offset: 2, of: Specimen.self) == [3, 4, 5])
      #expect(try store.keys(nil, offset: 38, of: Specimen.self) == [39, 40])
      #expect(try store.keys(nil, limit: 0, of: Specimen.self) == [])
    }

    @Test("a localized order is rejected, and a predicate that counts characters throws")
    func refusals() throws {
      let store = try TestDatabase(Specimen.self)
      let localized = SortDescriptor<Specimen>(\.name, comparator: .localizedStandard)
      let order = #expect(throws: SwiftDataError.self) {
        try store.keys(nil, sort: [localized], of: Specimen.self)
      }
      #expect(order == .unsupportedSortDescriptor)
      let count = #expect(throws: SwiftDataError.self) { try store.keys(#Predicate<Specimen> { $0.name.count > 2 }) }
      #expect(count == .unsupportedPredicate)
    }
  }
#endif
