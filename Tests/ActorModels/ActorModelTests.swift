import SwiftData
import Testing

@Suite("Models that are actors")
struct ActorModelTests {
  @Test("a value that is set in the actor is saved, and another context reads it", arguments: Engine.allCases)
  func roundTrip(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let shelf = Shelf(store.container)
    let note = Note("first")
    try await shelf.insert([note])
    await note.addStar()
    await note.tag("red")
    await note.keep("hidden")
    #expect(await note.hasChanges)
    try await shelf.save()
    #expect(await !note.hasChanges)

    let found = try #require(try await Shelf(store.container).notes().first)
    #expect(found !== note)
    #expect(await found.body == "first")
    #expect(await found.stars == 1)
    #expect(await found.tags == ["red"])
    #expect(await found.weight == 0.5)
    #expect(await found.kind == .draft)
    #expect(await found.modified == nil)
    #expect(await found.revealed() == "hidden")
    #expect(await found.uniqueID == note.uniqueID)
  }

  @Test("an asynchronous initialiser can assign the properties directly", arguments: Engine.allCases)
  func asynchronousInitialiser(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let note = await Note(later: "later")
    #expect(await note.body == "later")
    try await Shelf(store.container).insert([note])
    #expect(try await Shelf(store.container).bodies(FetchDescriptor<Note>()) == ["later"])
  }

  @Test(
    "an actor that declares no initialiser gets one with a parameter for each property, and their defaults"
  )
  func memberwise() async {
    let plain = Author(code: 3, name: "Ada")
    #expect(await plain.rank == 7)
    #expect(plain.code == 3)
    #expect(await plain.notes.isEmpty)
    let other = Author(code: 4, name: "Bo", rank: 1)
    #expect(await other.rank == 1)
    #expect(await other.name == "Bo")
  }

