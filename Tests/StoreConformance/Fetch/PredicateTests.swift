import SwiftData
import Testing

@Suite("Predicates", .serialized)
struct PredicateTests {
  /// Saves six books, and returns the store and a context that has not fetched them yet.
  static func shelf(_ engine: Engine) throws -> (store: TestStore, context: ModelContext) {
    let store = try TestStore(engine)
    let context = store.context()
    let day = 86_400.0
    func date(_ number: Double) -> Date { Date(timeIntervalSince1970: number * day) }
    context.insert(Book("a", pages: 1, rating: 1.5, subtitle: "one", isRead: true, genre: .novel, published: date(1)))
    context.insert(Book("b", pages: 2, genre: .poetry, shelf: .middle, published: date(2)))
    context.insert(Book("c", pages: 3, rating: 3, genre: .science, shelf: .high, published: date(3)))
    context.insert(Book("d", pages: 4, subtitle: "four", isRead: true, shelf: .high, published: date(4)))
    context.insert(Book("e", pages: -5, rating: 0, subtitle: "", genre: .poetry, published: date(5)))
    context.insert(Book("f", pages: 6, rating: 5, subtitle: "six", isRead: true, published: date(-6)))
    try context.save()
    return (store, store.context())
  }

  private func expect(
    _ engine: Engine, _ titles: [String], _ predicate: Predicate<Book>, location: SourceLocation = #_sourceLocation
  ) throws {
    let (store, context) = try Self.shelf(engine)
    #expect(try context.titles(predicate) == titles, sourceLocation: location)
    let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
    #expect(count == titles.count, "the count", sourceLocation: location)
    _ = store
  }

