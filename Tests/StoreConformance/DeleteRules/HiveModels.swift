import SwiftData

let hiveModels: [any PersistentModel.Type] = [Apiary.self, Hive.self, Bee.self, Pantry.self, Bottle.self]

/// A model whose deletion also deletes its hives and their bees.
@Model
final class Apiary: Named {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Hive.apiary) var hives: [Hive] = []

  init(_ name: String, hives: [Hive] = []) {
    self.name = name
    self.hives = hives
  }
}

/// A model whose deletion also deletes its bees. Bees have no other relationship.
@Model
final class Hive: Named {
  var name: String
  var apiary: Apiary?
  @Relationship(deleteRule: .cascade, inverse: \Bee.hive) var bees: [Bee] = []

  init(_ name: String, bees: [Bee] = []) {
    self.name = name
    self.bees = bees
  }
}

@Model
final class Bee: Named {
  @Attribute(.preserveValueOnDeletion) var name: String
  var age: Int
  var hive: Hive?

  init(_ name: String, hive: Hive? = nil) {
    self.name = name
    self.age = 1
    self.hive = hive
  }
}

/// A model whose deletion also deletes its bottles. A bottle's name is unique.
@Model
final class Pantry: Named {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Bottle.pantry) var bottles: [Bottle] = []

  init(_ name: String, bottles: [Bottle] = []) {
    self.name = name
    self.bottles = bottles
  }
}

@Model
final class Bottle: Named {
  @Attribute(.unique) var name: String
  var pantry: Pantry?

  init(_ name: String) {
    self.name = name
  }
}

extension TestStore {
  /// Creates a store with two hives: north has the bees a, b and c, and south has the bees d and e.
  static func hives(_ engine: Engine, history: ModelConfiguration.History? = nil) throws -> TestStore {
    let store = try TestStore(engine, hiveModels, history: history)
    try store.keep(Hive("north", bees: named("abc") { Bee($0) }), Hive("south", bees: named("de") { Bee($0) }))
    return store
  }

  /// The names of the bees in the store.
  func bees() throws -> [String] { try context().names(of: Bee.self) }

  /// The identifiers of the bees with these names.
  func identifiers(of names: [String]) throws -> Set<PersistentIdentifier> {
    let bees = try context().fetch(FetchDescriptor<Bee>())
    return Set(bees.filter { names.contains($0.name) }.map(\.persistentModelID))
  }
}

extension ModelContext {
  /// Deletes a hive whose list of bees this context has not read.
  func deleteHive(_ name: String) throws {
    delete(try one(name, Hive.self))
  }

  /// Runs `block`, and returns the identifiers of deleted rows in the didSave notifications that this context posts
  /// meanwhile.
  func deletedIdentifiers(during block: () throws -> Void) rethrows -> [PersistentIdentifier] {
    let log = Log<PersistentIdentifier>()
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: self, queue: nil) {
      note in
      let deleted = note.userInfo?[ModelContext.NotificationKey.deletedIdentifiers.rawValue] as? [PersistentIdentifier]
      for identifier in deleted ?? [] { log.add(identifier) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try block()
    return log.entries
  }
}
