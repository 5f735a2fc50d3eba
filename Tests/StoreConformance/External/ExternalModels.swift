import SwiftData
import Testing

@Model final class Photo {
  var title: String
  @Attribute(.externalStorage) var image: Data?
  @Attribute(.externalStorage) var preview: Data = Data()
  /// The option is a hint that has no effect on text.
  @Attribute(.externalStorage) var caption: String = "none"

  init(_ title: String, image: Data? = nil) {
    self.title = title
    self.image = image
  }
}

/// Data in a constant and in a unique attribute.
@Model final class Scan {
  @Attribute(.externalStorage) let original: Data
  @Attribute(.unique, .externalStorage) var fingerprint: Data

  init(original: Data, fingerprint: Data) {
    self.original = original
    self.fingerprint = fingerprint
  }
}

extension Data {
  /// Data that is too large to be stored in a row.
  static func large(_ fill: UInt8, count: Int = 200_000) -> Data { Data(repeating: fill, count: count) }
}

extension TestStore {
  /// The folder of values that are too large for rows.
  var externalFolder: URL { URL(filePath: configuration.url.path + "_external") }

  /// The names of the files in that folder.
  func externalFiles() throws -> [String] {
    guard FileManager.default.fileExists(atPath: externalFolder.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: externalFolder.path).sorted()
  }

  /// The photo that a new context fetches.
  func storedPhoto(_ title: String = "a") throws -> Photo {
    try context().photo(title)
  }

  static func ofPhotos(_ engine: Engine, image: Data? = nil) throws -> TestStore {
    let store = try TestStore(engine, [Photo.self])
    let context = store.context()
    context.insert(Photo("a", image: image))
    try context.save()
    return store
  }
}

extension ModelContext {
  func photo(_ title: String = "a") throws -> Photo {
    try #require(try fetch(FetchDescriptor<Photo>(predicate: #Predicate { $0.title == title })).first)
  }
}
