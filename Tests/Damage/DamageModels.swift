import ConformanceSupport
import SwiftData

/// The first version of a schema. Its columns change in the next version, so that opening the store migrates the rows.
enum LedgerV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Entry.self] }

  @Model final class Entry {
    var name: String
    var amount: Int
    @Attribute(.externalStorage) var scan: Data?
    init(_ name: String, _ amount: Int) { (self.name, self.amount) = (name, amount) }
  }
}

enum LedgerV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Entry.self] }

  @Model final class Entry {
    var name: String
    var amount: Double
    var token: UUID = UUID()
    var scan: Data?
    init(_ name: String, _ amount: Double) { (self.name, self.amount) = (name, amount) }
  }
}

@Model class Animal {
  var name: String
  init(_ name: String) { self.name = name }
}

@Model final class Dog: Animal {
  var tricks: [String] = []
  override init(_ name: String) { super.init(name) }
}

@Model final class Cat: Animal {
  var lives: Int = 9
  override init(_ name: String) { super.init(name) }
}

@Model final class Keeper {
  var name: String
  @Relationship(inverse: nil) var dog: Dog?
  @Attribute(.externalStorage) var portrait: Data?
  init(_ name: String) { self.name = name }
}

/// A store in a file that a test can damage. Each read or write opens the store in a new container.
final class DamagedFile {
  let folder: URL
  private let models: [any PersistentModel.Type]

  init(_ models: [any PersistentModel.Type]) throws {
    self.models = models
    folder = try TestStore.makeFolder()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var url: URL { folder.appending(path: "damaged.store") }

  func context(_ others: [any PersistentModel.Type]? = nil) throws -> ModelContext {
    let schema = Schema(others ?? models)
    return ModelContext(
      try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: url)]))
  }

  func fill(_ body: (ModelContext) -> Void) throws {
    let context = try context()
    body(context)
    try context.save()
  }

  func damage(_ statements: String...) throws {
    let raw = try RawDatabase(url.path)
    for statement in statements { try raw.run(statement) }
  }

  /// Changes the schema that the store records as JSON in its metadata table.
  func damageSchema(_ body: (inout [[String: Any]]) -> Void) throws {
    let text = try RawDatabase(url.path).column("SELECT value FROM _osd_metadata WHERE key = 'schema'")[0]
    var schema = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    var entities = schema["entities"] as? [[String: Any]] ?? []
    body(&entities)
    schema["entities"] = entities
    let json = String(decoding: try JSONSerialization.data(withJSONObject: schema), as: UTF8.self)
    try damage("UPDATE _osd_metadata SET value = '\(json.replacing("'", with: "''"))' WHERE key = 'schema'")
  }
}
