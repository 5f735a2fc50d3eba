import Dispatch
import SwiftData

/// The store that an operation uses, and the objects that the operation keeps from its preparation to its end.
final class World {
  let container: ModelContainer
  let url: URL
  private let folder: URL
  private var current: ModelContext?
  /// Objects to which the operation keeps references.
  var kept: [AnyObject] = []
  var identifiers: [PersistentIdentifier] = []

  init(isInMemory: Bool, models: [any PersistentModel.Type] = growthModels) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "growth-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appending(path: "growth.store")
    var configuration =
      isInMemory
      ? ModelConfiguration(schema: Schema(models), isStoredInMemoryOnly: true)
      : ModelConfiguration(schema: Schema(models), url: url)
    // Without history: its records would grow with each save, in the file and in SQLite's page cache.
    configuration.history = .off
    container = try ModelContainer(for: Schema(models), configurations: [configuration])
    if !isInMemory { try openTwoReaders() }
  }

  /// A live query that looks for commits while another read is running makes the store open a second read connection.
  /// This function opens it before the rounds, so that its memory is not counted as growth.
  private func openTwoReaders() throws {
    let context = ModelContext(container)
    context.insert(Item(0))
    try context.save()
    try context.enumerate(FetchDescriptor<Item>()) { [container] _ in
      let hasRead = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        _ = try? ModelContext(container).fetchCount(FetchDescriptor<Item>())
        hasRead.signal()
      }
      hasRead.wait()
    }
    try empty()
  }

  deinit {
    current = nil
    try? FileManager.default.removeItem(at: folder)
  }

  /// The context in which the operation runs. It is created at its first use after ``forget()``.
  var context: ModelContext {
    if let current { return current }
    let made = ModelContext(container)
    current = made
    return made
  }

  /// Releases the operation's context and all objects that the operation keeps.
  func forget() {
    kept = []
    identifiers = []
    current = nil
  }

  /// Saves the unsaved changes of an operation, and removes its undo manager, whose steps refer to objects.
  func finish() throws {
    context.undoManager = nil
    try context.save()
  }

  /// Deletes all rows of the store.
  func empty() throws {
    let context = ModelContext(container)
    try context.delete(model: Note.self)
    try context.delete(model: Crate.self)
    try context.delete(model: Item.self)
    try context.delete(model: Shelf.self)
    try context.delete(model: Book.self)
    try context.delete(model: Tag.self)
    try context.delete(model: Serial.self)
    try context.delete(model: Photo.self)
    try context.delete(model: Manual.self)
    try context.delete(model: Rope.self)
    try context.delete(model: Anchor.self)
    try context.save()
  }

  // MARK: Rows that operations start with

  /// Saves new items, and returns them.
  @discardableResult
  func items(_ count: Int) throws -> [Item] {
    let items = (0..<count).map { Item($0) }
    items.forEach(context.insert)
    try context.save()
    return items
  }

  /// Saves new shelves with books, and returns the shelves.
  @discardableResult
  func shelves(_ count: Int, books: Int) throws -> [Shelf] {
    let shelves = (0..<count).map { Shelf("shelf \($0)") }
    for shelf in shelves {
      context.insert(shelf)
      shelf.books = (0..<books).map { Book("book \($0)") }
    }
    try context.save()
    return shelves
  }
}
