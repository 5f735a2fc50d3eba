import SwiftData
import Testing

enum Mood: String, Codable, CaseIterable {
  case calm, wild
}

/// A model with an encrypted property for each kind of value.
@Model final class Diary {
  var title: String
  @Attribute(.encrypt) var body: String
  @Attribute(.encrypt) var note: String?
  @Attribute(.encrypt) var count: Int = 0
  @Attribute(.encrypt) var large: UInt64 = .max
  @Attribute(.encrypt) var weight: Double = 0
  @Attribute(.encrypt) var day: Date = Date(timeIntervalSinceReferenceDate: 0)
  @Attribute(.encrypt) var isRead: Bool?
  @Attribute(.encrypt) var mood: Mood = Mood.calm
  @Attribute(.encrypt) var otherMood: Mood?
  @Attribute(.encrypt) var tags: [String] = []
  @Attribute(.encrypt) var interval: Interval?
  @Attribute(.encrypt) var price: Decimal = 0
  @Attribute(.encrypt) var link: URL?
  @Attribute(.encrypt) var number: UUID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  @Attribute(.encrypt) var bytes: Data = Data()
  @Attribute(.encrypt, .externalStorage) var picture: Data?
  @Attribute(.encrypt) let origin: String

  init(_ title: String, body: String, origin: String = "") {
    self.title = title
    self.body = body
    self.origin = origin
  }
}

/// A second entity that also has an encrypted property `body`. An encrypted value of one entity must not be readable in
/// the other.
@Model final class CipherLedger {
  @Attribute(.encrypt) var body: String
  @Relationship var diary: Diary?

  init(body: String) { self.body = body }
}

/// A model that declares encryption in the syntax of the first beta, `@Attribute([.encrypt], …)`.
@available(*, deprecated, message: "tests what is deprecated")
@Model final class FirstNote {
  @Attribute([.encrypt], originalName: nil, hashModifier: nil) var body: String = ""

  init() {}
}

/// A store with encrypted attributes, in a folder of its own.
final class SealedStore {
  let key: ModelConfiguration.EncryptionKey
  let folder: URL
  let schema = Schema([Diary.self, CipherLedger.self])
  let engine: Engine
  private var open: ModelContainer?

  init(_ engine: Engine = .file) throws {
    key = ModelConfiguration.EncryptionKey()
    folder = try TestStore.makeFolder()
    self.engine = engine
    open = try container(key)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var url: URL { folder.appending(path: "sealed.store") }

  func container(_ key: ModelConfiguration.EncryptionKey?) throws -> ModelContainer {
    var configuration =
      engine == .file
      ? ModelConfiguration(schema: schema, url: url) : ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    configuration.encryptionKey = key
    return try engine.container(for: schema, configuration)
  }

  func context() throws -> ModelContext {
    let container = try open ?? container(key)
    open = container
    return ModelContext(container)
  }

  func close() { open = nil }

  /// The bytes of all files in the store's folder.
  func bytes() throws -> Data {
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    return files.compactMap { $0 as? URL }.reduce(into: Data()) { $0 += (try? Data(contentsOf: $1)) ?? Data() }
  }

  /// Runs a statement in Python's SQLite module, without the library, and returns the rows.
  @discardableResult
  func run(_ statement: String) throws -> [String] { try PythonDatabase(url).run(statement) }
}
