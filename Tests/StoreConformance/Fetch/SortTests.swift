import SwiftData
import Testing

@Suite("Sorting", .serialized)
struct SortTests {
  private func sorted(_ engine: Engine, _ books: [Book], _ descriptors: SortDescriptor<Book>...) throws -> [String] {
    let store = try TestStore(engine)
    let context = store.context()
    books.forEach(context.insert)
    let pending = try context.fetch(FetchDescriptor(sortBy: descriptors)).map(\.title)
    try context.save()
    let saved = try store.context().fetch(FetchDescriptor(sortBy: descriptors)).map(\.title)
    #expect(pending == saved, "pending models are sorted as saved ones")
    return saved
  }

  @Test("orders in ascending and in descending order", arguments: Engine.allCases)
  func direction(_ engine: Engine) throws {
    func books() -> [Book] { [Book("b", pages: 10), Book("a", pages: -5), Book("c", pages: 2)] }
    #expect(try sorted(engine, books(), SortDescriptor(\.pages)) == ["a", "c", "b"])
    #expect(try sorted(engine, books(), SortDescriptor(\.pages, order: .reverse)) == ["b", "c", "a"])
    #expect(try sorted(engine, books(), SortDescriptor(\.title)) == ["a", "b", "c"])
    #expect(try sorted(engine, books(), SortDescriptor(\.title, order: .reverse)) == ["c", "b", "a"])
  }

  @Test("orders by several keys", arguments: Engine.allCases)
  func keys(_ engine: Engine) throws {
    func books() -> [Book] {
      [Book("d", pages: 2), Book("a", pages: 1), Book("c", pages: 2), Book("b", pages: 1)]
    }
    let pages = SortDescriptor(\Book.pages)
    #expect(try sorted(engine, books(), pages, SortDescriptor(\.title)) == ["a", "b", "c", "d"])
    #expect(try sorted(engine, books(), pages, SortDescriptor(\.title, order: .reverse)) == ["b", "a", "d", "c"])
    #expect(
      try sorted(engine, books(), SortDescriptor(\.pages, order: .reverse), SortDescriptor(\.title))
        == ["c", "d", "a", "b"])
  }

  @Test("puts nil first in ascending and last in descending order", arguments: Engine.allCases)
  func optionals(_ engine: Engine) throws {
    func books() -> [Book] {
      [Book("high", rating: 5), Book("none"), Book("low", rating: -1), Book("zero", rating: 0)]
    }
    #expect(try sorted(engine, books(), SortDescriptor(\.rating)) == ["none", "low", "zero", "high"])
    #expect(try sorted(engine, books(), SortDescriptor(\.rating, order: .reverse)) == ["high", "zero", "low", "none"])
  }

  @Test("orders optional texts", arguments: Engine.allCases)
  func optionalTexts(_ engine: Engine) throws {
    func books() -> [Book] { [Book("b", subtitle: "x"), Book("none"), Book("empty", subtitle: "")] }
    #expect(try sorted(engine, books(), SortDescriptor(\.subtitle)) == ["none", "empty", "b"])
    #expect(try sorted(engine, books(), SortDescriptor(\.subtitle, order: .reverse)) == ["b", "empty", "none"])
  }

  @Test("orders enums by their `<`", arguments: Engine.allCases)
  func enums(_ engine: Engine) throws {
    func books() -> [Book] {
      [
        Book("x", shelf: .high, size: .small), Book("y", shelf: .low, size: .large),
        Book("z", shelf: .middle, size: .medium),
      ]
    }
    #expect(try sorted(engine, books(), SortDescriptor(\.shelf)) == ["y", "z", "x"])
    #expect(try sorted(engine, books(), SortDescriptor(\.shelf, order: .reverse)) == ["x", "z", "y"])
    #expect(try sorted(engine, books(), SortDescriptor(\.size)) == ["x", "z", "y"])
  }

  @Test("orders dates", arguments: Engine.allCases)
  func dates(_ engine: Engine) throws {
    func books() -> [Book] {
      [
        Book("now", published: Date(timeIntervalSince1970: 1_700_000_000)), Book("past", published: .distantPast),
        Book("a little later", published: Date(timeIntervalSince1970: 1_700_000_000.5)),
        Book("future", published: .distantFuture), Book("before 1970", published: Date(timeIntervalSince1970: -1)),
      ]
    }
    let wanted = ["past", "before 1970", "now", "a little later", "future"]
    #expect(try sorted(engine, books(), SortDescriptor(\.published)) == wanted)
    #expect(try sorted(engine, books(), SortDescriptor(\.published, order: .reverse)) == wanted.reversed())
  }

  @Test("orders texts of every script the same way, pending and saved", arguments: Engine.allCases)
  func texts(_ engine: Engine) throws {
    let titles = [
      "b", "B", "a", "A", "", "Z", "z", "10", "9", "\u{E9}", "f", "e", "\u{DF}", "\u{1F600}", "\u{FFFD}",
      "\u{65E5}", "a\u{0}", "\u{10FFFF}",
    ]
    let found = try sorted(engine, titles.map { Book($0) }, SortDescriptor(\.title, comparator: .lexical))
    #expect(found == titles.sorted())
  }

  @Test("follows a reference", arguments: Engine.allCases)
  func references(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    context.insert(Loan(reader: "Ada", book: Book("c")))
    context.insert(Loan(reader: "Grace", book: Book("a")))
    context.insert(Loan(reader: "Joan"))
    try context.save()
    let found = try store.context().fetch(FetchDescriptor<Loan>(sortBy: [SortDescriptor(\.book?.title)]))
    #expect(found.map(\.reader) == ["Joan", "Grace", "Ada"])
  }

  @Test("breaks ties the same way every time", arguments: Engine.allCases)
  func ties(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    for number in 0..<200 { context.insert(Book("\(number)", pages: number % 3)) }
    try context.save()
    let descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
    let first = try store.context().fetch(descriptor).map(\.title)
    let second = try store.context().fetch(descriptor).map(\.title)
    var pages: [String] = []
    for offset in stride(from: 0, to: 200, by: 7) {
      var part = descriptor
      part.fetchLimit = 7
      part.fetchOffset = offset
      pages += try store.context().fetch(part).map(\.title)
    }
    #expect(first == second)
    #expect(first == pages)
  }
}
