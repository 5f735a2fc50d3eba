import SwiftData

extension Scenario {
  /// Saves changes of every kind. The save writes all or none of them; after a failure the pending changes can be
  /// saved.
  static func save(_ disturbed: inout DisturbedCase, _ store: LibraryStore) {
    guard let context = disturbed.expect("making a context", { ModelContext(try store.container()) }),
      let before = disturbed.expect("reading", { try LibraryContent.lines(context) }),
      disturbed.expect("changing", { try change(context, "first") }) != nil,
      let after = disturbed.expect("reading what is pending", { try LibraryContent.lines(context) })
    else { return }
    disturbed.expect(before != after, "nothing was changed")
    let error = disturbed.disturb { try context.save() }
    disturbed.expectEqual(content(store, &disturbed), error == nil ? after : before, "the store after the save")
    disturbed.expect(error == nil || context.hasChanges, "a save that threw has forgotten its changes")
    disturbed.expectEqual(
      disturbed.expect("reading", { try LibraryContent.lines(context) }), after, "the context after the save")
    _ = disturbed.expect("saving again") { try context.save() }
    disturbed.expectEqual(content(store, &disturbed), after, "the store after a second save")
    saveMore(&disturbed, context, store)
  }

  /// Saves further changes in the same context, which must know the present contents of the store.
  private static func saveMore(_ disturbed: inout DisturbedCase, _ context: ModelContext, _ store: LibraryStore) {
    let more = disturbed.expect("saving more") {
      try change(context, "second")
      try context.save()
      return try LibraryContent.lines(context)
    }
    if let more { disturbed.expectEqual(content(store, &disturbed), more, "the store after more changes") }
  }

  /// Runs a transaction that saves several times. Any of these saves may fail.
  static func transaction(_ disturbed: inout DisturbedCase, _ store: LibraryStore) {
    guard let context = disturbed.expect("making a context", { ModelContext(try store.container()) }),
      let before = disturbed.expect("reading", { try LibraryContent.lines(context) })
    else { return }
    let error = disturbed.disturb {
      try context.transaction {
        try change(context, "first")
        try context.save()
        try change(context, "second")
      }
    }
    let present = disturbed.expect("reading") { try LibraryContent.lines(context) }
    disturbed.expectEqual(content(store, &disturbed), error == nil ? present ?? [] : before, "the store")
    if error != nil {
      disturbed.expectEqual(present, before, "the context after a transaction that threw")
      disturbed.expect(!context.hasChanges, "a transaction that threw has left changes")
    }
    saveMore(&disturbed, context, store)
  }

  /// Inserts, changes and deletes models with values in external files, and adds and removes objects in relationships.
  private static func change(_ context: ModelContext, _ name: String) throws {
    let authors = try context.fetch(FetchDescriptor<LibraryV1.Author>(sortBy: [SortDescriptor(\.name)]))
    let topics = try context.fetch(FetchDescriptor<LibraryV1.Topic>(sortBy: [SortDescriptor(\.word)]))
    let new = LibraryV1.Author("\(name) author", born: 2000)
    context.insert(new)
    let book = LibraryV1.Novel("\(name) book", pages: 7, cover: LibraryStore.cover(77))
    new.books.append(book)
    book.topics = Array(topics.prefix(2))
    for author in authors.prefix(3) { author.born += 1 }
    if let first = authors.first, let moved = first.books.last {
      moved.author = authors.dropFirst().first
      moved.title += " moved"
      moved.cover = moved.cover == nil ? LibraryStore.cover(5) : nil
    }
    if let last = authors.last(where: { $0 !== new }) { context.delete(last) }
    if let topic = topics.last { topic.books = Array(topic.books.reversed().dropLast()) }
  }
}
