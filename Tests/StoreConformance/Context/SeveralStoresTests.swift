import SwiftData
import Testing

@Model final class Pebble {
  @Attribute(.unique) var name: String
  var weight: Int = 0
  @Relationship(inverse: \PebbleHeap.pebbles) var heap: PebbleHeap?
  init(_ name: String) { self.name = name }
}

@Model final class PebbleHeap {
  var pebbles: [Pebble] = []
  init() {}
}

@Model final class Petal {
  @Attribute(.unique) var name: String
  var size: Int = 0
  @Relationship(deleteRule: .cascade, inverse: \PetalVein.leaf) var veins: [PetalVein] = []
  init(_ name: String) { self.name = name }
}

@Model final class PetalVein {
  var leaf: Petal?
  init() {}
}

/// A container with two stores in separate files. A test can make the commits of either store fail.
private final class TwoStores {
  let folder: URL
  let container: ModelContainer
  var stones: URL { folder.appending(path: "stones.store") }
  var plants: URL { folder.appending(path: "plants.store") }

  init() throws {
    CommitFailures.install
    folder = try TestStore.makeFolder()
    container = try Self.container(in: folder)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  static func container(in folder: URL) throws -> ModelContainer {
    var configurations = [
      ModelConfiguration(
        "stones", schema: Schema([Pebble.self, PebbleHeap.self]), url: folder.appending(path: "stones.store")),
      ModelConfiguration(
        "plants", schema: Schema([Petal.self, PetalVein.self]), url: folder.appending(path: "plants.store")),
    ]
    for index in configurations.indices { configurations[index].busyTimeout = .zero }
    return try ModelContainer(
      for: Schema([Pebble.self, PebbleHeap.self, Petal.self, PetalVein.self]),
      configurations: configurations)
  }

  /// Runs `body`. Meanwhile, every commit of the store at `url` fails.
  func withFailure<Result>(of url: URL, _ body: () throws -> Result) rethrows -> Result {
    CommitFailures.begin(at: url)
    defer { CommitFailures.end(at: url) }
    return try body()
  }

  func pebbles() throws -> [String] { try rows("SELECT name, weight FROM Pebble ORDER BY name", stones) }
  func leaves() throws -> [String] { try rows("SELECT name, size FROM Petal ORDER BY name", plants) }

  private func rows(_ sql: String, _ url: URL) throws -> [String] { try PythonDatabase(url).run(sql) }
}

@Suite("Saves of a context whose container has several stores")
struct SeveralStoresSaveTests {
  private struct News: Equatable {
    var inserted: [PersistentIdentifier] = []
    var updated: [PersistentIdentifier] = []
    var deleted: [PersistentIdentifier] = []
  }

  /// Runs `body` and returns the didSave notifications that the context posts meanwhile.
  private func news(of context: ModelContext, during body: () throws -> Void) rethrows -> [News] {
    let all = Log<News>()
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      func list(_ key: ModelContext.NotificationKey, _ note: Notification) -> [PersistentIdentifier] {
        note.userInfo?[key.rawValue] as? [PersistentIdentifier] ?? []
      }
      let news = News(
        inserted: list(.insertedIdentifiers, $0), updated: list(.updatedIdentifiers, $0),
        deleted: list(.deletedIdentifiers, $0))
      all.add(news)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try body()
    return all.entries
  }

