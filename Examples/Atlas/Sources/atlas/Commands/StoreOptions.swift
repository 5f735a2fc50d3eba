import ArgumentParser
import SwiftData

/// The location of the atlas's store.
struct StoreOptions: ParsableArguments {
  @Option(help: "The file of the store (default: a folder of your own, such as ~/.local/share/atlas).")
  var store: String?

  /// Opens the store, and creates it if it does not exist.
  func open() throws -> ModelContainer {
    try ModelContainer(for: Country.self, TimeZone.self, configurations: configuration(allowsSave: true))
  }

  /// Opens an existing store, read-only.
  func openToRead() throws -> ModelContainer {
    guard FileManager.default.fileExists(atPath: path) else { throw AtlasError.nothingImported(store: path) }
    return try ModelContainer(for: Country.self, TimeZone.self, configurations: configuration(allowsSave: false))
  }

  /// The path of the store's file.
  var path: String { configuration(allowsSave: true).url.path(percentEncoded: false) }

  private func configuration(allowsSave: Bool) -> ModelConfiguration {
    guard let store else { return ModelConfiguration("atlas", allowsSave: allowsSave) }
    return ModelConfiguration(url: URL(filePath: store), allowsSave: allowsSave)
  }
}
