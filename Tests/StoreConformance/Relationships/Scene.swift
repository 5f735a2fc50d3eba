import SwiftData
import Testing

/// The state of the objects when a test changes their relationships. `saved` objects were saved by the same context;
/// `fetched` objects are fetched by a new one.
enum Stage: String, CaseIterable {
  case new, inserted, saved, fetched
}

/// A test's argument: an engine, and the state of the objects.
struct Situation: CustomTestStringConvertible {
  let engine: Engine
  let stage: Stage

  var testDescription: String { "\(engine.testDescription), \(stage.rawValue) objects" }

  static let all = Engine.allCases.flatMap { engine in Stage.allCases.map { Situation(engine: engine, stage: $0) } }
}

/// Objects in a given state, whose relationships a test changes and checks, before and after a save.
final class Scene {
  let store: TestStore
  private(set) var context: ModelContext
  private var objects: [any Named]

  init(_ engine: Engine, _ stage: Stage = .fetched, _ objects: [any Named]) throws {
    store = try TestStore(engine, graphModels)
    context = store.context()
    self.objects = objects
    guard stage != .new else { return }
    insertAll()
    guard stage != .inserted else { return }
    try context.save()
    if stage == .fetched { forget() }
  }

  convenience init(_ situation: Situation, _ objects: [any Named]) throws {
    try self.init(situation.engine, situation.stage, objects)
  }

  private func insertAll() {
    for object in objects { context.insert(object) }
  }

  private func forget() {
    objects = []
    context = store.context()
  }

  /// The object with this name. If the scene retains no such object, the context fetches it.
  func find<T: Named>(_ name: String, _ type: T.Type = T.self) throws -> T {
    for case let object as T in objects where object.name == name { return object }
    return try context.one(name)
  }

  func find<T: Named>(_ names: [String], _ type: T.Type = T.self) throws -> [T] {
    try names.map { try find($0) }
  }

  /// Inserts the new objects, saves, reopens the store, and replaces the context by a new one that has no objects yet.
  func saveAndForget() throws {
    insertAll()
    try context.save()
    try store.reopen()
    forget()
  }

  /// Runs `body`, saves, and runs `body` again with objects that a new context reads from the reopened store.
  func nowAndLater(_ body: () throws -> Void) throws {
    try body()
    try saveAndForget()
    try body()
  }
}

extension ModelContext {
  /// Fetches the only object of the type with this name.
  func one<T: Named>(_ name: String, _ type: T.Type = T.self) throws -> T {
    let found = try fetch(FetchDescriptor<T>()).filter { $0.name == name }
    try #require(found.count == 1, "there are \(found.count) \(T.self) '\(name)'")
    return found[0]
  }

  /// The names of all objects of a type, in alphabetical order.
  func names<T: Named>(of type: T.Type) throws -> [String] {
    try fetch(FetchDescriptor<T>()).map(\.name).sorted()
  }

  func insertAll(_ models: any PersistentModel...) {
    for model in models { insert(model) }
  }
}

extension TestStore {
  /// Inserts the models into a new context and saves.
  func keep(_ models: any PersistentModel...) throws {
    let context = context()
    for model in models { context.insert(model) }
    try context.save()
  }
}

extension Sequence where Element: Named {
  var names: [String] { map(\.name) }
}

/// Creates one object for each letter, and names the object by the letter.
func named<T: Named>(_ letters: String, _ make: (String) -> T) -> [T] {
  letters.map { make(String($0)) }
}

/// The letters of a text, each as a name.
func letters(_ text: String) -> [String] { text.map(String.init) }
