import SwiftData
import Testing

@Model final class Photo {
  var title: String
  @Attribute(.externalStorage) var image: Data?
  @Attribute(.externalStorage) var preview: Data = Data()
  /// The option has no effect on a text property: texts are always stored in the row.
  @Attribute(.externalStorage) var caption: String = "none"

  init(_ title: String, image: Data? = nil) {
    self.title = title
    self.image = image
  }
}

/// A model with the option `.externalStorage` on a constant and on a unique attribute.
@Model final class Scan {
  @Attribute(.externalStorage) let original: Data
  @Attribute(.unique, .externalStorage) var fingerprint: Data

  init(original: Data, fingerprint: Data) {
    self.original = original
    self.fingerprint = fingerprint
  }
}

extension Data {
  /// Data of 200,000 bytes by default, which the store puts into a file.
  static func large(_ fill: UInt8, count: Int = 200_000) -> Data { Data(repeating: fill, count: count) }
}

extension TestStore {
  /// The folder in which the store puts values that are too large for rows.
  var externalFolder: URL { URL(filePath: configuration.url.path + "_external") }

  /// The sorted names of the files in ``externalFolder``.
  func externalFiles() throws -> [String] {
    guard FileManager.default.fileExists(atPath: externalFolder.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: externalFolder.path).sorted()
  }

  /// Fetches the photo with this title in a new context.
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
