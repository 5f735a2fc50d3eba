import SwiftData

/// The description of a store that keeps each entity in a JSON file.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self, configurations: JSONStoreConfiguration(folder: folder))
/// ```
public struct JSONStoreConfiguration: DataStoreConfiguration {
  public typealias Store = JSONStore

  public var name: String
  /// The container sets it, if it is nil, before it creates the store.
  public var schema: Schema?
  /// The folder of the files. It is created if it does not exist.
  public var folder: URL

  public init(_ name: String = "json", schema: Schema? = nil, folder: URL) {
    self.name = name
    self.schema = schema
    self.folder = folder
  }

  /// The container calls it before it creates the store.
  public func validate() throws {
    guard folder.isFileURL else { throw JSONStoreError.noFolder(folder) }
  }
}

/// The errors of the files of a store.
public enum JSONStoreError: Error, CustomStringConvertible {
  case noFolder(URL)
  case unreadable(file: URL, reason: any Error)
  case duplicate(PersistentIdentifier, file: URL)
  case missing(PersistentIdentifier)

  public var description: String {
    switch self {
    case .noFolder(let url): "\(url) is not the URL of a folder"
    case .unreadable(let file, let reason): "\(file.path) cannot be read: \(reason)"
    case .duplicate(let identifier, let file): "\(file.path) has \(identifier) twice"
    case .missing(let identifier): "there is no \(identifier) to be changed: another program may have deleted it"
    }
  }
}
