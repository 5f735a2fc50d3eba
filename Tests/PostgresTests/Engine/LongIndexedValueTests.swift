#if PostgreSQL
  import Foundation
  import OpenSwiftData
  import PersistenceCore
  import PostgresSupport
  import SeededNumbers
  import Testing

  private enum WithRules {
    @Model final class Ticket {
      #Index<Ticket>([\.content])
      @Attribute(.unique) var code: String
      var content: Data?
      var number: Int
      init(_ code: String, number: Int = 0) { (self.code, self.number) = (code, number) }
    }
  }

  private enum WithoutRules {
    @Model final class Ticket {
      var code: String
      var content: Data?
      var number: Int
      init(_ code: String) { (self.code, number) = (code, 0) }
    }
  }

  @Suite("Values that are too long for an index", .timeLimit(.minutes(2)))
  struct LongIndexedValueTests {
    /// Random bytes, so that the server cannot compress them.
    private func bytes(_ count: Int) -> Data {
      var random = SeededGenerator(seed: 7)
      return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    private func text(_ count: Int) -> String { String(bytes(count).base64EncodedString().prefix(count)) }

    private func checkRefusal(_ error: SwiftDataError?, _ location: SourceLocation = #_sourceLocation) {
      #expect(error == .valueNotStorable, sourceLocation: location)
      let words = error?.explanation ?? ""
      #expect(words.contains("too large for an index") && words.contains("2,700 bytes"), sourceLocation: location)
    }

    enum Place: CaseIterable, Sendable {
      case inserted, changed, bytes, among1500
    }

    @Test(
      "a save with such a value throws and stores nothing; it succeeds with shorter values", arguments: Place.allCases)
    func refused(_ place: Place) throws {
      let store = try ServerStore()
      let context = ModelContext(try store.open([WithRules.Ticket.self]))
      let first = WithRules.Ticket("first")
      context.insert(first)
      try context.save()
      let new = WithRules.Ticket("new", number: 1)
      context.insert(new)
      switch place {
      case .inserted: new.code = text(6_000)
      case .changed: first.code = text(12_000)
      case .bytes: new.content = bytes(3_000)
      case .among1500:
        for number in 0..<1_500 { context.insert(WithRules.Ticket("\(number)", number: 1)) }
        new.code = text(6_000)
      }
      let before = try store.catalog().dump()
      checkRefusal(#expect(throws: SwiftDataError.self) { try context.save() })
      #expect(try store.catalog().dump() == before)
      (new.code, new.content) = ("short", bytes(2_000))
      first.code = "first"
      try context.save()
      let found = try ModelContext(store.open([WithRules.Ticket.self])).fetch(
        FetchDescriptor<WithRules.Ticket>(predicate: #Predicate { $0.code == "short" }))
      #expect(found.map(\.content) == [bytes(2_000)])
    }

    @Test("the limit is 2,700 bytes after compression; values below it can be unique, found and updated")
    func atLimit() throws {
      let store = try ServerStore()
      let context = ModelContext(try store.open([WithRules.Ticket.self]))
      let (long, repeated) = (text(2_600), String(repeating: "ab", count: 50_000))
      for code in [long, repeated] { context.insert(WithRules.Ticket(code, number: 1)) }
      try context.save()
      // The store finds the existing rows by the unique attribute and updates them.
      for code in [long, repeated] { context.insert(WithRules.Ticket(code, number: 2)) }
      try context.save()
      let other = ModelContext(try store.open([WithRules.Ticket.self]))
      #expect(try other.fetchCount(FetchDescriptor<WithRules.Ticket>()) == 2)
      for code in [long, repeated] {
        let found = try other.fetch(FetchDescriptor<WithRules.Ticket>(predicate: #Predicate { $0.code == code }))
        #expect(found.map(\.number) == [2])
      }
      // A predicate may search for a longer value, because the searched value is not stored in the index.
      let longer = text(100_000)
      #expect(try other.fetchCount(FetchDescriptor<WithRules.Ticket>(predicate: #Predicate { $0.code == longer })) == 0)
    }

    @Test("a migration that adds an index for such a value throws, and the store is unchanged")
    func migration() throws {
      let store = try ServerStore()
      try store.use([WithoutRules.Ticket.self]) { context in
        context.insert(WithoutRules.Ticket(text(50_000)))
      }
      let error = try store.refusal(of: [WithRules.Ticket.self])
      let words = error.explanation ?? ""
      #expect(words.contains("too large for an index"), "\(words)")
      try store.use([WithoutRules.Ticket.self]) { context in
        let ticket = try #require(try context.fetch(FetchDescriptor<WithoutRules.Ticket>()).first)
        ticket.code = "short"
      }
      let context = ModelContext(try store.open([WithRules.Ticket.self]))
      #expect(try context.fetchCount(FetchDescriptor<WithRules.Ticket>()) == 1)
    }
  }
#endif
