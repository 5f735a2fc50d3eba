import PersistenceCore
import SwiftData

/// The store of one test. It is deleted when this object is released.
package final class TestStore {
  package let engine: Engine
  package let schema: Schema
  /// The simulated connection of a remote engine. Other engines do not use it.
  package let link: RemoteLink
  private let uniquenessPolicy: ModelConfiguration.UniquenessPolicy
  private let history: ModelConfiguration.History?
  private let folder: URL
  private var open: ModelContainer?

  /// - Parameter history: The history of the store; nil for the default of `ModelConfiguration`.
  package init(
    _ engine: Engine, _ models: [any PersistentModel.Type],
    uniquenessPolicy: ModelConfiguration.UniquenessPolicy = .updateExisting, link: RemoteLink = RemoteLink(),
    history: ModelConfiguration.History? = nil
  ) throws {
    self.history = history
    self.engine = engine
    self.link = link
    self.uniquenessPolicy = uniquenessPolicy
    schema = Schema(models)
    folder = try Self.makeFolder()
    open = try engine.container(for: schema, configuration, link: link)
  }

  deinit {
    open = nil
    try? FileManager.default.removeItem(at: folder)
  }

  package var container: ModelContainer { open! }

  package var configuration: ModelConfiguration {
    var configuration =
      switch engine {
      case .file, .json, .postgres: ModelConfiguration(schema: schema, url: folder.appending(path: "test.store"))
      case .memory, .remote: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
      }
    configuration.uniquenessPolicy = uniquenessPolicy
    if let history { configuration.history = history }
    return configuration
  }

  package func context() -> ModelContext { ModelContext(container) }

  /// A context on the same store in a second container, as if it were in another process. With a remote engine, the
  /// test has to report the commits of this context to ``link``.
  package func foreignContext() throws -> ModelContext {
    if engine == .json || engine == .postgres { return ModelContext(try engine.container(for: schema, configuration)) }
    let remote = context().stores.stores.first?.engine as? RemoteEngine
    let link = RemoteLink(keys: self.link.keys)
    let configuration = RemoteConfiguration(configuration, link: link, server: remote?.base)
    return ModelContext(try ModelContainer(for: schema, engines: [configuration]))
  }

  /// Closes the store and opens it again. A store in memory stays open, because closing would delete its content.
  package func reopen() throws {
    guard engine.persists else { return }
    open = nil
    open = try engine.container(for: schema, configuration, link: link)
  }

  /// Runs statements on the tables of a store in PostgreSQL, as another program could.
  package func runOnServer(_ sql: String) throws { try Engine.runOnServer(sql, in: configuration) }

  /// Releases this object's reference to the container. Other code may still have references to it.
  package func releaseContainer() { open = nil }

  /// The number of round trips that the body makes; 0 unless the engine is the remote one.
  package func trips(_ body: () throws -> Void) rethrows -> Int {
    let before = link.tripCount
    try body()
    return link.tripCount - before
  }

  package static func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}

extension ModelConfiguration.History {
  /// The history of a store in a random test: the standard one for even seeds, and none for odd seeds.
  package static func ofSeed(_ seed: UInt64) -> ModelConfiguration.History { seed.isMultiple(of: 2) ? .standard : .off }
}
