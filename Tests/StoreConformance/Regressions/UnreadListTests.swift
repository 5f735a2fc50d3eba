import ConformanceSupport
import SwiftData
import Testing

/// How a painter whose list of pictures is not loaded loses its row.
enum Unread: String, CaseIterable {
  /// The transaction that saved the painter is rolled back. Before that, a rollback within the transaction unloaded the
  /// list.
  case undone
  /// The transaction that saved the painter is rolled back. Before that, a conflict unloaded the list, because another
  /// context had deleted the painter's school.
  case undoneAfterConflict
  /// Another context deleted the painter's row.
  case deletedElsewhere
}

@Suite("Regressions: models that are inserted again while their list is not loaded")
struct UnreadListTests {
  private struct Scene {
    let store: TestStore
    let context: ModelContext
    let painter: Painter
  }

  /// A painter that has lost its row in the given way, and whose list of pictures is not loaded.
  private func scene(_ engine: Engine, _ unread: Unread, pictures: [Picture] = []) throws -> Scene {
    let store = try TestStore(engine, [Painter.self, Picture.self, School.self])
    let (context, other) = (store.context(), store.context())
    let painter = Painter("Ada")
    let school = School("Bauhaus")
    switch unread {
    case .undone, .undoneAfterConflict:
      context.insert(school)
      try context.save()
      if unread == .undoneAfterConflict { try other.delete(model: School.self) }
      try other.save()
      #expect(throws: Failure.self) {
        try context.transaction {
          context.insert(painter)
          if unread == .undoneAfterConflict { painter.school = school }
          painter.pictures = pictures
          try context.save()
          if unread == .undone {
            painter.name = "Eve"
            context.rollback()
          }
          throw Failure()
        }
      }
      return Scene(store: store, context: context, painter: painter)
    case .deletedElsewhere:
      other.insert(painter)
      try other.save()
      let found = try #require(try context.fetch(FetchDescriptor<Painter>()).first)
      other.delete(painter)
      try other.save()
      #expect(try context.fetchCount(FetchDescriptor<Painter>()) == 0 && found.isDeleted)
      return Scene(store: store, context: context, painter: found)
    }
  }

  @Test(
    "the list contains new models that refer to the model that was inserted again", arguments: Engine.allCases,
    Unread.allCases)
  func lists(_ engine: Engine, _ unread: Unread) throws {
    let scene = try scene(engine, unread)
    if unread == .deletedElsewhere { scene.context.insert(scene.painter) }
    scene.context.insert(Picture("Sea", painter: scene.painter))
    #expect(scene.painter.pictures.map(\.name) == ["Sea"])
    try scene.context.save()
    #expect(try scene.store.context().fetch(FetchDescriptor<Painter>()).map { $0.pictures.map(\.name) } == [["Sea"]])
  }

  @Test(
    "deleting the model before its save cascades to new models that refer to it", arguments: Engine.allCases,
    Unread.allCases)
  func cascades(_ engine: Engine, _ unread: Unread) throws {
    let scene = try scene(engine, unread)
    if unread == .deletedElsewhere { scene.context.insert(scene.painter) }
    let picture = Picture("Sea", painter: scene.painter)
    scene.context.insert(picture)
    scene.context.delete(scene.painter)
    #expect(scene.painter.modelContext == nil && picture.modelContext == nil)
    try scene.context.save()
    #expect(try scene.store.context().fetchCount(FetchDescriptor<Picture>()) == 0)
  }

  @Test(
    "the list keeps the members that a rolled-back transaction saved", arguments: Engine.allCases,
    [Unread.undone, .undoneAfterConflict])
  func members(_ engine: Engine, _ unread: Unread) throws {
    let scene = try scene(engine, unread, pictures: [Picture("Sea"), Picture("Sky")])
    #expect(scene.painter.pictures.map(\.name) == ["Sea", "Sky"])
    scene.context.insert(scene.painter)
    try scene.context.save()
    let stored = try scene.store.context().fetch(FetchDescriptor<Painter>())
    #expect(stored.map { $0.pictures.map(\.name) } == [["Sea", "Sky"]])
  }
}

@Model
final class Painter {
  var name: String
  var school: School?
  @Relationship(deleteRule: .cascade, inverse: \Picture.painter) var pictures: [Picture] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Picture {
  var name: String
  var painter: Painter?

  init(_ name: String, painter: Painter? = nil) {
    self.name = name
    self.painter = painter
  }
}

@Model
final class School {
  var name: String
  @Relationship(inverse: \Painter.school) var painters: [Painter] = []

  init(_ name: String) { self.name = name }
}
