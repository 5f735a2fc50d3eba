import Foundation
import JSONStore
import SwiftData
import Testing

/// The engines that have to behave alike.
package enum Engine: String, CaseIterable, CustomTestStringConvertible {
  case file, memory
  /// A store in memory that behaves as one beyond a network does; see ``RemoteEngine``.
  case remote
  /// The example of a store of a program. Scripts/test-json-store runs what it can do, and nothing else does.
  case json

  /// Whether this run is about the store of a program.
  private static let isOfProgram = ProcessInfo.processInfo.environment["OSD_ENGINE"] == "json"

  package static var allCases: [Engine] { isOfProgram ? [.json] : [.file, .memory, .remote] }

  /// The engines as programs have them, for suites that are about SQLite or make containers of their own.
  package static var sqlite: [Engine] { isOfProgram ? [] : [.file, .memory] }

  /// The engines of a random suite: all in a soak, and those of SQLite in an ordinary run, which would take too long.
  package static var randomCases: [Engine] { RandomTesting.soak > 1 ? allCases : sqlite }

  /// Opens a store with the engine.
  ///
  /// - Parameter link: The connection of a remote engine.
  package func container(
    for schema: Schema, _ configuration: ModelConfiguration, link: RemoteLink = RemoteLink()
  ) throws -> ModelContainer {
    switch self {
    case .file, .memory: return try ModelContainer(for: schema, configurations: [configuration])
    case .remote: return try ModelContainer(for: schema, engines: [RemoteConfiguration(configuration, link: link)])
    case .json:
      let store = JSONStoreConfiguration(folder: configuration.url.deletingPathExtension())
      return try ModelContainer(for: schema, configurations: [store] as [any DataStoreConfiguration])
    }
  }

  package var testDescription: String {
    switch self {
    case .file: "a store in a file"
    case .memory: "a store in memory"
    case .remote: "a store like a remote one"
    case .json: "a store in JSON files"
    }
  }
}
