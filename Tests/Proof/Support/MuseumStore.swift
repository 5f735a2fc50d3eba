import ConformanceSupport
import SwiftData
import Testing

/// A store of a museum in a folder of its own, which is removed with it. Between two calls it is closed, unless the test
/// keeps a container.
final class MuseumStore {
  let folder: URL
  let url: URL
  private let key: ModelConfiguration.EncryptionKey
  /// What was made, as the objects have it that were saved.
  private(set) var made: Contents?

  /// A store with all that the models can have.
  init() throws {
    key = ModelConfiguration.EncryptionKey()
    folder = try TestStore.makeFolder()
    url = folder.appending(path: "museum.db")
    let context = ModelContext(try container())
    try Collection(context).fill()
    try context.save()
    made = try Contents(context)
  }

  /// A copy that another program made of a store, with the folder of large values.
  init(_ file: URL, of store: MuseumStore) throws {
    (folder, url, key) = (try TestStore.makeFolder(), file, store.key)
    try FileManager.default.copyItem(at: store.externalFolder, to: externalFolder)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var path: String { url.path }
  var externalFolder: URL { URL(filePath: url.path + "_external") }

  func container() throws -> ModelContainer {
    let schema = Schema(Museum.models)
    var configuration = ModelConfiguration(schema: schema, url: url)
    #if Encryption
      configuration.encryptionKey = key
    #endif
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  /// What the library reads.
  func contents() throws -> Contents { try Contents(ModelContext(try container())) }

  func change(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(try container())
    try body(context)
    try context.save()
  }

  func check(repairing: Bool = false) async throws -> [ModelContainer.StoreProblem] {
    try await container().check(repairing: repairing)
  }
}