  @Test("a predicate uses the nonisolated twins of isolated properties", arguments: Engine.allCases)
  func predicate(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let shelf = Shelf(store.container)
    let ada = Author(code: 1, name: "Ada")
    let notes = [Note("a", author: ada), Note("b"), Note("c", author: Author(code: 2, name: "Bo"))]
    for _ in 0..<5 { await notes[1].addStar() }
    await notes[2].add(Page(9))
    try await shelf.insert(notes)

    func bodies(_ predicate: Predicate<Note>) async throws -> [String] {
      try await Shelf(store.container).bodies(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\._body)]))
    }
    #expect(try await bodies(#Predicate { $0._body == "a" }) == ["a"])
    #expect(try await bodies(#Predicate { $0._stars > 3 || $0._body == "a" }) == ["a", "b"])
    #expect(try await bodies(#Predicate { $0._author?._name == "Ada" }) == ["a"])
    #expect(try await bodies(#Predicate { $0._author == nil }) == ["b"])
    #expect(try await bodies(#Predicate { $0._pages.contains { $0._number == 9 } }) == ["c"])
    #expect(try await bodies(#Predicate { !$0._body.contains("b") && $0._tags.isEmpty }) == ["a", "c"])
    let ids = Set([notes[0].persistentModelID, notes[2].persistentModelID])
    #expect(try await bodies(#Predicate { ids.contains($0.persistentModelID) }) == ["a", "c"])
  }

  @Test("a predicate that is evaluated in memory has the same results", arguments: Engine.allCases)
  func memoryPredicate(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let shelf = Shelf(store.container)
    try await shelf.insert([Note("a"), Note("bb"), Note("ccc")])
    let odd = #Predicate<Note> { $0._body.count % 2 == 1 }
    let found = try await Shelf(store.container).bodies(
      FetchDescriptor(predicate: odd, sortBy: [SortDescriptor(\._body)]))
    #expect(found == ["a", "ccc"])
  }

  @Test("a sort uses the nonisolated twins of isolated properties", arguments: Engine.allCases)
  func sort(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let notes = [Note("a"), Note("b"), Note("c")]
    await notes[0].addStar()
    try await Shelf(store.container).insert(notes)
    let shelf = Shelf(store.container)
    #expect(
      try await shelf.bodies(
        FetchDescriptor(sortBy: [SortDescriptor(\._stars, order: .reverse), SortDescriptor(\._body)]))
        == ["a", "b", "c"])
    #expect(
      try await shelf.bodies(FetchDescriptor(sortBy: [SortDescriptor(\._body, order: .reverse)])) == ["c", "b", "a"])
    #expect(
      try await shelf.bodies(FetchDescriptor(sortBy: [SortDescriptor(\._modified), SortDescriptor(\._body)]))
        == ["a", "b", "c"])
    var limited = FetchDescriptor<Note>(sortBy: [SortDescriptor(\._body, comparator: .lexical, order: .reverse)])
    limited.fetchLimit = 2
    #expect(try await shelf.bodies(limited) == ["c", "b"])
  }

  @Test("a partial fetch reads the other properties on first access", arguments: Engine.allCases)
  func partial(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    try await Shelf(store.container).insert([Note("a")])
    let shelf = Shelf(store.container)
    let note = try await shelf.perform { context in
      var descriptor = FetchDescriptor<Note>()
      descriptor.propertiesToFetch = [Note.keyPath(\.body)]
      return try context.fetch(descriptor)[0]
    }
    #expect(await note.body == "a")
    #expect(await note.weight == 0.5)
  }

  @Test("a relationship between actors is set at both ends, in memory and in the store", arguments: Engine.allCases)
  func relationship(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let shelf = Shelf(store.container)
    let note = Note("note")
    let author = Author(code: 1, name: "Ada")
    try await shelf.insert([note])
    await note.sign(author)
    await note.add(Page(1))
    await note.add(Page(2))
    #expect(await author.notes.map(\.persistentModelID) == [note.persistentModelID])
    try await shelf.save()

    let found = try #require(try await Shelf(store.container).notes().first)
    let name = await found.author?.name
    #expect(name == "Ada")
    var numbers: [Int] = []
    for page in await found.pages { numbers.append(await page.number) }
    #expect(numbers == [1, 2])
    #expect(await found.author?.notes.count == 1)
  }

  @Test("a deletion follows the delete rules", arguments: Engine.allCases)
  func deletion(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let shelf = Shelf(store.container)
    let note = Note("note")
    await note.add(Page(1))
    try await shelf.insert([note])
    #expect(try await shelf.perform { try $0.fetchCount(FetchDescriptor<Page>()) } == 1)
    try await shelf.perform { context in
      context.delete(note)
      try context.save()
    }
    #expect(await note.isDeleted)
    #expect(try await shelf.perform { try $0.fetchCount(FetchDescriptor<Note>()) } == 0)
    #expect(try await shelf.perform { try $0.fetchCount(FetchDescriptor<Page>()) } == 0)
  }

  @Test("a rollback restores the values", arguments: Engine.allCases)
  func rollback(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let shelf = Shelf(store.container)
    let note = Note("note")
    try await shelf.insert([note])
    await note.addStar()
    await shelf.perform { $0.rollback() }
    #expect(await note.stars == 0)
    #expect(await !note.hasChanges)
  }

  @Test("observers are notified of changes", arguments: Engine.allCases)
  func observation(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let note = Note("note")
    try await Shelf(store.container).insert([note])
    let flag = await note.observe()
    #expect(!flag.isRaised)
    await note.tag("x")
    #expect(!flag.isRaised)
    await note.addStar()
    #expect(flag.isRaised)
  }

  @Test("property observers of the actor run", arguments: Engine.allCases)
  func propertyObservers(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let note = Note("note")
    let page = Page(1)
    await note.add(page)
    try await Shelf(store.container).insert([note])
    await page.write("text")
    await page.write("more")
    #expect(await page.changes == 2)
  }

  @Test("an identifier is the same before and after the first save, and equals the identifier in another context")
  func identifier() async throws {
    let store = try TestStore(.file, noteModels)
    let note = Note("note")
    let before = note.persistentModelID
    let set: Set<Note> = [note]
    try await Shelf(store.container).insert([note])
    #expect(note.persistentModelID == before)
    #expect(set.contains(note))
    #expect(try await Shelf(store.container).notes().first?.id == before)
    let other = Shelf(store.container)
    let found = await other.perform { $0[before, as: Note.self] }
    #expect(await found?.body == "note")
  }

  @Test("two models with the same unique value share one row", arguments: Engine.allCases)
  func unique(_ engine: Engine) async throws {
    let store = try TestStore(engine, noteModels)
    let id = UUID()
    try await Shelf(store.container).insert([Note(uniqueID: id, "old")])
    try await Shelf(store.container).insert([Note(uniqueID: id, "new")])
    #expect(try await Shelf(store.container).bodies(FetchDescriptor()) == ["new"])
  }
}

extension Note {
  fileprivate func observe() -> Flag { changeFlag { _ = stars } }
}
