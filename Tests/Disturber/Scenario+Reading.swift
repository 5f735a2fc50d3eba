import SwiftData

extension Scenario {
  /// Runs reads of all kinds. Each read throws or returns the true contents, and the context works again after the
  /// failure.
  static func read(_ disturbed: inout DisturbedCase, _ store: LibraryStore) {
    guard let container = disturbed.expect("opening", { try store.container() }),
      let before = disturbed.expect("reading", { try LibraryContent.lines(ModelContext(container)) })
    else { return }
    let wanted = FoundRows()
    guard disturbed.expect("reading what is to be found", { try wanted.read(ModelContext(container)) }) != nil else {
      return
    }
    let context = ModelContext(container)
    let found = FoundRows()
    let error = disturbed.disturb { try found.read(context) }
    // A fetch that throws no error must return exactly the rows that exist.
    if error == nil { disturbed.expectEqual(found.results, wanted.results, "what was fetched") }
    disturbed.expect(!context.hasChanges, "reading has changed something")
    disturbed.expectEqual(
      disturbed.expect("reading again", { try LibraryContent.lines(context) }), before, "the context after a read")
    withExtendedLifetime(found) {
      _ = disturbed.expect("saving after a read") {
        for author in try context.fetch(FetchDescriptor<LibraryV1.Author>()) { author.born += 0 }
        try context.save()
      }
    }
    disturbed.expectEqual(content(store, &disturbed), before, "the store after a read")
  }

  /// Objects that the program keeps while reads fail.
  private final class FoundRows {
    private var books: [LibraryV1.Book] = []
    private var authors: [LibraryV1.Author] = []
    /// The fetched values as lines that can be compared. Relationships are not included: one that cannot be read is
    /// empty, and the next save throws.
    private(set) var results: [String] = []

    func read(_ context: ModelContext) throws {
      authors = try context.fetch(
        FetchDescriptor<LibraryV1.Author>(predicate: #Predicate { $0.born > 1901 }, sortBy: [SortDescriptor(\.name)]))
      results = authors.map { "author \($0.name) \($0.born)" }
      for author in authors { books += author.books }
      for book in books { _ = (book.cover?.count, book.topics.map(\.word), book.author?.born) }
      let count = try context.fetchCount(
        FetchDescriptor<LibraryV1.Book>(predicate: #Predicate { $0.topics.contains { $0.word == "topic 1" } }))
      let topics = try context.fetchIdentifiers(FetchDescriptor<LibraryV1.Topic>())
      let novels = try context.fetch(FetchDescriptor<LibraryV1.Novel>(sortBy: [SortDescriptor(\.title)]))
      results.append("count \(count)")
      results += topics.map { "topic \($0)" }
      results += novels.map { "novel \($0.title) \($0.mood)" }
    }
  }
}