  @Test("if the second store fails to commit, the first store's changes are saved and the second store's stay pending")
  func partial() throws {
    let stores = try TwoStores()
    let context = ModelContext(stores.container)
    let (pebble, leaf) = (Pebble("p"), Petal("l"))
    context.insert(pebble)
    context.insert(leaf)
    let (early, heap) = (leaf.persistentModelID, PebbleHeap())
    heap.pebbles = [pebble]
    var error: SwiftDataError?
    let news = news(of: context) {
      error = stores.withFailure(of: stores.plants) { #expect(throws: SwiftDataError.self) { try context.save() } }
    }
    let text = "\(try #require(error))"
    #expect(text.contains("Saved: \(stores.stones.path) (Pebble, PebbleHeap)"), "\(text)")
    #expect(text.contains("Not saved: \(stores.plants.path) (Petal, PetalVein)") && error?.underlyingError != nil)
    #expect(try stores.pebbles() == ["p 0"])
    #expect(try stores.leaves() == [])
    #expect(news.count == 1 && Set(news[0].inserted) == [pebble.persistentModelID, heap.persistentModelID])
    #expect(context.hasChanges && !pebble.hasChanges && leaf.hasChanges)
    #expect(context.insertedModelsArray.map(\.persistentModelID) == [leaf.persistentModelID])
    pebble.weight = 3
    let later = try self.news(of: context) { try context.save() }
    #expect(later == [News(inserted: [leaf.persistentModelID], updated: [pebble.persistentModelID])])
    #expect(try stores.pebbles() == ["p 3"])
    #expect(try stores.leaves() == ["l 0"])
    #expect(!context.hasChanges && leaf.persistentModelID == early)
    let fresh = ModelContext(stores.container)
    #expect(try fresh.fetchCount(FetchDescriptor<Pebble>()) == 1)
    #expect(try fresh.fetch(FetchDescriptor<PebbleHeap>()).first?.pebbles.map(\.name) == ["p"])
  }

  @Test(
    "the next save repeats updates, deletions, cascades and upserts of the failed store only")
  func changes() throws {
    let stores = try TwoStores()
    let context = ModelContext(stores.container)
    let (pebble, leaf, other) = (Pebble("p"), Petal("l"), Petal("other"))
    for model in [pebble, leaf, other] as [any PersistentModel] { context.insert(model) }
    leaf.veins = [PetalVein(), PetalVein()]
    context.insert(Pebble("going"))
    try context.save()
    func change() throws {
      let same = Pebble("p")
      same.weight = 8
      context.insert(same)
      let equal = Petal("other")
      equal.size = 9
      context.insert(equal)
      context.delete(leaf)
      try context.delete(model: Pebble.self, where: #Predicate { $0.name == "going" })
    }
    try change()
    stores.withFailure(of: stores.plants) { _ = #expect(throws: SwiftDataError.self) { try context.save() } }
    #expect(try stores.pebbles() == ["p 8"])
    #expect(try stores.leaves() == ["l 0", "other 0"])
    #expect(pebble.weight == 8 && !pebble.hasChanges && leaf.isDeleted)
    try context.save()
    #expect(try stores.leaves() == ["other 9"])
    #expect(try stores.pebbles() == ["p 8"])
    #expect(other.size == 9 && !context.hasChanges)
    #expect(try ModelContext(stores.container).fetchCount(FetchDescriptor<PetalVein>()) == 0)
  }

  @Test("a rollback after a partial save discards only pending changes")
  func rollback() throws {
    let stores = try TwoStores()
    let context = ModelContext(stores.container)
    let (pebble, leaf) = (Pebble("p"), Petal("l"))
    context.insert(pebble)
    context.insert(leaf)
    stores.withFailure(of: stores.plants) { _ = #expect(throws: SwiftDataError.self) { try context.save() } }
    context.rollback()
    #expect(!context.hasChanges && pebble.modelContext === context && leaf.modelContext == nil)
    try context.save()
    #expect(try stores.pebbles() == ["p 0"])
    #expect(try stores.leaves() == [])
  }

  @Test("if the first store fails to commit, nothing is saved, and the save throws the store's error")
  func first() throws {
    let stores = try TwoStores()
    let context = ModelContext(stores.container)
    context.insert(Pebble("p"))
    context.insert(Petal("l"))
    let news = news(of: context) {
      for url in [stores.stones, stores.plants] { CommitFailures.begin(at: url) }
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      for url in [stores.stones, stores.plants] { CommitFailures.end(at: url) }
      #expect(error?.explanation?.contains("Not saved") == false)
    }
    #expect(news.isEmpty && context.insertedModelsArray.count == 2)
    try context.save()
    #expect(try stores.pebbles() == ["p 0"])
    #expect(try stores.leaves() == ["l 0"])
  }

  @Test("a reference to a row that another program deleted is detected before the first commit")
  func reference() throws {
    let stores = try TwoStores()
    let context = ModelContext(stores.container)
    // With the other conflict policies, the save would set the dangling reference to nil instead of throwing.
    context.conflictPolicy = .throwError
    let leaf = Petal("l")
    context.insert(leaf)
    try context.save()
    try PythonDatabase(stores.plants).run("DELETE FROM Petal")
    let vein = PetalVein()
    context.insert(vein)
    context.insert(Pebble("p"))
    vein.leaf = leaf
    let error = #expect(throws: SwiftDataError.conflictingChanges) { try context.save() }
    #expect(error?.explanation?.contains("Not saved") == false, "\(String(describing: error))")
    #expect(try stores.pebbles() == [])
    #expect(context.insertedModelsArray.count == 2)
    context.rollback()
    context.insert(Pebble("p"))
    try context.save()
    #expect(try stores.pebbles() == ["p 0"])
  }

  @Test("a dangling reference written by a trigger is detected before the first commit")
  func referenceOfTrigger() throws {
    let stores = try TwoStores()
    let context = ModelContext(stores.container)
    // The save does not know that this trigger writes a reference, so it cannot repair the reference.
    let plants = PythonDatabase(stores.plants)
    try plants.run(
      "CREATE TRIGGER bend AFTER INSERT ON PetalVein BEGIN "
        + "UPDATE PetalVein SET leaf = 99 WHERE _osd_key = NEW._osd_key; END")
    context.insert(Pebble("p"))
    context.insert(PetalVein())
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.explanation?.contains("refer to models that are not in the store") == true)
    #expect(error?.explanation?.contains("Not saved") == false, "\(String(describing: error))")
    #expect(try stores.pebbles() == [] && plants.run("SELECT * FROM PetalVein") == [])
    #expect(context.insertedModelsArray.count == 2)
    try plants.run("DROP TRIGGER bend")
    try context.save()
    #expect(try stores.pebbles() == ["p 0"] && plants.run("SELECT count(*) FROM PetalVein") == ["1"])
  }

  @Test("a reader that blocks the commit of a store without a write-ahead log is detected before the first commit")
  func reader() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try TwoStores.container(in: folder)
    let reader = try RawDatabase(folder.appending(path: "plants.store").path)
    #expect(try reader.column("PRAGMA journal_mode = DELETE") == ["delete"])
    try reader.run("BEGIN")
    _ = try reader.rows("SELECT * FROM Petal")
    let context = ModelContext(try TwoStores.container(in: folder))
    context.insert(Pebble("p"))
    context.insert(Petal("l"))
    let error = #expect(throws: SwiftDataError.storeBusy) { try context.save() }
    #expect(error?.explanation?.contains("Not saved") == false, "\(String(describing: error))")
    let stones = try RawDatabase(folder.appending(path: "stones.store").path)
    #expect(try stones.column("SELECT name FROM Pebble") == [] && context.insertedModelsArray.count == 2)
    try reader.run("COMMIT")
    try context.save()
    #expect(try stones.column("SELECT name FROM Pebble") == ["p"] && reader.column("SELECT name FROM Petal") == ["l"])
  }

  @Test(
    "a transaction is rolled back in stores that failed to commit, and saved in those that committed",
    arguments: [true, false])
  func transaction(_ isNested: Bool) throws {
    let stores = try TwoStores()
    let context = ModelContext(stores.container)
    let (pebble, leaf, pending) = (Pebble("p"), Petal("l"), Petal("pending"))
    context.insert(pebble)
    context.insert(leaf)
    try context.save()
    leaf.size = 1
    context.insert(pending)
    func work() throws {
      pebble.weight = 5
      leaf.size = 6
      context.insert(Pebble("q"))
      context.insert(Petal("m"))
      try context.save()
      pebble.weight = 7
    }
    let error = stores.withFailure(of: stores.plants) {
      #expect(throws: SwiftDataError.self) {
        try context.transaction { if isNested { try context.transaction(block: work) } else { try work() } }
      }
    }
    #expect(error?.explanation?.contains("Saved: \(stores.stones.path)") == true)
    #expect(try stores.pebbles() == ["p 7", "q 0"])
    #expect(try stores.leaves() == ["l 0"])
    #expect(pebble.weight == 7 && !pebble.hasChanges)
    // The second store has the unsaved changes from before the transaction again: one changed and one new object.
    #expect(leaf.size == 1 && leaf.hasChanges && context.insertedModelsArray.count == 1)
    #expect(try context.fetch(FetchDescriptor<Pebble>()).count == 2)
    try context.save()
    #expect(try stores.leaves() == ["l 1", "pending 0"])
    #expect(try stores.pebbles() == ["p 7", "q 0"])
  }

  @Test("other contexts are notified only of the changes that were saved")
  func otherContexts() throws {
    let stores = try TwoStores()
    let (context, other) = (ModelContext(stores.container), ModelContext(stores.container))
    context.insert(Pebble("p"))
    context.insert(Petal("l"))
    try context.save()
    let pebble = try #require(try other.fetch(FetchDescriptor<Pebble>()).first)
    let leaf = try #require(try other.fetch(FetchDescriptor<Petal>()).first)
    try #require(try context.fetch(FetchDescriptor<Pebble>()).first).weight = 2
    try #require(try context.fetch(FetchDescriptor<Petal>()).first).size = 2
    stores.withFailure(of: stores.plants) { _ = #expect(throws: SwiftDataError.self) { try context.save() } }
    _ = try other.fetchCount(FetchDescriptor<Pebble>())
    #expect(pebble.weight == 2 && leaf.size == 0)
    try context.save()
    _ = try other.fetchCount(FetchDescriptor<Petal>())
    #expect(leaf.size == 2)
  }

  @Test("a released context saves the changes of the stores that do not fail")
  func closing() throws {
    let stores = try TwoStores()
    stores.withFailure(of: stores.plants) {
      let context = ModelContext(stores.container)
      context.autosaveEnabled = true
      context.insert(Pebble("p"))
      context.insert(Petal("l"))
    }
    #expect(try stores.pebbles() == ["p 0"])
    #expect(try stores.leaves() == [])
  }

  @Test("a save reports the conflicts of the stores that committed, and the next save those of the other stores")
  func conflicts() throws {
    let stores = try TwoStores()
    let (here, there) = (ModelContext(stores.container), ModelContext(stores.container))
    let (pebble, leaf) = (Pebble("p"), Petal("l"))
    here.insert(pebble)
    here.insert(leaf)
    try here.save()
    try #require(try there.fetch(FetchDescriptor<Pebble>()).first).weight = 1
    try #require(try there.fetch(FetchDescriptor<Petal>()).first).size = 1
    try there.save()
    pebble.weight = 2
    leaf.size = 2
    stores.withFailure(of: stores.plants) { _ = #expect(throws: SwiftDataError.self) { try here.save() } }
    #expect(here.resolvedConflicts.map(\.entityName) == ["Pebble"])
    try here.save()
    #expect(here.resolvedConflicts.map(\.entityName) == ["Petal"])
    #expect(try stores.pebbles() == ["p 2"] && stores.leaves() == ["l 2"])
  }

  @Test("a relationship that loses a conflict keeps its value if its store failed to commit")
  func relationships() throws {
    let stores = try TwoStores()
    let (here, there) = (ModelContext(stores.container), ModelContext(stores.container))
    let (pebble, vein) = (Pebble("p"), PetalVein())
    let leaves = ["former", "ours", "theirs"].map { Petal($0) }
    here.insert(pebble)
    for leaf in leaves { here.insert(leaf) }
    here.insert(vein)
    vein.leaf = leaves[0]
    try here.save()
    let theirs = try #require(try there.fetch(FetchDescriptor<Petal>()).first { $0.name == "theirs" })
    try #require(try there.fetch(FetchDescriptor<PetalVein>()).first).leaf = theirs
    try there.save()
    here.conflictPolicy = .mergeByProperty(keeping: .theirs)
    pebble.weight = 2
    leaves[0].size = 5
    vein.leaf = leaves[1]
    stores.withFailure(of: stores.plants) { _ = #expect(throws: SwiftDataError.self) { try here.save() } }
    #expect(vein.leaf === leaves[1] && leaves[1].veins.map { $0 === vein } == [true])
    try here.save()
    #expect(vein.leaf === leaves[2] && leaves[1].veins.isEmpty && leaves[2].veins.map { $0 === vein } == [true])
  }

  @Test("a container distinguishes stores that have the same identifier, such as copies of one file")
  func oneIdentifier() throws {
    CommitFailures.install
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try TwoStores.container(in: folder)
    let (stones, plants) = (folder.appending(path: "stones.store"), folder.appending(path: "plants.store"))
    let sql = "SELECT value FROM _osd_metadata WHERE key = 'identifier'"
    let identifier = try #require(try RawDatabase(stones.path).column(sql).first)
    try RawDatabase(plants.path).run("UPDATE _osd_metadata SET value = '\(identifier)' WHERE key = 'identifier'")
    let container = try TwoStores.container(in: folder)
    let context = ModelContext(container)
    let (pebble, leaf) = (Pebble("p"), Petal("l"))
    context.insert(pebble)
    context.insert(leaf)
    let early = leaf.persistentModelID
    CommitFailures.begin(at: plants)
    #expect(throws: SwiftDataError.self) { try context.save() }
    CommitFailures.end(at: plants)
    #expect(pebble.persistentModelID.storeIdentifier == identifier && early.storeIdentifier == nil)
    try context.save()
    #expect(early.storeIdentifier == identifier && leaf.persistentModelID == early)
    let fresh = ModelContext(container)
    #expect((fresh.model(for: early) as? Petal)?.name == "l")
    #expect((fresh.model(for: pebble.persistentModelID) as? Pebble)?.name == "p")
  }
}
