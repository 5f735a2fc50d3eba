import SwiftData

extension Scenario {
  /// Opens an existing store. The container opens or throws; in both cases the contents stay unchanged.
  static func open(_ disturbed: inout DisturbedCase, _ store: LibraryStore) {
    guard let before = content(store, &disturbed) else { return }
    _ = disturbed.disturb { _ = try LibraryContent.lines(ModelContext(try store.container())) }
    disturbed.expectEqual(content(store, &disturbed), before, "the store after opening it")
  }

  /// Creates a store. After a failure the store can be opened and is empty.
  static func create(_ disturbed: inout DisturbedCase, _ store: LibraryStore) {
    _ = disturbed.disturb { _ = try store.container() }
    disturbed.expectEqual(content(store, &disturbed), [], "the store after its making")
    _ = disturbed.expect("filling the store") { try store.make() }
    disturbed.expect(content(store, &disturbed)?.isEmpty == false, "what was stored is not there")
  }

  /// Migrates a store. After a failure it has the old version or the new one, and the next migration succeeds.
  static func migrate(_ disturbed: inout DisturbedCase, _ store: LibraryStore) {
    guard let before = content(store, &disturbed) else { return }
    let error = disturbed.disturb {
      let context = ModelContext(try store.migratedContainer())
      _ = try LibraryContent.migratedLines(context)
    }
    // If the error occurred after the migration, while new rows were read, the store has the new version already.
    if error != nil, let old = try? LibraryContent.lines(ModelContext(try store.container())) {
      disturbed.expectEqual(old, before, "the store after a migration that threw")
    }
    let after = disturbed.expect("migrating afterwards") {
      try LibraryContent.migratedLines(ModelContext(try store.migratedContainer()))
    }
    disturbed.expectEqual(after, migratedContent, "the migrated store")
  }

  /// The expected contents of the store after the migration.
  private static var migratedContent: [String] {
    var lines: [String] = []
    var books: [Int: [String]] = [:]
    for index in 0..<6 {
      let titles = (0..<3).map { "book \(index) \($0)" }
      lines.append("author author \(index) \(1900.5 + Double(index)): \(titles)")
      for number in 0..<3 {
        let first = (index + number) % 4
        let topics = first == number ? [number] : [first, number]
        for topic in topics { books[topic, default: []].append(titles[number]) }
        let cover = number == 0 && index < 3 ? "150000 of \(index)" : "none"
        let words = topics.map { "topic \($0) in words" }
        lines.append("book \(titles[number]) \(number) \(cover) author \(index): \(words)")
      }
    }
    for topic in 0..<4 { lines.append("topic topic \(topic) in words: \((books[topic] ?? []).sorted())") }
    return lines.sorted()
  }
}
