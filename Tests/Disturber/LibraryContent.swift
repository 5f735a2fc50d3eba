import SwiftData

/// Lists the contents of a store as lines of text that can be compared.
enum LibraryContent {
  /// The contents of a store of version 1: all attributes, including values in external files, and both sides of all
  /// relationships, with lists in their order.
  static func lines(_ context: ModelContext) throws -> [String] {
    var lines: [String] = []
    for author in try context.fetch(FetchDescriptor<LibraryV1.Author>()) {
      lines.append("author \(author.name) \(author.born): \(author.books.map(\.title))")
    }
    for book in try context.fetch(FetchDescriptor<LibraryV1.Book>()) {
      let mood = (book as? LibraryV1.Novel)?.mood ?? "none"
      let cover = book.cover.map { "\($0.count) of \($0.first ?? 0)" } ?? "none"
      let summary = book.summary.hasPrefix(book.title.replacing(" moved", with: "")) ? "" : "without its summary "
      let author = book.author?.name ?? "nobody"
      lines.append(
        summary + "book \(book.title) \(book.pages) \(mood) \(cover) \(author): \(book.topics.map(\.word))")
    }
    for topic in try context.fetch(FetchDescriptor<LibraryV1.Topic>()) {
      lines.append("topic \(topic.word): \(topic.books.map(\.title).sorted())")
    }
    return lines.sorted()
  }

  /// The contents of a store of version 2.
  static func migratedLines(_ context: ModelContext) throws -> [String] {
    var lines: [String] = []
    for author in try context.fetch(FetchDescriptor<LibraryV2.Author>()) {
      lines.append("author \(author.name) \(author.born): \(author.books.map(\.name))")
    }
    for book in try context.fetch(FetchDescriptor<LibraryV2.Book>()) {
      let cover = book.cover.map { "\($0.count) of \($0.first ?? 0)" } ?? "none"
      let author = book.author?.name ?? "nobody"
      lines.append("book \(book.name) \(book.pages) \(cover) \(author): \(book.topics.map(\.word))")
    }
    for topic in try context.fetch(FetchDescriptor<LibraryV2.Topic>()) {
      lines.append("topic \(topic.word): \(topic.books.map(\.name).sorted())")
    }
    return lines.sorted()
  }
}
