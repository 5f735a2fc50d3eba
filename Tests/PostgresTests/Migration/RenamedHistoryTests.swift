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

  /// An attribute gets the name that another attribute had before.
  private enum Again {
    @Model final class Journal {
      @Attribute(.preserveValueOnDeletion, originalName: "title") var heading: String
      @Attribute(.preserveValueOnDeletion, originalName: "caption") var title: String?
      init(_ heading: String, _ title: String) { (self.heading, self.title) = (heading, title) }
    }
  }

  private enum Single {
    @Model final class Barge {
      @Attribute(.preserveValueOnDeletion) var name: String
      @Attribute(.preserveValueOnDeletion) var mark: String
      init(_ name: String) { (self.name, mark) = (name, "barge \(name)") }
    }
    @Model final class Coach {
      @Attribute(.preserveValueOnDeletion) var name: String
      @Attribute(.preserveValueOnDeletion) var mark: String
      init(_ name: String) { (self.name, mark) = (name, "coach \(name)") }
    }
    static let models: [any PersistentModel.Type] = [Barge.self, Coach.self]
  }

  /// The two entities get a common superclass, so their rows move into one table. The rows of one entity get new keys,
  /// and one column gets a new name.
  private enum Joined {
    @Model class Conveyance {
      @Attribute(.preserveValueOnDeletion) var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Barge: Conveyance {
      @Attribute(.preserveValueOnDeletion) var mark: String
      override init(_ name: String) {
        mark = "barge \(name)"
        super.init(name)
      }
    }
    @Model final class Coach: Conveyance {
      @Attribute(.preserveValueOnDeletion) var mark: String
      override init(_ name: String) {
        mark = "coach \(name)"
        super.init(name)
      }
    }
    static let models: [any PersistentModel.Type] = [Conveyance.self, Barge.self, Coach.self]
  }

  @Suite("The history on a server after a migration that renames entities or attributes")
  struct PostgresRenamedHistoryTests {
    /// The changes of all saves, in the order of the saves.
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

    @Test("the history has the current names of entities and attributes, even after two migrations that rename them")
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

    // MARK: Rows that move into other tables

    private struct Deletion {
      let identifier: PersistentIdentifier
      /// The preserved values of the deleted row.
      let texts: Set<String>
    }

    private func deletions<Model: PersistentModel>(_ changes: [HistoryChange], _: Model.Type) -> [Deletion] {
      changes.compactMap { change in
        guard case .delete(let any) = change, let deletion = any as? DefaultHistoryDelete<Model> else { return nil }
        let texts = deletion.tombstone.compactMap { $0 as? String }
        return Deletion(identifier: deletion.changedPersistentIdentifier, texts: Set(texts))
      }
    }

    private func inserted<Model: PersistentModel>(_ changes: [HistoryChange], _: Model.Type) -> [PersistentIdentifier] {
      changes.compactMap { change in
        guard case .insert(let any) = change, let insertion = any as? DefaultHistoryInsert<Model> else { return nil }
        return insertion.changedPersistentIdentifier
      }
    }

    /// Inserts three barges and three coaches in one save, then changes the first of each kind and deletes the second.
    private func fillApart(_ store: ServerStore) throws {
      let context = ModelContext(try store.open(Single.models))
      let (barges, coaches) = ((1...3).map { Single.Barge("b\($0)") }, (1...3).map { Single.Coach("c\($0)") })
      for barge in barges { context.insert(barge) }
      for coach in coaches { context.insert(coach) }
      try context.save()
      (barges[0].mark, coaches[0].mark) = ("changed", "changed")
      try context.save()
      context.delete(barges[1])
      context.delete(coaches[1])
      try context.save()
    }

    @Test("if rows move into a shared table, the history has their new keys, even the keys of rows deleted before")
    func joined() throws {
      let store = try ServerStore()
      try fillApart(store)
      let container = try store.open(Joined.models)
      let context = ModelContext(container)
      let barges = try context.fetch(FetchDescriptor<Joined.Barge>(sortBy: [SortDescriptor(\.name)]))
      let coaches = try context.fetch(FetchDescriptor<Joined.Coach>(sortBy: [SortDescriptor(\.name)]))
      try #require(barges.map(\.name) == ["b1", "b3"] && coaches.map(\.name) == ["c1", "c3"])
      let before = try changes(container)
      let (ofBarges, ofCoaches) = (inserted(before, Joined.Barge.self), inserted(before, Joined.Coach.self))
      try #require(ofBarges.count == 3 && ofCoaches.count == 3)
      #expect([ofBarges[0], ofBarges[2]] == barges.map(\.persistentModelID))
      #expect([ofCoaches[0], ofCoaches[2]] == coaches.map(\.persistentModelID))
      let updates = before.compactMap { change -> PersistentIdentifier? in
        guard case .update(let update) = change else { return nil }
        return update.changedPersistentIdentifier
      }
      #expect(Set(updates) == [barges[0].persistentModelID, coaches[0].persistentModelID])
      context.delete(coaches[1])
      try context.save()
      let after = try changes(container)
      let deletedBarges = deletions(after, Joined.Barge.self)
      let deletedCoaches = deletions(after, Joined.Coach.self)
      #expect(deletedBarges.map(\.texts) == [["b2", "barge b2"]])
      #expect(deletedCoaches.map(\.texts) == [["c2", "coach c2"], ["c3", "coach c3"]])
      #expect(deletedBarges.map(\.identifier) == [ofBarges[1]])
      #expect(deletedCoaches.map(\.identifier) == [ofCoaches[1], ofCoaches[2]])
    }

    @Test("the history moves with the rows of a class that is separated from its superclass")
    func parted() throws {
      let store = try ServerStore()
      try fillApart(store)
      let context = ModelContext(try store.open(Joined.models))
      for name in ["b3", "c3"] {
        let found = try context.fetch(FetchDescriptor<Joined.Conveyance>(predicate: #Predicate { $0.name == name }))
        context.delete(try #require(found.first))
      }
      try context.save()
      let container = try store.open(Single.models)
      let changes = try changes(container)
      #expect(deletions(changes, Single.Barge.self).map(\.texts) == [["b2", "barge b2"], ["b3", "barge b3"]])
      #expect(deletions(changes, Single.Coach.self).map(\.texts) == [["c2", "coach c2"], ["c3", "coach c3"]])
      let coach = try #require(try ModelContext(container).fetch(FetchDescriptor<Single.Coach>()).first)
      #expect(inserted(changes, Single.Coach.self).first == coach.persistentModelID)
    }

    @Test("an attribute with the former name of another attribute does not get that attribute's values")
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
