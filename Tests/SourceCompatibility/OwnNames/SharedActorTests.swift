import SwiftData
import Testing

@Model private final class Shelf {
  @Attribute(.unique) var id: UUID
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Jar.shelf)
  var jars: [Jar]

  init(id: UUID, name: String, jars: [Jar] = []) {
    self.id = id
    self.name = name
    self.jars = jars
  }
}

@Model private final class Jar {
  @Attribute(.unique) var id: UUID
  var title: String
  var shelf: Shelf?

  init(id: UUID, title: String, shelf: Shelf? = nil) {
    self.id = id
    self.title = title
    self.shelf = shelf
  }
}

extension ModelContainer {
  fileprivate static let pantry: ModelContainer = {
    do {
      return try ModelContainer(
        for: Shelf.self, Jar.self, configurations: ModelConfiguration("pantry", isStoredInMemoryOnly: true))
    } catch {
      fatalError("a store in memory must open: \(error)")
    }
  }()
}

/// An actor whose context is the only one of the program. All code shares the actor.
@ModelActor
private actor PantryActor {
  static let shared = PantryActor(modelContainer: .pantry)

  func withContext<T>(_ operation: @Sendable (ModelContext) throws -> T) async rethrows -> T {
    try operation(modelContext)
  }
}

@Suite("The contexts of a program")
struct SharedActorTests {
  @Test("a program may have one context in a shared actor")
  func shared() async throws {
    try await PantryActor.shared.withContext { context in
      let shelf = Shelf(id: UUID(), name: "top")
      let jar = Jar(id: UUID(), title: "plums")
      context.insert(shelf)
      context.insert(jar)
      jar.shelf = shelf
      try context.save()
    }
    let titles = try await PantryActor.shared.withContext { context in
      try context.fetch(FetchDescriptor<Shelf>()).flatMap { $0.jars.map(\.title) }
    }
    #expect(titles == ["plums"])
  }

  @Test("a program may have several contexts; saved models of two contexts can be related", arguments: Engine.allCases)
  func several(_ engine: Engine) throws {
    let store = try TestStore(engine, [Shelf.self, Jar.self])
    let (first, second) = (store.context(), store.context())
    let shelf = Shelf(id: UUID(), name: "top", jars: [])
    first.insert(shelf)
    try first.save()
    let jar = Jar(id: UUID(), title: "plums")
    second.insert(jar)
    try second.save()
    jar.shelf = shelf
    try second.save()
    #expect(jar.shelf?.modelContext === second && shelf.modelContext === first)
    #expect(try first.fetch(FetchDescriptor<Shelf>()).map { $0.jars.map(\.title) } == [["plums"]])
    #expect(shelf.jars.map(\.title) == ["plums"])
  }
}
