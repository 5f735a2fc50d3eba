import ConformanceSupport
import SwiftData
import Testing

@Model
private final class Tag {
  @Attribute(.unique) var name: String
  var count: Int

  init(_ name: String, count: Int = 0) {
    self.name = name
    self.count = count
  }
}

@Suite("Identifiers of new models that a save merges into one row, because of a unique value")
struct MergedIdentityTests {
  private struct Scene {
    let store: TestStore
    let context: ModelContext
    let tags: [Tag]
    /// The identifiers of the new models, read before the save.
    let early: [PersistentIdentifier]
  }

  /// Inserts three new models with the same unique value, and one model with another value.
  private func scene(_ engine: Engine) throws -> Scene {
    let store = try TestStore(engine, [Tag.self])
    let context = store.context()
    let tags = [Tag("a", count: 1), Tag("a", count: 2), Tag("b"), Tag("a", count: 3)]
    for tag in tags { context.insert(tag) }
    return Scene(store: store, context: context, tags: tags, early: tags.map(\.persistentModelID))
  }

  @Test(
    "after the save, the merged models and their identifiers are equal and have equal hashes",
    arguments: Engine.allCases)
  func equality(_ engine: Engine) throws {
    let scene = try scene(engine)
    #expect(Set(scene.early).count == 4)
    try scene.context.save()
    let late = scene.tags.map(\.persistentModelID)
    #expect(late[0] == late[1] && late[1] == late[3] && late[0] != late[2])
    #expect(late[0].hashValue == late[1].hashValue && late[0].hashValue == late[3].hashValue)
    #expect(Set(late).count == 2)
    #expect(scene.tags[0] == scene.tags[1] && Set(scene.tags).count == 2)
    let fetched = try scene.store.context().fetch(FetchDescriptor<Tag>()).map(\.persistentModelID)
    #expect(Set(fetched) == Set(late))
  }

  @Test(
    "identifiers from before the save stay members of collections, and look-ups by them find the merged row",
    arguments: Engine.allCases)
  func collections(_ engine: Engine) throws {
    let scene = try scene(engine)
    let known = Dictionary(uniqueKeysWithValues: scene.early.enumerated().map { ($1, $0) })
    let hashes = scene.early.map(\.hashValue)
    try scene.context.save()
    #expect(scene.early.map(\.hashValue) == hashes)
    for (place, identifier) in scene.early.enumerated() {
      #expect(known[identifier] == place)
      #expect(!identifier.isTemporary)
      #expect(scene.context[identifier, as: Tag.self]?.name == scene.tags[place].name)
      let elsewhere: Tag = try scene.store.context().existingModel(for: identifier)
      #expect(elsewhere.persistentModelID == scene.tags[place].persistentModelID)
    }
    // The identifier of the model for which the save inserted the row stays equal to that model's identifier.
    #expect(scene.early[0] == scene.tags[0].persistentModelID)
    #expect(scene.early[2] == scene.tags[2].persistentModelID)
    #expect(Set(scene.early).count == 4)
  }

  @Test(
    "equal identifiers have equal hashes, regardless of the order in which they were read and saved",
    arguments: Engine.allCases)
  func contract(_ engine: Engine) throws {
    let scene = try scene(engine)
    var all = scene.early
    try scene.context.save()
    all += scene.tags.map(\.persistentModelID)
    all += try scene.store.context().fetch(FetchDescriptor<Tag>()).map(\.persistentModelID)
    let again = Tag("a", count: 9)
    scene.context.insert(again)
    all.append(again.persistentModelID)
    try scene.context.save()
    all.append(again.persistentModelID)
    all += try scene.store.context().fetchIdentifiers(FetchDescriptor<Tag>())
    for first in all {
      for second in all where first == second { #expect(first.hashValue == second.hashValue) }
    }
    #expect(again.persistentModelID == scene.tags[0].persistentModelID)
  }

  @Test(
    "after a rollback of the transaction that merged the models, their identifiers differ again",
    arguments: Engine.allCases)
  func undone(_ engine: Engine) throws {
    let store = try TestStore(engine, [Tag.self])
    let context = store.context()
    let tags = [Tag("a"), Tag("a")]
    var early: [PersistentIdentifier] = []
    #expect(throws: Failure.self) {
      try context.transaction {
        for tag in tags { context.insert(tag) }
        early = tags.map(\.persistentModelID)
        try context.save()
        #expect(tags[0].persistentModelID == tags[1].persistentModelID)
        throw Failure()
      }
    }
    #expect(tags.map(\.persistentModelID) == early)
    #expect(early[0] != early[1] && early.allSatisfy(\.isTemporary))
  }
}
