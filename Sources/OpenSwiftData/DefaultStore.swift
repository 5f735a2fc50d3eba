import Foundation
import PersistenceCore
import SQLiteStore
import ValueEncryption

/// The store that a ``ModelConfiguration`` describes: a SQLite file, or SQLite in memory.
enum DefaultStore {
  /// Opens the engine of a configuration.
  static func open(_ configuration: ModelConfiguration, plan: SchemaPlan) throws -> any StoreEngine {
    // Before anything is made or opened: a store must not come into being that its key cannot open.
    let cipher = try ValueEncryption.cipher(for: plan.layouts, key: configuration.encryptionKey)
    try prepareFolder(of: configuration)
    return try SQLiteStoreEngine(
      configuration: SQLiteStoreConfiguration(configuration), entities: plan.layouts, schemaJSON: plan.json,
      mapping: plan.derived { SQLiteStoreEngine.mapping(of: plan.layouts) }, cipher: cipher,
      reconcile: { stored in try reconcile(stored, with: plan.schema, of: configuration) })
  }

  /// The program's own folder is made when it is first used; a folder that the caller names has to be there.
  private static func prepareFolder(of configuration: ModelConfiguration) throws {
    guard configuration.isInDefaultFolder, configuration.allowsSave else { return }
    let folder = configuration.url.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw SwiftDataError(
        .storeUnreachable, "the folder \(folder.path(percentEncoded: false)) for the store cannot be made",
        underlying: error)
    }
  }

  /// Accepts a store whose schema says the same in other words, and refuses any other.
  private static func reconcile(_ json: String, with schema: Schema, of configuration: ModelConfiguration) throws {
    let stored = try Schema.decoded(fromJSON: Data(json.utf8), source: configuration.url.path(percentEncoded: false))
    guard !stored.hasSameContent(as: schema) else { return }
    let differences = schema.differences(from: stored).map { "  \($0)" }.joined(separator: "\n")
    throw SwiftDataError(
      .unknownSchema,
      "the store \(configuration.url.path(percentEncoded: false)) was written with another schema:\n\(differences)\n"
        + "open it with the models that wrote it, or use another file")
  }

  /// A configuration of ours; a store of another kind cannot be opened yet.
  static func requireOwnConfiguration(_ configuration: any DataStoreConfiguration) throws -> ModelConfiguration {
    guard let own = configuration as? ModelConfiguration else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "the configuration '\(configuration.name)' is a \(type(of: configuration)); only ModelConfiguration can be opened"
      )
    }
    return own
  }
}

extension SQLiteStoreConfiguration {
  fileprivate init(_ configuration: ModelConfiguration) {
    self.init(
      location: configuration.isStoredInMemoryOnly ? .memory : .file(configuration.url),
      allowsSave: configuration.allowsSave, busyTimeout: configuration.busyTimeout,
      durability: configuration.durability == .powerFailure ? .full : .normal,
      slowStatementLog: configuration.slowStatementLog)
  }
}
