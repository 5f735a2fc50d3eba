import SwiftData
import Testing

/// The state of objects when a test changes their relationships.
enum Stage: String, CaseIterable {
  case new, inserted, saved, fetched
}

/// An engine, and the state of objects.
struct Situation: CustomTestStringConvertible {
  let engine: Engine
  let stage: Stage

  var testDescription: String { "\(engine.testDescription), \(stage.rawValue) objects" }

  static let all = Engine.allCases.flatMap { engine in Stage.allCases.map { Situation(engine: engine, stage: $0) } }
}

/// Objects that have a given state before a test changes them, and that are checked again after a save.
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

  /// The object with a name: an object that the scene was created with, or else an object of the context.
  func find<T: Named>(_ name: String, _ type: T.Type = T.self) throws -> T {
    for case let object as T in objects where object.name == name { return object }
    return try context.one(name)
  }

  func find<T: Named>(_ names: [String], _ type: T.Type = T.self) throws -> [T] {
    try names.map { try find($0) }
  }

  /// Inserts the new objects, saves, reopens the store, and continues with a new context.
  func saveAndForget() throws {
    insertAll()
    try context.save()
    try store.reopen()
    forget()
  }

  /// Runs a block now, and again after a save, with objects that are read from the store.
  func nowAndLater(_ body: () throws -> Void) throws {
    try body()
    try saveAndForget()
    try body()
  }
}

extension ModelContext {
  /// The object with a name.
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
  /// Saves objects in a new context.
  func keep(_ models: any PersistentModel...) throws {
    let context = context()
    for model in models { context.insert(model) }
    try context.save()
  }
}

extension Sequence where Element: Named {
  var names: [String] { map(\.name) }
}

/// Objects whose names have one letter each.
func named<T: Named>(_ letters: String, _ make: (String) -> T) -> [T] {
  letters.map { make(String($0)) }
}

/// The letters of a text, as names.
func letters(_ text: String) -> [String] { text.map(String.init) }
