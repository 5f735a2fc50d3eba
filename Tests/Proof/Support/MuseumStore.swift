import ConformanceSupport
import SwiftData
import Testing

/// The store of a museum in its own folder. Deinitialising this object deletes the folder. The store is closed between
/// calls, unless the test keeps a container.
final class MuseumStore {
  let folder: URL
  let url: URL
  private let key: ModelConfiguration.EncryptionKey
  /// The initial content, read from the objects that were saved; nil for a copy.
  private(set) var made: Contents?

  /// Creates a store that contains values of each kind.
  init() throws {
    key = ModelConfiguration.EncryptionKey()
    folder = try TestStore.makeFolder()
    url = folder.appending(path: "museum.db")
    let context = ModelContext(try container())
    try Collection(context).fill()
    try context.save()
    made = try Contents(context)
  }

  /// A store file that another program has made from `store`, with a copy of the folder of external values.
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

  /// Reads the content with the library.
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
