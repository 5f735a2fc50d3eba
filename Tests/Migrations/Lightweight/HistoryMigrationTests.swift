import ConformanceSupport
import OpenSwiftData
import Testing

private enum Before {
  @Model final class Trip {
    @Attribute(.preserveValueOnDeletion) var name: String
    var start: Int = 0
    var days: Int = 0
    init(_ name: String) { self.name = name }
  }

  @Model final class Flag {
    var colour: String
    init(_ colour: String) { self.colour = colour }
  }
}

/// The next version: `Trip` and its properties are renamed, and `Flag` is removed.
private enum After {
  @Model(originalName: "Trip") final class Voyage {
    @Attribute(.preserveValueOnDeletion, originalName: "name") var title: String
    @Attribute(originalName: "start") var begin: Int = 0
    @Attribute(.preserveValueOnDeletion) var note: String = "none"
    init(_ title: String) { self.title = title }
  }
}

@Suite("A store with history")
struct HistoryMigrationTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  private func keepsHistory(_ configuration: inout ModelConfiguration) { configuration.history = .standard }

  @Test("the history stays readable after a migration, and has the names of the current schema")
  func renaming() throws {
    let store = try MigratedStore()
    var token: DefaultHistoryToken?
    try store.use([Before.Trip.self, Before.Flag.self], keepsHistory) { context in
      let (oslo, rome) = (Before.Trip("Oslo"), Before.Trip("Rome"))
      for model in [oslo, rome, Before.Flag("red")] as [any PersistentModel] { context.insert(model) }
      try context.save()
      token = try context.fetchHistory(Descriptor()).last?.token
      (oslo.start, oslo.days) = (5, 6)
      context.delete(rome)
      try context.save()
    }
    try store.use([After.Voyage.self], keepsHistory) { context in
      let known = try #require(token)
      let all = try context.fetchHistory(Descriptor())
      #expect(all.map(\.changes.count) == [2, 2])
      let changes = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > known })).flatMap(\.changes)
      guard changes.count == 2, case .delete(let some) = changes[0], case .update(let other) = changes[1],
        let deletion = some as? any HistoryDelete<After.Voyage>, let update = other as? any HistoryUpdate<After.Voyage>
      else {
        Issue.record("\(changes)")
        return
      }
      #expect(deletion.tombstone[\.title] as? String == "Rome")
      #expect(update.updatedAttributes.map { $0 as AnyKeyPath } == [\After.Voyage.begin])
      #expect(
        update.changedPersistentIdentifier
          == (try context.fetch(FetchDescriptor<After.Voyage>()).first?.persistentModelID))
      // The triggers that record deletions were created again for the renamed table.
      let voyage = try #require(try context.fetch(FetchDescriptor<After.Voyage>()).first)
      context.delete(voyage)
      try context.save()
      guard case .delete(let last) = try context.fetchHistory(Descriptor()).last?.changes.first,
        let deletion = last as? any HistoryDelete<After.Voyage>
      else {
        Issue.record("no deletion")
        return
      }
      #expect(deletion.tombstone[\.title] as? String == "Oslo" && deletion.tombstone[\.note] as? String == "none")
    }
    let database = try store.contents()
    #expect(try database.problems() == [])
    guard !MigratedStore.isOnServer else { return }
    #expect(try database.column("SELECT name FROM sqlite_master WHERE type = 'trigger'") == ["_osd_preserve_Voyage"])
  }

  @Test("a check of a store with history finds no problem", .onSQLite)
  func checks() async throws {
    let store = try MigratedStore()
    let container = try store.open([Before.Trip.self, Before.Flag.self], keepsHistory)
    let context = ModelContext(container)
    let trip = Before.Trip("Oslo")
    context.insert(trip)
    try context.save()
    context.delete(trip)
    try context.save()
    #expect(try await container.check(repairing: true).isEmpty)
    #expect(try context.fetchHistory(Descriptor()).count == 2)
  }
}
