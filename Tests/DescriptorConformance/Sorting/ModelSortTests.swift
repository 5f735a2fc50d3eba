import SwiftData
import Testing

/// Each test checks a sort order for unsaved new models, for saved models, and for saved models with unsaved changes.
@Suite("Sorts by values of every kind", .serialized)
struct ModelSortTests {
  private func titles(
    _ engine: Engine, _ texts: () -> [Text], _ order: SortDescriptor<Text>..., log: Bool = true
  ) throws -> [String] {
    let store = try TestStore(engine)
    let context = store.context()
    texts().forEach(context.insert)
    let descriptor = FetchDescriptor(sortBy: order)
    let pending = try context.fetch(descriptor).map(\.title)
    try context.save()
    let fresh = store.context()
    let saved = try fresh.fetch(descriptor)
    let explanation = try descriptor.explain(in: fresh)
    #expect(explanation.inMemory.isEmpty, "\(explanation)")
    #expect(pending == saved.map(\.title), "new models are where saved ones are")
    #expect(try fresh.fetch(FetchDescriptor<Text>()).sorted(using: order).map(\.title) == pending)
    for text in saved { text.pages += 1 }
    #expect(try fresh.fetch(descriptor).map(\.title) == pending, "changed models are where they were")
    return pending
  }

  @Test("false comes before true, and nil before both", arguments: Engine.allCases)
  func booleans(_ engine: Engine) throws {
    func texts() -> [Text] {
      [
        Text("a", isRead: true, isLent: true), Text("b", isRead: false), Text("c", isRead: true, isLent: false),
        Text("d", isRead: false, isLent: true),
      ]
    }
    #expect(try titles(engine, texts, SortDescriptor(\.isRead)) == ["b", "d", "a", "c"])
    #expect(try titles(engine, texts, SortDescriptor(\.isRead, order: .reverse)) == ["a", "c", "b", "d"])
    #expect(try titles(engine, texts, SortDescriptor(\.isLent)) == ["b", "c", "a", "d"])
    #expect(try titles(engine, texts, SortDescriptor(\.isLent, order: .reverse)) == ["a", "d", "c", "b"])
  }

  @Test("enums are sorted by their `<` operator, not by their raw values", arguments: Engine.allCases)
  func enums(_ engine: Engine) throws {
    func texts() -> [Text] {
      [
        Text("a", importance: .high, urgency: .middle, stage: .final), Text("b", importance: .low),
        Text("c", importance: .middle, urgency: .high), Text("d", importance: .high, urgency: .low),
      ]
    }
    #expect(try titles(engine, texts, SortDescriptor(\.importance)) == ["b", "c", "a", "d"])
    #expect(try titles(engine, texts, SortDescriptor(\.importance, order: .reverse)) == ["a", "d", "c", "b"])
    #expect(try titles(engine, texts, SortDescriptor(\.urgency)) == ["b", "d", "a", "c"])
    #expect(try titles(engine, texts, SortDescriptor(\.stage, order: .reverse)) == ["a", "b", "c", "d"])
  }

  @Test("a sort can use members of structs, including members reached through `?`", arguments: Engine.allCases)
  func members(_ engine: Engine) throws {
    func texts() -> [Text] {
      [
        Text("a", shelf: Place(city: "Rom", floor: 2), author: Author("x", home: Place(city: "Bonn"))),
        Text("b", shelf: Place(city: "Oslo"), author: Author("y")),
        Text("c", shelf: Place(city: "Paris", floor: 1), author: Author("z", home: Place(city: "Aarau", floor: 3))),
      ]
    }
    #expect(try titles(engine, texts, SortDescriptor(\.shelf.city)) == ["b", "c", "a"])
    #expect(try titles(engine, texts, SortDescriptor(\.shelf.floor)) == ["b", "c", "a"])
    #expect(try titles(engine, texts, SortDescriptor(\.author?.home?.city)) == ["b", "c", "a"])
    #expect(try titles(engine, texts, SortDescriptor(\.author?.home?.floor, order: .reverse)) == ["c", "a", "b"])
  }

