import OpenSwiftData
import SharedStoreWorkload
import Testing

/// An actor with a fetched entry as a property.
@ModelActor private actor EntryHolder {
  private var entry: Entry?

  func hold(_ writer: String) throws {
    entry = try modelContext.fetch(SharedStore.entries(of: writer)).first
  }

  var changes: Int? { entry?.changes }
}

@Suite("Changes that other processes saved", .serialized, .timeLimit(.minutes(10)))
struct ForeignChangeTests {
  private func filled(_ folder: SharedFolder) throws -> ModelContainer {
    let container = try SharedStore.open(folder.path)
    let context = ModelContext(container)
    for writer in ["a", "b"] { for number in 0..<3 { context.insert(Entry(writer: writer, number: number)) } }
    try context.save()
    return container
  }

  @Test("the next fetch returns what another process changed, inserted or deleted")
  func nextFetch() async throws {
    let folder = try SharedFolder()
    let context = ModelContext(try filled(folder))
    let entry = try #require(try context.fetch(SharedStore.entries(of: "a")).first)
    _ = try await OtherProcess.run("change", folder.path, "a", "5")
    #expect(try context.fetch(SharedStore.entries(of: "a")).map(\.changes) == [5, 5, 5])
    #expect(entry.changes == 5)
    entry.changes = 6
    try context.save()
    _ = try await OtherProcess.run("write", folder.path, "c", "2")
    #expect(try context.fetchCount(SharedStore.entries(of: "c")) == 2)
    _ = try await OtherProcess.run("delete", folder.path, "a", "0")
    #expect(try context.fetchIdentifiers(SharedStore.entries(of: "a")).isEmpty)
  }

  @Test("the next fetch updates every registered model, including models that the fetch does not return")
  func registered() async throws {
    let folder = try SharedFolder()
    let context = ModelContext(try filled(folder))
    let a = try context.fetch(SharedStore.entries(of: "a"))
    let b = try context.fetch(SharedStore.entries(of: "b"))
    let flag = changeFlag { _ = b[0].changes }
    _ = try await OtherProcess.run("change", folder.path, "b", "5")
    #expect(b[0].changes == 0)
    _ = try context.fetch(SharedStore.entries(of: "a"))
    #expect(b.map(\.changes) == [5, 5, 5])
    #expect(flag.isRaised)
    _ = try await OtherProcess.run("delete", folder.path, "a", "0")
    _ = try context.fetchCount(SharedStore.entries(of: "b"))
    #expect(a.map(\.isDeleted) == [true, true, true])
    #expect(b.map(\.isDeleted) == [false, false, false])
  }

  @Test("a context detects changes of other processes even if its own process also saves")
  func ownSaves() async throws {
    let folder = try SharedFolder()
    let context = ModelContext(try filled(folder))
    let (a, b) = (
      try context.fetch(SharedStore.entries(of: "a")), try context.fetch(SharedStore.entries(of: "b"))
    )
    for round in 1...4 {
      a[0].changes = round
      try context.save()
      _ = try await OtherProcess.run("change", folder.path, "b", "\(round)")
      if round.isMultiple(of: 2) {
        a[1].changes = round
        try context.save()
      }
      _ = try context.fetchCount(SharedStore.entries(of: "a"))
      #expect(b.map(\.changes) == [round, round, round])
    }
  }

  @Test("if any context of a process fetches, models in the process's actors get the changes too")
  func actors() async throws {
    let folder = try SharedFolder()
    let container = try filled(folder)
    let holder = EntryHolder(modelContainer: container)
    try await holder.hold("b")
    _ = try await OtherProcess.run("change", folder.path, "b", "5")
    #expect(await holder.changes == 0)
    let database = ModelDatabase(modelContainer: container)
    #expect(try await database.count(Entry.self) == 6)
    #expect(await eventually { await holder.changes == 5 })
  }

  @Test("a read-only container detects changes of other processes")
  func readOnly() async throws {
    let folder = try SharedFolder()
    _ = try filled(folder)
    let schema = Schema([Entry.self])
    let configuration = ModelConfiguration(schema: schema, url: URL(filePath: folder.path), allowsSave: false)
    let context = ModelContext(try ModelContainer(for: schema, configurations: configuration))
    let b = try context.fetch(SharedStore.entries(of: "b"))
    _ = try await OtherProcess.run("change", folder.path, "b", "5")
    _ = try context.fetchCount(SharedStore.entries(of: "a"))
    #expect(b.map(\.changes) == [5, 5, 5])
  }

  @Test("a container detects changes that another container of the same process saved to the file")
  func twoContainers() throws {
    let folder = try SharedFolder()
    let here = ModelContext(try filled(folder))
    let b = try here.fetch(SharedStore.entries(of: "b"))
    let there = ModelContext(try SharedStore.open(folder.path))
    for entry in try there.fetch(SharedStore.entries(of: "b")) { entry.changes = 5 }
    try there.save()
    _ = try here.fetchCount(SharedStore.entries(of: "a"))
    #expect(b.map(\.changes) == [5, 5, 5])
  }
}
