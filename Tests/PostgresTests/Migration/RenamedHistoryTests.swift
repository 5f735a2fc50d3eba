#if PostgreSQL
  import Foundation
  import OpenSwiftData
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import Testing

  private enum Once {
    @Model final class Journal {
      @Attribute(.preserveValueOnDeletion) var title: String
      var page: Int = 0
      init(_ title: String) { self.title = title }
    }
  }

  private enum Twice {
    @Model(originalName: "Journal") final class Diary {
      @Attribute(.preserveValueOnDeletion, originalName: "title") var heading: String
      @Attribute(originalName: "page") var leaf: Int = 0
      init(_ heading: String) { self.heading = heading }
    }
  }

  private enum Thrice {
    @Model(originalName: "Diary") final class Annals {
      @Attribute(.preserveValueOnDeletion, originalName: "heading") var headline: String
      @Attribute(originalName: "leaf") var sheet: Int = 0
      init(_ headline: String) { self.headline = headline }
    }
  }

  /// The name of an attribute goes on to another one.
  private enum Again {
    @Model final class Journal {
      @Attribute(.preserveValueOnDeletion, originalName: "title") var heading: String
      @Attribute(.preserveValueOnDeletion, originalName: "caption") var title: String?
      init(_ heading: String, _ title: String) { (self.heading, self.title) = (heading, title) }
    }
  }

  @Suite("A history on a server whose names a migration changes")
  struct PostgresRenamedHistoryTests {
    /// The changes of all saves, in their order.
    private func changes(_ container: ModelContainer) throws -> [HistoryChange] {
      try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
    }

    private func fill(_ store: ServerStore) throws {
      let context = ModelContext(try store.open([Once.Journal.self]))
      let journal = Once.Journal("first")
      context.insert(journal)
      try context.save()
      (journal.title, journal.page) = ("second", 3)
      try context.save()
      context.delete(journal)
      try context.save()
    }

    @Test("is found under the names that entities and attributes have, also when these were changed twice")
    func twice() throws {
      let store = try ServerStore()
      try fill(store)
      _ = try store.open([Twice.Diary.self])
      let changes = try changes(store.open([Thrice.Annals.self]))
      try #require(changes.count == 3)
      if case .update(let change) = changes[1] {
        let update = try #require(change as? DefaultHistoryUpdate<Thrice.Annals>)
        #expect(update.updatedAttributes.contains(\Thrice.Annals.headline))
        #expect(update.updatedAttributes.count == 2)
      } else {
        Issue.record("\(changes[1]) is no update")
      }
      #expect(try tombstone(changes[2], Thrice.Annals.self)[\.headline] as? String == "second")
    }

    private func tombstone<Model: PersistentModel>(
      _ change: HistoryChange, _ type: Model.Type
    ) throws -> HistoryTombstone<Model> {
      guard case .delete(let deletion) = change else { throw NoDeletion() }
      return try #require(deletion as? DefaultHistoryDelete<Model>).tombstone
    }

    private struct NoDeletion: Error {}

    @Test("does not take values of an attribute for those of another one that has its former name")
    func nameGivenAgain() throws {
      let store = try ServerStore()
      try fill(store)
      let container = try store.open([Again.Journal.self])
      let context = ModelContext(container)
      let journal = Again.Journal("heading", "zzz")
      context.insert(journal)
      try context.save()
      context.delete(journal)
      try context.save()
      let changes = try changes(container)
      try #require(changes.count == 5)
      let (old, new) = (try tombstone(changes[2], Again.Journal.self), try tombstone(changes[4], Again.Journal.self))
      #expect(old[\.heading] as? String == "second" && old[\.title] == nil)
      #expect(new[\.heading] as? String == "heading" && new[\.title] as? String == "zzz")
    }
  }
#endif