  @Test("a sort follows to-one relationships to any depth", arguments: Engine.allCases)
  func relationships(_ engine: Engine) throws {
    func texts() -> [Text] {
      let agencies = [Agency("z", isOpen: true), Agency("a", isOpen: false)]
      let first = Author("Ada", born: Date(timeIntervalSince1970: 5), agency: agencies[0])
      let second = Author("Bob", born: Date(timeIntervalSince1970: 1), agency: agencies[1])
      let third = Author("Cleo")
      first.passport = Passport(2)
      second.passport = Passport(1)
      third.mentor = first
      first.mentor = second
      return [Text("a", author: first), Text("b", author: second), Text("c", author: third), Text("d")]
    }
    #expect(try titles(engine, texts, SortDescriptor(\.author?.name)) == ["d", "a", "b", "c"])
    #expect(try titles(engine, texts, SortDescriptor(\.author?.name, order: .reverse)) == ["c", "b", "a", "d"])
    #expect(try titles(engine, texts, SortDescriptor(\.author?.born)) == ["c", "d", "b", "a"])
    #expect(try titles(engine, texts, SortDescriptor(\.author?.agency?.name)) == ["c", "d", "b", "a"])
    #expect(try titles(engine, texts, SortDescriptor(\.author?.agency?.isOpen)) == ["c", "d", "b", "a"])
    #expect(try titles(engine, texts, SortDescriptor(\.author?.passport?.number)) == ["c", "d", "b", "a"])
    #expect(try titles(engine, texts, SortDescriptor(\.author?.mentor?.mentor?.name)) == ["a", "b", "d", "c"])
    #expect(try titles(engine, texts, SortDescriptor(\.author?.mentor?.agency?.name)) == ["b", "d", "a", "c"])
  }

  @Test("a sort can use numbers of all types, and places not-a-number last", arguments: Engine.allCases)
  func numbers(_ engine: Engine) throws {
    func texts() -> [Text] {
      [
        Text("a", price: 10, rating: .nan, large: .max), Text("b", price: 9.5, rating: -.infinity, large: 1 << 63),
        Text("c", price: -1, rating: 3), Text("d", price: 100, large: 12),
      ]
    }
    #expect(try titles(engine, texts, SortDescriptor(\.price)) == ["c", "b", "a", "d"])
    #expect(try titles(engine, texts, SortDescriptor(\.large, order: .reverse)) == ["a", "b", "d", "c"])
  }

  @Test("not-a-number comes after every number, both before and after the save", arguments: Engine.allCases)
  func notANumber(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    for (title, rating) in [("a", Double.nan), ("b", -.infinity), ("c", 3), ("d", .nan), ("e", .infinity)] {
      context.insert(Text(title, rating: rating))
    }
    context.insert(Text("f"))
    let order = FetchDescriptor(sortBy: [SortDescriptor(\Text.rating)])
    #expect(try context.fetch(order).map(\.title) == ["f", "b", "c", "e", "a", "d"])
    try context.save()
    #expect(try store.context().fetch(order).map(\.title) == ["f", "b", "c", "e", "a", "d"])
  }

  @Test("rows with equal sort values are in the order of their identifiers", arguments: Engine.allCases)
  func ties(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let authors = ["a", "b", "c"].map { Author($0) }
    for number in 0..<60 {
      context.insert(Text("\(number)", isRead: number % 2 == 0, author: authors[number % 3]))
      try context.save()
    }
    let descriptor = FetchDescriptor<Text>(sortBy: [SortDescriptor(\.author?.name), SortDescriptor(\.isRead)])
    let wanted = (0..<60).sorted { ($0 % 3, 1 - $0 % 2, $0) < ($1 % 3, 1 - $1 % 2, $1) }.map(String.init)
    #expect(try store.context().fetch(descriptor).map(\.title) == wanted)
    var pages: [String] = []
    for offset in stride(from: 0, to: 60, by: 7) {
      var part = descriptor
      (part.fetchLimit, part.fetchOffset) = (7, offset)
      pages += try store.context().fetch(part).map(\.title)
    }
    #expect(pages == wanted)
  }

  @Test("a sort by a computed property runs in memory, and does not use the stored property that it reads")
  func computed() throws {
    let store = try TestStore(.memory)
    let context = store.context()
    for title in ["b", "A", "c"] { context.insert(Text(title)) }
    try context.save()
    let descriptor = FetchDescriptor<Text>(sortBy: [SortDescriptor(\.shout)])
    #expect(try context.fetch(descriptor).map(\.title) == ["A", "b", "c"])
    #expect(try !descriptor.explain(in: context).inMemory.isEmpty)
  }

  @Test("a count respects the limit of a fetch that is sorted in memory")
  func countWithLimit() throws {
    let store = try TestStore(.memory)
    let context = store.context()
    for title in ["b", "A", "c"] { context.insert(Text(title)) }
    try context.save()
    var descriptor = FetchDescriptor<Text>(sortBy: [SortDescriptor(\.shout)])
    descriptor.fetchLimit = 2
    #expect(try context.fetchCount(descriptor) == 2)
    descriptor.fetchOffset = 2
    #expect(try context.fetchCount(descriptor) == 1)
  }
}

extension Text {
  fileprivate var shout: String { title.uppercased() }
}
