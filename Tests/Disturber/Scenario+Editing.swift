import SwiftData

extension Scenario {
  /// Edits objects whose rows are unread, while reads fail. Either the row is read before the save, or the save throws
  /// and writes nothing.
  static func edit(_ disturbed: inout DisturbedCase, _ store: LibraryStore) {
    guard let before = content(store, &disturbed),
      let container = disturbed.expect("opening", { try store.container() }),
      let rows = disturbed.expect("reading", { try UnreadRows(ModelContext(container)) })
    else { return }
    let error = disturbed.disturb {
      rows.edit()
      try rows.context.save()
    }
    let after = rows.edited(before)
    disturbed.expectEqual(content(store, &disturbed), error == nil ? after : before, "the store after the save")
    guard error != nil else { return }
    rows.context.rollback()
    disturbed.expectEqual(
      disturbed.expect("reading", { try LibraryContent.lines(rows.context) }), before, "the context after a rollback")
    rows.edit()
    _ = disturbed.expect("saving once the disk is well") { try rows.context.save() }
    disturbed.expectEqual(content(store, &disturbed), after, "the store after the second try")
  }

  /// Edits objects whose rows the context has not read completely.
  private final class UnreadRows {
    let context: ModelContext
    private let authors: [LibraryV1.Author]
    private let books: [LibraryV1.Book]

    init(_ context: ModelContext) throws {
      self.context = context
      var partial = FetchDescriptor<LibraryV1.Book>(sortBy: [SortDescriptor(\.title)])
      partial.propertiesToFetch = [\.title]
      books = try context.fetch(partial)
      var names = FetchDescriptor<LibraryV1.Author>(sortBy: [SortDescriptor(\.name)])
      names.propertiesToFetch = [\.name]
      authors = try context.fetch(names)
    }

    func edit() {
      for author in authors { author.born += 100 }
      for book in books {
        book.pages += 100
        if let cover = book.cover { book.cover = Data([9]) + cover }
      }
      if let last = authors.last, let lost = last.books.first(where: { $0.pages == 101 }) {
        authors.first?.books.append(lost)
      }
    }

    /// The expected contents of the store after the edits, computed from the contents before the edits.
    func edited(_ lines: [String]) -> [String] {
      lines.map { line in
        var words = line.components(separatedBy: " ")
        if words[0] == "author" {
          words[3] = words[3].replacing("19", with: "20")
          if words[2] == "5" { return words.joined(separator: " ").replacing("\"book 5 1\", ", with: "") }
          if words[2] == "0" { return words.joined(separator: " ").replacing("2\"]", with: "2\", \"book 5 1\"]") }
        } else if words[0] == "book" {
          words[4] = "\((Int(words[4]) ?? 0) + 100)"
          if words[6] == "150000" { (words[6], words[8]) = ("150001", "9") }
          let moves = words[2] == "5" && words[3] == "1"
          return words.joined(separator: " ").replacing("author 5:", with: moves ? "author 0:" : "author 5:")
        }
        return words.joined(separator: " ")
      }.sorted()
    }
  }
}
