import SwiftData
import Testing

@Suite("Save notifications", .serialized)
struct NotificationTests {
  /// A save notification of one context, as an observer received it.
  private struct Entry: Sendable, Equatable {
    var name: Notification.Name
    var inserted: [PersistentIdentifier]?
    var updated: [PersistentIdentifier]?
    var deleted: [PersistentIdentifier]?
  }

  private final class Observer {
    let log = Log<Entry>()
    private var tokens: [any NSObjectProtocol] = []

    init(_ context: ModelContext) {
      let log = log
      for name in [ModelContext.willSave, ModelContext.didSave] {
        tokens.append(
          NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { note in
            func list(_ key: ModelContext.NotificationKey) -> [PersistentIdentifier]? {
              note.userInfo?[key.rawValue] as? [PersistentIdentifier]
            }
            log.add(
              Entry(
                name: note.name, inserted: list(.insertedIdentifiers), updated: list(.updatedIdentifiers),
                deleted: list(.deletedIdentifiers)))
          })
      }
    }

    deinit { tokens.forEach(NotificationCenter.default.removeObserver) }
  }

  @Test("the keys have Apple's names")
  func keys() {
    #expect(ModelContext.NotificationKey.insertedIdentifiers.rawValue == "insertedIdentifiers")
    #expect(ModelContext.NotificationKey.updatedIdentifiers.rawValue == "updatedIdentifiers")
    #expect(ModelContext.NotificationKey.deletedIdentifiers.rawValue == "deletedIdentifiers")
    #expect(ModelContext.NotificationKey.queryGeneration.rawValue == "queryGeneration")
    #expect(ModelContext.NotificationKey.invalidatedAllIdentifiers.rawValue == "invalidatedAllIdentifiers")
  }

  @Test(
    "the identifiers in didSave are found by a key's raw value, by constant and by short name",
    arguments: Engine.allCases)
  func threeKeys(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("edited", "deleted")
    let (edited, deleted, inserted) = (try context.book("edited"), try context.book("deleted"), Book("inserted"))
    let found = Log<[[PersistentIdentifier]?]>()
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      let userInfo = $0.userInfo ?? [:]
      for (key, name) in [
        (ModelContext.NotificationKey.insertedIdentifiers, "inserted"), (.updatedIdentifiers, "updated"),
        (.deletedIdentifiers, "deleted"),
      ] {
        found.add([userInfo[key.rawValue], userInfo[key], userInfo[name]].map { $0 as? [PersistentIdentifier] })
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    edited.pages = 1
    context.delete(deleted)
    context.insert(inserted)
    try context.save()
    let expected = [inserted, edited, deleted].map { [[$0.persistentModelID]] }
    #expect(found.entries == expected.map { Array(repeating: $0[0], count: 3) })
  }

  @Test(
    "didSave lists no model of an earlier save, and a userInfo that an observer keeps does not change",
    arguments: Engine.allCases)
  func severalSaves(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    nonisolated(unsafe) var information: [[AnyHashable: Any]] = []
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      information.append($0.userInfo ?? [:])
    }
    defer { NotificationCenter.default.removeObserver(token) }
    func counts(_ index: Int) -> [Int?] {
      ["inserted", "updated", "deleted"].map { (information[index][$0] as? [PersistentIdentifier])?.count }
    }
    let books = (0..<100).map { Book("\($0)") }
    for book in books.prefix(3) { context.insert(book) }
    try context.save()
    books[0].pages = 1
    try context.save()
    for book in books.dropFirst(3) { context.insert(book) }
    try context.save()
    context.delete(books[0])
    try context.save()
    books[1].pages = 2
    books[2].pages = 2
    try context.save()
    #expect((0..<5).map(counts) == [[3, 0, 0], [0, 1, 0], [97, 0, 0], [0, 0, 1], [0, 2, 0]])
    let known = information.map {
      $0[ModelContext.NotificationKey.historyTokens.rawValue] as? [String: any HistoryToken]
    }
    let numbers = known.map { tokens in
      tokens?.values.compactMap { ($0 as? DefaultHistoryToken)?.tokenValue?.values.first }
    }
    let counted = numbers.compactMap { $0?.first }
    #expect(counted.isEmpty || zip(counted, counted.dropFirst()).allSatisfy { $0 < $1 } && counted.count == 5)
  }

  @Test("willSave has no userInfo, as in Apple's framework", arguments: Engine.allCases)
  func willSaveIsBare(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let isBare = Log<Bool>()
    let token = NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: context, queue: nil) {
      isBare.add($0.userInfo == nil)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    context.insert(Book("Emma"))
    try context.save()
    #expect(isBare.entries == [true])
  }

