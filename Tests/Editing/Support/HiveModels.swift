import ConformanceSupport
import Foundation
import SwiftData
import Testing

/// A model with a list of hives. The deletion of a hive changes the list.
@Model
final class Keeper {
  var name: String
  @Relationship(inverse: \Hive.keeper) var hives: [Hive] = []

  init(_ name: String) { self.name = name }
}

/// A model whose deletion also deletes its bees. Bees have no other relationship.
@Model
final class Hive {
  var name: String
  var keeper: Keeper?
  @Relationship(deleteRule: .cascade, inverse: \Bee.hive) var bees: [Bee] = []

  init(_ name: String, bees: [Bee] = []) {
    self.name = name
    self.bees = bees
  }
}

@Model
final class Bee {
  var name: String
  var age = 1
  var hive: Hive?

  init(_ name: String) { self.name = name }
}

/// A model without relationships.
@Model
final class Flower {
  var name: String

  init(_ name: String) { self.name = name }
}

/// A model with a value that runs code of a test when a save writes it.
@Model
final class Notice {
  @Attribute(.codable) var hook: EncodingHook

  init() { hook = EncodingHook(1) }
}

/// A value that runs code of a test when it is encoded.
struct EncodingHook: Codable, Equatable {
  @TaskLocal private static var onEncode: (@Sendable () -> Void)?

  let number: Int

  init(_ number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    Self.onEncode?()
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  /// Runs `code` once: when the first value is encoded while `body` runs.
  static func run(_ code: @escaping @Sendable () throws -> Void, during body: () throws -> Void) throws {
    let (isRun, errors) = (Flag(), Log<String>())
    let once: @Sendable () -> Void = {
      guard !isRun.isRaised else { return }
      isRun.raise()
      do { try code() } catch { errors.add("\(error)") }
    }
    try $onEncode.withValue(once, operation: body)
    #expect(isRun.isRaised)
    #expect(errors.entries == [])
  }
}

let hiveModels: [any PersistentModel.Type] = [Keeper.self, Hive.self, Bee.self, Flower.self]
let noticeModels: [any PersistentModel.Type] = [Notice.self]

extension TestStore {
  /// Creates a store with one keeper and the hives a and b. Hive a has the bees a0, a1 and a2, and hive b likewise.
  static func hives(_ engine: Engine, keepsHistory: Bool) throws -> TestStore {
    let history: ModelConfiguration.History = keepsHistory ? .standard : .off
    let store = try TestStore(engine, noticeModels + hiveModels, history: history)
    try store.context().insertHives()
    return store
  }

  /// The names of the stored bees.
  func bees() throws -> [String] { try context().beeNames() }

  /// The names of the stored hives.
  func hives() throws -> [String] { try context().fetch(FetchDescriptor<Hive>()).map(\.name).sorted() }
}

extension ModelContext {
  /// Saves one keeper with the hives a and b, each with three bees.
  func insertHives() throws {
    let keeper = Keeper("Ada")
    insert(keeper)
    for name in ["a", "b"] {
      let hive = Hive(name, bees: (0..<3).map { Bee("\(name)\($0)") })
      insert(hive)
      hive.keeper = keeper
    }
    try save()
  }

  func hive(_ name: String) throws -> Hive {
    try #require(try fetch(FetchDescriptor<Hive>(predicate: #Predicate { $0.name == name })).first)
  }

  func bee(_ name: String) throws -> Bee {
    try #require(try fetch(FetchDescriptor<Bee>(predicate: #Predicate { $0.name == name })).first)
  }

  /// The names of the bees that a fetch returns.
  func beeNames() throws -> [String] { try fetch(FetchDescriptor<Bee>()).map(\.name).sorted() }

  /// Moves the bee to the hive and saves.
  func move(_ bee: String, to hive: String) throws {
    try self.bee(bee).hive = try self.hive(hive)
    try save()
  }

  /// Runs `body`, and returns the identifiers of deleted rows in the didSave notifications that this context posts
  /// meanwhile.
  func deletedIdentifiers(during body: () throws -> Void) rethrows -> [PersistentIdentifier] {
    let log = Log<PersistentIdentifier>()
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: self, queue: nil) {
      note in
      let deleted = note.userInfo?[ModelContext.NotificationKey.deletedIdentifiers.rawValue] as? [PersistentIdentifier]
      for identifier in deleted ?? [] { log.add(identifier) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try body()
    return log.entries
  }
}
