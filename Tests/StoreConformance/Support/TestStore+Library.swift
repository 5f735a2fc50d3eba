import SwiftData
import Testing

extension TestStore {
  /// Creates a store with the schema ``libraryModels``.
  convenience init(
    _ engine: Engine, uniquenessPolicy: ModelConfiguration.UniquenessPolicy = .updateExisting,
    history: ModelConfiguration.History? = nil
  ) throws {
    try self.init(engine, libraryModels, uniquenessPolicy: uniquenessPolicy, history: history)
  }
}

extension TestStore {
  /// The titles of the stored books in alphabetical order, read by a new context.
  func storedTitles() throws -> [String] {
    try context().titles()
  }

  /// Saves one book with each title in a new context, and returns the context.
  @discardableResult
  func save(_ titles: String...) throws -> ModelContext {
    let context = context()
    for title in titles { context.insert(Book(title)) }
    try context.save()
    return context
  }
}

extension ModelContext {
  /// The titles of the books that match the predicate, in alphabetical order.
  func titles(_ predicate: Predicate<Book>? = nil) throws -> [String] {
    try fetch(FetchDescriptor(predicate: predicate)).map(\.title).sorted()
  }

  /// Fetches the only book with this title.
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
