import SwiftData
import Testing

/// The engines that have to behave alike.
enum Engine: String, CaseIterable, CustomTestStringConvertible {
  case file, memory

  var testDescription: String {
    switch self {
    case .file: "a store in a file"
    case .memory: "a store in memory"
    }
  }
}

/// A store of one test, removed with it.
final class TestStore {
  let engine: Engine
  let schema: Schema
  private let uniquenessPolicy: UniquenessPolicy
  private let folder: URL
  private var open: ModelContainer?

  init(
    _ engine: Engine, _ models: [any PersistentModel.Type] = libraryModels,
    uniquenessPolicy: UniquenessPolicy = .updateExisting
  ) throws {
    self.engine = engine
    self.uniquenessPolicy = uniquenessPolicy
    schema = Schema(models)
    folder = try Self.makeFolder()
    open = try ModelContainer(for: schema, configurations: [configuration])
  }

  deinit {
    open = nil
    try? FileManager.default.removeItem(at: folder)
  }

  var container: ModelContainer { open! }

  var configuration: ModelConfiguration {
    var configuration =
      switch engine {
      case .file: ModelConfiguration(schema: schema, url: folder.appending(path: "test.store"))
      case .memory: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
      }
    configuration.uniquenessPolicy = uniquenessPolicy
    return configuration
  }

  func context() -> ModelContext { ModelContext(container) }

  /// Closes the file and opens it again. A store in memory stays open: it would be gone.
  func reopen() throws {
    guard engine == .file else { return }
    open = nil
    open = try ModelContainer(for: schema, configurations: [configuration])
  }

  /// Lets go of the container, which others may still hold.
  func releaseContainer() { open = nil }

  static func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}

extension TestStore {
  /// The titles that the store has, as a context that knows nothing else sees them.
  func storedTitles() throws -> [String] {
    try context().titles()
  }

  /// Saves books with some titles.
  @discardableResult
  func save(_ titles: String...) throws -> ModelContext {
    let context = context()
    for title in titles { context.insert(Book(title)) }
    try context.save()
    return context
  }
}

extension ModelContext {
  /// The titles of the books that match, in alphabetical order.
  func titles(_ predicate: Predicate<Book>? = nil) throws -> [String] {
    try fetch(FetchDescriptor(predicate: predicate)).map(\.title).sorted()
  }

  /// The one book with a title.
  func book(_ title: String) throws -> Book {
    let found = try fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == title }))
    try #require(found.count == 1, "there are \(found.count) books '\(title)'")
    return found[0]
  }

  var insertedTitles: [String] { Self.titles(insertedModelsArray) }
  var changedTitles: [String] { Self.titles(changedModelsArray) }
  var deletedTitles: [String] { Self.titles(deletedModelsArray) }

  private static func titles(_ models: [any PersistentModel]) -> [String] {
    models.compactMap { ($0 as? Book)?.title }.sorted()
  }
}

/// What a block that must fail throws.
struct Failure: Error {}
