import Foundation
import SQLiteStore

/// A folder for the files of one test. Deinitialising this object deletes the folder.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "osd-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  func file(_ name: String = "store.sqlite") -> URL {
    url.appending(path: name, directoryHint: .notDirectory)
  }

  func configuration(_ name: String = "store.sqlite", timeout: Duration = .seconds(5)) -> SQLiteStoreConfiguration {
    SQLiteStoreConfiguration(location: .file(file(name)), busyTimeout: timeout)
  }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }
}
