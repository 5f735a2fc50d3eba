import SwiftData

extension Scenario {
  /// Reads of all kinds: they throw, or tell the truth; and once the disk is well again, so is the context.
  static func read(_ disturbed: inout DisturbedCase, _ store: LibraryStore) {
    guard let container = disturbed.expect("opening", { try store.container() }),
      let before = disturbed.expect("reading", { try LibraryContent.lines(ModelContext(container)) })
    else { return }
    let context = ModelContext(container)
    let found = FoundRows()
    _ = disturbed.disturb { try found.read(context) }
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

  /// Rows that somebody holds while reads fail.
  private final class FoundRows {
    private var books: [LibraryV1.Book] = []
    private var authors: [LibraryV1.Author] = []

    func read(_ context: ModelContext) throws {
      authors = try context.fetch(
        FetchDescriptor<LibraryV1.Author>(predicate: #Predicate { $0.born > 1901 }, sortBy: [SortDescriptor(\.name)]))
      for author in authors { books += author.books }
      for book in books { _ = (book.cover?.count, book.topics.map(\.word), book.author?.born) }
      _ = try context.fetchCount(
        FetchDescriptor<LibraryV1.Book>(predicate: #Predicate { $0.topics.contains { $0.word == "topic 1" } }))
      _ = try context.fetchIdentifiers(FetchDescriptor<LibraryV1.Topic>())
      _ = try context.fetch(FetchDescriptor<LibraryV1.Novel>())
    }
  }
}