  @Test("willSave precedes didSave, which lists the changed models", arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("edited", "deleted", "left alone")
    let edited = try context.book("edited")
    let deleted = try context.book("deleted")
    let inserted = Book("inserted")
    let observer = Observer(context)
    edited.pages = 1
    context.delete(deleted)
    context.insert(inserted)
    try context.save()
    let entries = observer.log.entries
    try #require(entries.map(\.name) == [ModelContext.willSave, ModelContext.didSave])
    #expect(entries[1].inserted == [inserted.persistentModelID])
    #expect(entries[1].updated == [edited.persistentModelID])
    #expect(entries[1].deleted == [deleted.persistentModelID])
  }

  @Test("the identifiers in didSave find their models in another context", arguments: Engine.allCases)
  func permanent(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let observer = Observer(context)
    context.insert(Book("Emma"))
    try context.save()
    let identifier = try #require(observer.log.entries.last?.inserted?.first)
    #expect(identifier.storeIdentifier != nil)
    #expect(store.context()[identifier, as: Book.self]?.title == "Emma")
  }

  @Test("a save that fails posts no didSave", arguments: Engine.allCases)
  func failure(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let observer = Observer(context)
    context.insert(Note(1, ink: .wet))
    #expect(throws: SwiftDataError.valueNotStorable) { try context.save() }
    #expect(!observer.log.entries.map(\.name).contains(ModelContext.didSave))
  }

  @Test("other contexts see the changes when didSave is posted", arguments: Engine.allCases)
  func visible(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let seen = Log<[String]>()
    nonisolated(unsafe) let unsafeStore = store
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      _ in
      seen.add((try? unsafeStore.storedTitles()) ?? ["failed"])
    }
    defer { NotificationCenter.default.removeObserver(token) }
    context.insert(Book("Emma"))
    try context.save()
    #expect(seen.entries == [["Emma"]])
  }

  @Test("changes that an observer of willSave makes are saved with the other changes", arguments: Engine.allCases)
  func changesInWillSave(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("old", "gone")
    let old = try context.book("old")
    let gone = try context.book("gone")
    nonisolated(unsafe) let (unsafeContext, unsafeOld, unsafeGone) = (context, old, gone)
    let token = NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: context, queue: nil) {
      _ in
      guard unsafeOld.pages != 7 else { return }
      unsafeOld.pages = 7
      unsafeContext.insert(Book("by the observer"))
      unsafeContext.delete(unsafeGone)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    context.insert(Book("new"))
    try context.save()
    #expect(!context.hasChanges)
    #expect(try store.storedTitles() == ["by the observer", "new", "old"])
    #expect(try store.context().book("old").pages == 7)
  }

  @Test("changes that an observer of didSave makes are pending after the save", arguments: Engine.allCases)
  func changesInDidSave(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("old")
    let old = try context.book("old")
    nonisolated(unsafe) let unsafeOld = old
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      _ in
      unsafeOld.pages += 1
    }
    defer { NotificationCenter.default.removeObserver(token) }
    context.insert(Book("new"))
    try context.save()
    #expect(old.pages == 101)
    #expect(context.changedTitles == ["old"])
    #expect(try store.context().book("old").pages == 100)
  }

  @Test("a save does not notify observers of another context", arguments: Engine.allCases)
  func otherContext(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let other = store.context()
    let observer = Observer(other)
    try store.save("Emma")
    #expect(observer.log.entries == [])
  }

  @Test("a thousand inserted models are all listed, in the order of their insertion", arguments: Engine.allCases)
  func many(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let observer = Observer(context)
    let books = (0..<1000).map { Book("\($0)") }
    books.forEach(context.insert)
    try context.save()
    #expect(observer.log.entries.last?.inserted == books.map(\.persistentModelID))
  }

  @Test(
    "if one object of a row is changed and another is deleted, didSave lists the row as deleted",
    arguments: Engine.allCases)
  func changedAndDeleted(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let context = store.context()
    let countries = (0..<2).map { Country("Norway", population: $0) }
    for country in countries {
      context.insert(country)
      try context.save()
    }
    let identifier = countries[0].persistentModelID
    try #require(countries[1].persistentModelID == identifier)
    let observer = Observer(context)
    for country in countries { country.motto = "Alt for Norge" }
    try context.save()
    countries[1].population = 9
    context.delete(countries[0])
    try context.save()
    let entries = observer.log.entries.filter { $0.name == ModelContext.didSave }
    #expect(entries.map(\.updated) == [[identifier], []])
    #expect(entries.map(\.deleted) == [[], [identifier]])
  }

  @Test("an observer may wait for another thread's save, which posts its own notifications", arguments: Engine.allCases)
  func waitingObserver(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let (context, container) = (store.context(), store.container)
    let log = Log<Bool>()
    let center = NotificationCenter.default
    let token = center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { _ in
      let end = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let other = ModelContext(container)
        other.insert(Book("other"))
        log.add((try? other.save()) != nil)
        end.signal()
      }
      log.add(end.wait(timeout: .now() + .seconds(60)) == .success)
    }
    defer { center.removeObserver(token) }
    context.insert(Book("first"))
    try context.save()
    #expect(log.entries == [true, true])
  }
}