  @Test("compare integers", arguments: Engine.allCases)
  func integers(_ engine: Engine) throws {
    try expect(engine, ["c"], #Predicate { $0.pages == 3 })
    try expect(engine, ["a", "b", "d", "e", "f"], #Predicate { $0.pages != 3 })
    try expect(engine, ["a", "b", "e"], #Predicate { $0.pages < 3 })
    try expect(engine, ["a", "b", "c", "e"], #Predicate { $0.pages <= 3 })
    try expect(engine, ["d", "f"], #Predicate { $0.pages > 3 })
    try expect(engine, ["c", "d", "f"], #Predicate { $0.pages >= 3 })
    try expect(engine, ["e"], #Predicate { $0.pages == -5 })
  }

  @Test("compare texts", arguments: Engine.allCases)
  func texts(_ engine: Engine) throws {
    try expect(engine, ["b"], #Predicate { $0.title == "b" })
    try expect(engine, [], #Predicate { $0.title == "B" })
    try expect(engine, ["a", "b"], #Predicate { $0.title < "c" })
    try expect(engine, ["e", "f"], #Predicate { "d" < $0.title })
  }

  @Test("compare dates", arguments: Engine.allCases)
  func dates(_ engine: Engine) throws {
    let border = Date(timeIntervalSince1970: 3 * 86_400)
    try expect(engine, ["a", "b", "f"], #Predicate { $0.published < border })
    try expect(engine, ["c"], #Predicate { $0.published == border })
    try expect(engine, ["c", "d", "e"], #Predicate { $0.published >= border })
  }

  @Test("test a Bool", arguments: Engine.allCases)
  func booleans(_ engine: Engine) throws {
    try expect(engine, ["a", "d", "f"], #Predicate { $0.isRead })
    try expect(engine, ["b", "c", "e"], #Predicate { !$0.isRead })
    try expect(engine, ["b", "c", "e"], #Predicate { $0.isRead == false })
  }

  @Test("combine conditions with and, or, not", arguments: Engine.allCases)
  func logic(_ engine: Engine) throws {
    try expect(engine, ["d", "f"], #Predicate { $0.isRead && $0.pages > 1 })
    try expect(engine, ["a", "d", "e", "f"], #Predicate { $0.isRead || $0.pages < 0 })
    try expect(engine, ["b", "c"], #Predicate { !($0.isRead || $0.pages < 0) })
    try expect(engine, ["c"], #Predicate { !$0.isRead && ($0.pages == 3 || $0.pages == 1) })
  }

  @Test("compare with nil", arguments: Engine.allCases)
  func absence(_ engine: Engine) throws {
    try expect(engine, ["b", "d"], #Predicate { $0.rating == nil })
    try expect(engine, ["a", "c", "e", "f"], #Predicate { $0.rating != nil })
    try expect(engine, ["b", "c"], #Predicate { $0.subtitle == nil })
    try expect(engine, ["e"], #Predicate { $0.subtitle == "" })
  }

  @Test("compare optionals like Swift: nil equals no value and differs from every value", arguments: Engine.allCases)
  func optionals(_ engine: Engine) throws {
    try expect(engine, ["c"], #Predicate { $0.rating == 3 })
    try expect(engine, ["a", "b", "d", "e", "f"], #Predicate { $0.rating != 3 })
    try expect(engine, ["a", "b", "c", "d", "f"], #Predicate { !($0.rating == 0) })
    try expect(engine, ["d"], #Predicate { $0.subtitle == "four" })
    try expect(engine, ["a", "b", "c", "e", "f"], #Predicate { $0.subtitle != "four" })
  }

  @Test("compare with captured optionals, nil or not", arguments: Engine.allCases)
  func capturedOptionals(_ engine: Engine) throws {
    let nothing: Double? = nil
    let three: Double? = 3
    try expect(engine, ["b", "d"], #Predicate { $0.rating == nothing })
    try expect(engine, ["a", "c", "e", "f"], #Predicate { $0.rating != nothing })
    try expect(engine, ["c"], #Predicate { $0.rating == three })
    try expect(engine, ["a", "b", "d", "e", "f"], #Predicate { $0.rating != three })
  }

  @Test("supply a default for nil", arguments: Engine.allCases)
  func defaults(_ engine: Engine) throws {
    try expect(engine, ["c", "f"], #Predicate { ($0.rating ?? 0) > 2 })
    try expect(engine, ["b", "c", "d", "f"], #Predicate { ($0.rating ?? 9) > 2 })
  }

  @Test("unwrap optionals with if let and with ?.", arguments: Engine.allCases)
  func unwrapping(_ engine: Engine) throws {
    try expect(
      engine, ["c", "f"],
      #Predicate { book in
        if let rating = book.rating { rating > 2 } else { false }
      })
    try expect(engine, ["f"], #Predicate { $0.subtitle?.contains("x") == true })
    try expect(engine, ["a", "d", "e"], #Predicate { $0.subtitle?.contains("x") == false })
  }

  @Test("search a captured collection for a value", arguments: Engine.allCases)
  func collections(_ engine: Engine) throws {
    let array = ["a", "d", "z"]
    let set: Set = [2, 3]
    let nothing: [String] = []
    try expect(engine, ["a", "d"], #Predicate { array.contains($0.title) })
    try expect(engine, ["b", "c", "e", "f"], #Predicate { !array.contains($0.title) })
    try expect(engine, ["b", "c"], #Predicate { set.contains($0.pages) })
    try expect(engine, [], #Predicate { nothing.contains($0.title) })
    try expect(engine, ["a", "b", "c", "d", "e", "f"], #Predicate { !nothing.contains($0.title) })
  }

  @Test("search a captured collection of 39,997 elements for a value", arguments: Engine.allCases)
  func bigCollection(_ engine: Engine) throws {
    let numbers = Array(3..<40_000)
    try expect(engine, ["c", "d", "f"], #Predicate { numbers.contains($0.pages) })
  }

  @Test("search a captured collection for an optional value", arguments: Engine.allCases)
  func optionalCollection(_ engine: Engine) throws {
    let ratings: [Double?] = [3, nil]
    try expect(engine, ["b", "c", "d"], #Predicate { ratings.contains($0.rating) })
    let titles: [String?] = ["one", "six"]
    try expect(engine, ["a", "f"], #Predicate { titles.contains($0.subtitle) })
  }

  @Test("compare enums and their raw values", arguments: Engine.allCases)
  func enums(_ engine: Engine) throws {
    let poetry = Genre.poetry
    let high = Shelf.high
    let genres: [Genre] = [.novel, .science]
    try expect(engine, ["b", "e"], #Predicate { $0.genre == poetry })
    try expect(engine, ["a", "c", "d", "f"], #Predicate { $0.genre != poetry })
    try expect(engine, ["b", "e"], #Predicate { $0.genre.rawValue == "poetry" })
    try expect(engine, ["c", "d"], #Predicate { $0.shelf == high })
    try expect(engine, ["b", "c", "d"], #Predicate { $0.shelf.rawValue > 1 })
    try expect(engine, ["a", "c", "d", "f"], #Predicate { genres.contains($0.genre) })
  }

  @Test("calculate with numbers", arguments: Engine.allCases)
  func arithmetic(_ engine: Engine) throws {
    try expect(engine, ["c"], #Predicate { $0.pages * 2 + 1 == 7 })
    try expect(engine, ["e"], #Predicate { -$0.pages == 5 })
    try expect(engine, ["a", "b"], #Predicate { (1...2).contains($0.pages) })
  }

  @Test("compare an identifier", arguments: Engine.allCases)
  func identifiers(_ engine: Engine) throws {
    let (store, context) = try Self.shelf(engine)
    let wanted = try context.book("c").persistentModelID
    let both = [wanted, try context.book("e").persistentModelID]
    let one = try store.context().titles(#Predicate { $0.persistentModelID == wanted })
    #expect(one == ["c"])
    let two = try store.context().titles(#Predicate { both.contains($0.persistentModelID) })
    #expect(two == ["c", "e"])
    let known = try context.titles(#Predicate { $0.persistentModelID == wanted })
    #expect(known == ["c"])
  }

  @Test("compare properties of the related object of a to-one relationship", arguments: Engine.allCases)
  func references(_ engine: Engine) throws {
    let (store, context) = try Self.shelf(engine)
    context.insert(Loan(reader: "Ada", book: try context.book("a")))
    context.insert(Loan(reader: "Grace", book: try context.book("b")))
    context.insert(Loan(reader: "Joan"))
    try context.save()
    let other = store.context()
    func readers(_ predicate: Predicate<Loan>) throws -> [String] {
      try other.fetch(FetchDescriptor(predicate: predicate)).map(\.reader).sorted()
    }
    #expect(try readers(#Predicate { $0.book == nil }) == ["Joan"])
    #expect(try readers(#Predicate { $0.book != nil }) == ["Ada", "Grace"])
    #expect(try readers(#Predicate { $0.book?.title == "b" }) == ["Grace"])
    #expect(try readers(#Predicate { $0.book?.pages ?? 0 > 1 }) == ["Grace"])
  }

  @Test("a predicate may be always true or always false", arguments: Engine.allCases)
  func constants(_ engine: Engine) throws {
    try expect(engine, ["a", "b", "c", "d", "e", "f"], #Predicate { _ in true })
    try expect(engine, [], #Predicate { _ in false })
  }
}
