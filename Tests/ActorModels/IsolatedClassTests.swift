import SwiftData
import Testing

@globalActor actor StoreActor {
  static let shared = StoreActor()
}

@globalActor actor Cellar {
  static let shared = Cellar()
}

@Model
@StoreActor
final class Entity {
  #Index<Entity>([\.name], [\.name, \.count])
  #Unique<Entity>([\.name])
  var name: String
  var count: Int = 0
  let made: Date
  @Relationship(deleteRule: .cascade, inverse: \Part.entity) var parts: [Part] = []

  init(_ name: String, made: Date = .distantPast) {
    self.name = name
    self.made = made
  }
}

@Model
@StoreActor
class Part {
  var label: String
  var entity: Entity?

  init(_ label: String) {
    self.label = label
  }
}

@Model(isolatedTo: Cellar.self)
@Cellar
final class Bottle {
  var year: Int

  init(_ year: Int) {
    self.year = year
  }
}

@Model
@MainActor
final class Screen {
  var title: String
  var subtitle: String?

  init(_ title: String) {
    self.title = title
  }
}

/// A class of the same actor as its model, with a context and the model as properties.
@StoreActor
final class EntityController {
  private let context: ModelContext
  private var entity: Entity?

  init(_ container: ModelContainer) {
    context = ModelContext(container)
  }

  func configure(_ name: String) throws {
    let entity = Entity(name)
    context.insert(entity)
    try context.save()
    self.entity = entity
  }

  func rename(_ name: String) throws {
    entity?.name = name
    try context.save()
  }

  func names(_ descriptor: FetchDescriptor<Entity>) throws -> [String] {
    try context.fetch(descriptor).map(\.name)
  }

  func create() throws -> Entity {
    let entity = Entity("made")
    entity.parts = [Part("a"), Part("b")]
    context.insert(entity)
    try context.save()
    return entity
  }

  func delete(_ entity: Entity) throws {
    context.delete(entity)
    try context.save()
  }

  func count(_ label: String) throws -> Int {
    try context.fetchCount(FetchDescriptor<Part>(predicate: #Predicate { $0._entity?._name == label }))
  }
}

@Suite("Classes that are isolated to a global actor")
struct IsolatedClassTests {
  private let models: [any PersistentModel.Type] = [Entity.self, Part.self, Bottle.self, Screen.self]

  @Test("code of the actor uses models synchronously; other code uses await", arguments: Engine.allCases)
  func controller(_ engine: Engine) async throws {
    let store = try TestStore(engine, models)
    let controller = await EntityController(store.container)
    try await controller.configure("first")
    try await controller.rename("second")
    #expect(try await controller.names(FetchDescriptor()) == ["second"])
    let other = await EntityController(store.container)
    #expect(try await other.names(FetchDescriptor()) == ["second"])
  }

  @Test("a model may be passed to code of any isolation, which reads it with await", arguments: Engine.allCases)
  func passing(_ engine: Engine) async throws {
    let store = try TestStore(engine, models)
    let controller = await EntityController(store.container)
    let entity = try await controller.create()
    #expect(await entity.name == "made")
    #expect(await entity.parts.count == 2)
    #expect(entity.made == .distantPast)
    await Task.detached { @StoreActor in entity.count = 3 }.value
    #expect(await entity.hasChanges)
    #expect(await entity.count == 3)
    #expect(try await controller.count("made") == 2)
    try await controller.delete(entity)
    #expect(try await controller.count("made") == 0)
  }

  @Test("predicates and sort descriptors can use isolated properties", arguments: Engine.allCases)
  func queries(_ engine: Engine) async throws {
    let store = try TestStore(engine, models)
    let controller = await EntityController(store.container)
    for name in ["a", "b", "c"] { try await controller.configure(name) }
    let descriptor = FetchDescriptor<Entity>(
      predicate: #Predicate { $0._name != "b" && $0._parts.isEmpty }, sortBy: [SortDescriptor(\._name, order: .reverse)]
    )
    #expect(try await controller.names(descriptor) == ["c", "a"])
  }

  @Test("the schema contains the indexes and uniqueness constraints of isolated classes", arguments: Engine.allCases)
  func rules(_ engine: Engine) async throws {
    let entity = try #require(Schema([Entity.self, Part.self]).entity(for: Entity.self))
    #expect(entity.uniquenessConstraints == [["name"]])
    #expect(entity.indices.count == 2)
    let store = try TestStore(engine, models)
    let controller = await EntityController(store.container)
    try await controller.configure("same")
    try await controller.configure("same")
    #expect(try await controller.names(FetchDescriptor()) == ["same"])
  }

  @Test("the macro accepts a global actor of any name", arguments: Engine.allCases)
  @Cellar func anyName(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let context = store.context()
    context.insert(Bottle(1990))
    context.insert(Bottle(2001))
    try context.save()
    let old = try store.context().fetch(FetchDescriptor<Bottle>(predicate: #Predicate { $0._year < 2000 }))
    #expect(old.map(\.year) == [1990])
  }

  @Test(
    "models of the main actor belong to the main context and are observed on the main actor",
    arguments: Engine.allCases)
  @MainActor func mainActor(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let context = store.container.mainContext
    let screen = Screen("title")
    context.insert(screen)
    try context.save()
    let flag = changeFlag { _ = screen.subtitle }
    screen.title = "other"
    #expect(!flag.isRaised)
    screen.subtitle = "sub"
    #expect(flag.isRaised)
    try context.save()
    let found = try store.context().fetch(
      FetchDescriptor<Screen>(predicate: #Predicate { $0._subtitle == "sub" }, sortBy: [SortDescriptor(\._subtitle)]))
    #expect(found.map(\.title) == ["other"])
  }
}
