import SwiftData
import Testing

/// An actor that is related to classes: one-to-many (loans), many-to-many (readers) and to-one without an inverse
/// (badge).
@Model
actor Librarian {
  #Unique<Librarian>([\.name, \.branch])
  #Index<Librarian>([\.branch], [\.name, \.rank])
  var name: String
  var branch: String
  var rank: Int = 1
  @Relationship(deleteRule: .cascade) var loans: [Loan] = []
  @Relationship(inverse: \Reader.friends) var readers: [Reader] = []
  @Relationship(inverse: nil) var badge: Badge?

  func lend(_ titles: [String]) {
    loans += titles.map { Loan($0) }
  }

  func titles() -> [String] { loans.map(\.title) }

  func swapFirstTwo() { loans.swapAt(0, 1) }

  func pin(_ text: String) { badge = Badge(text) }

  func badgeText() -> String? { badge?.text }

  func forget(_ title: String) { loans.removeAll { $0.title == title } }
}

@Model
final class Loan {
  var title: String
  var librarian: Librarian?
  init(_ title: String) { self.title = title }
}

@Model
final class Reader {
  @Attribute(.unique) var name: String
  var friends: [Librarian] = []
  init(_ name: String) { self.name = name }
}

@Model
final class Badge {
  var text: String
  init(_ text: String) { self.text = text }
}

private let libraryModels: [any PersistentModel.Type] = [Librarian.self, Loan.self, Reader.self, Badge.self]

@Suite("Actors that are related to classes")
struct MixedModelTests {
  @Test(
    "both sides of each relationship agree and keep their order, in memory and in the store",
    arguments: Engine.allCases)
  func relationships(_ engine: Engine) async throws {
    let store = try TestStore(engine, libraryModels)
    let shelf = Shelf(store.container)
    let ada = Librarian(name: "Ada", branch: "north")
    await shelf.perform { context in context.insert(ada) }
    await ada.lend(["b", "a", "c"])
    await ada.pin("gold")
    await ada.swapFirstTwo()
    try await shelf.perform { context in
      let reader = Reader("Bo")
      context.insert(reader)
      reader.friends = [ada]
      try context.save()
    }
    try await Shelf(store.container).perform { context in
      let loans = try context.fetch(FetchDescriptor<Loan>(sortBy: [SortDescriptor(\.title)]))
      #expect(loans.map(\.title) == ["a", "b", "c"])
      let found = try #require(loans[0].librarian)
      #expect(loans.allSatisfy { $0.librarian === found })
      found.assumeIsolated { librarian in
        #expect(librarian.titles() == ["a", "b", "c"] && librarian.badgeText() == "gold")
        #expect(librarian.readers.map(\.name) == ["Bo"] && librarian.readers[0].friends.first === librarian)
      }
      // The loan is removed from the librarian by setting the to-one side of the relationship, which the class has.
      loans[1].librarian = nil
      found.assumeIsolated { #expect($0.titles() == ["a", "c"]) }
      try context.save()
    }
    await ada.forget("c")
    try await shelf.save()
    let rest = try await Shelf(store.container).perform { context in
      try context.fetch(FetchDescriptor<Librarian>()).flatMap { $0.assumeIsolated { $0.titles() } }
    }
    #expect(rest == ["a"])
  }

  @Test(
    "predicates and sort descriptors follow relationships from classes to actors and back", arguments: Engine.allCases)
  func predicates(_ engine: Engine) async throws {
    let store = try TestStore(engine, libraryModels)
    let shelf = Shelf(store.container)
    let people = [Librarian(name: "Ada", branch: "north", rank: 2), Librarian(name: "Cy", branch: "south", rank: 1)]
    await shelf.perform { context in for person in people { context.insert(person) } }
    await people[0].lend(["x", "y"])
    await people[1].lend(["z"])
    try await shelf.save()
    try await Shelf(store.container).perform { context in
      func titles(_ predicate: Predicate<Loan>) throws -> [String] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])).map(\.title)
      }
      let (lent, free) = (
        try titles(#Predicate { $0.librarian?._name == "Ada" }), try titles(#Predicate { $0.librarian == nil })
      )
      #expect(lent == ["x", "y"] && free == [])
      let lenders = #Predicate<Librarian> { $0._loans.contains { $0.title == "z" } && $0._rank < 2 }
      let names = try context.fetch(FetchDescriptor(predicate: lenders)).map { $0.assumeIsolated { $0.name } }
      #expect(names == ["Cy"])
      let ordered = FetchDescriptor<Librarian>(sortBy: [SortDescriptor(\._rank), SortDescriptor(\._name)])
      let sorted = try context.fetch(ordered).map { $0.assumeIsolated { $0.name } }
      #expect(sorted == ["Cy", "Ada"])
    }
  }

  @Test(
    "deleting an actor deletes only the objects that its delete rules name", arguments: Engine.allCases)
  func deletion(_ engine: Engine) async throws {
    let store = try TestStore(engine, libraryModels)
    let shelf = Shelf(store.container)
    let ada = Librarian(name: "Ada", branch: "north")
    await shelf.perform { context in context.insert(ada) }
    await ada.lend(["a"])
    try await shelf.perform { context in
      let reader = Reader("Bo")
      context.insert(reader)
      reader.friends = [ada]
      try context.save()
      context.delete(ada)
      try context.save()
      let (loans, readers) = (
        try context.fetchCount(FetchDescriptor<Loan>()), try context.fetch(FetchDescriptor<Reader>())
      )
      #expect(loans == 0 && readers.map(\.friends.count) == [0])
    }
  }

  @Test(
    "a second model with the same values for a uniqueness constraint of two properties updates the first model's row",
    arguments: Engine.allCases)
  func rules(_ engine: Engine) async throws {
    let store = try TestStore(engine, libraryModels)
    let shelf = Shelf(store.container)
    for rank in 1...3 {
      try await shelf.perform { context in
        context.insert(Librarian(name: "Ada", branch: rank == 3 ? "south" : "north", rank: rank))
        try context.save()
      }
    }
    let ranks = try await Shelf(store.container).perform { context in
      try context.fetch(FetchDescriptor<Librarian>(sortBy: [SortDescriptor(\._branch)])).map {
        $0.assumeIsolated { $0.rank }
      }
    }
    #expect(ranks == [2, 3])
    let entity = try #require(store.container.schema.entity(for: Librarian.self))
    #expect(Set(entity.indices) == [["branch"], ["name", "rank"]])
    #expect(entity.uniquenessConstraints == [["name", "branch"]])
  }
}
