import ConformanceSupport
import Foundation

/// The files beside a store. They contain the payloads that are too large for their rows.
enum ExternalFiles {
  /// The problems of these files once the store has been opened: files to which no row refers, and rows whose files are
  /// missing or have the wrong size.
  static func problems(of path: String) throws -> [String] {
    let references = try RawDatabase(path).column("SELECT payload FROM Item WHERE typeof(payload) = 'text'")
    let folder = path + "_external"
    let names =
      FileManager.default.fileExists(atPath: folder) ? try FileManager.default.contentsOfDirectory(atPath: folder) : []
    let files = try names.map { name in
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      return "\(name):\(attributes[.size] as? Int ?? -1)"
    }
    return Set(files).subtracting(references).map { "no row refers to \($0)" }
      + Set(references).subtracting(files).map { "a row refers to \($0), which is not there" }
      + (Set(references).count == references.count ? [] : ["two rows share a file"])
  }
}
