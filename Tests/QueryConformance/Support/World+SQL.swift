import ConformanceSupport
import SwiftData
import Testing

extension World {
  /// Checks that a fetch finds the models for which the predicate is true, and, on SQLite, which part of the predicate
  /// becomes SQL.
  ///
  /// - Parameter memory: The reason why the rest does not; nil if the store evaluates everything.
  func check<Model: PersistentModel>(
    _ predicate: Predicate<Model>, becomes sql: String, inMemory memory: String? = nil,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    try check(predicate, inMemory: memory != nil, at: location)
    let explanation = try FetchDescriptor(predicate: predicate).explain(in: store.context())
    if store.engine.has(.sqlite) { #expect(condition(in: explanation) == sql, sourceLocation: location) }
    let words = explanation.inMemory.joined()
    if !store.engine.has(.readingTexts), words.hasSuffix("because of " + Self.readingTexts) { return }
    #expect(memory.map { words.hasSuffix("because of " + $0) } ?? words.isEmpty, "\(words)", sourceLocation: location)
  }

  /// The part of a statement after the table that it reads, without the keyword before the condition and without the
  /// order.
  private func condition(in explanation: ModelContext.FetchExplanation) -> String {
    var words = explanation.sql[...]
    if let table = words.range(of: #" FROM "\w+""#, options: .regularExpression) { words = words[table.upperBound...] }
    if let end = words.range(of: " ORDER BY ", options: .backwards) { words = words[..<end.lowerBound] }
    return words.hasPrefix(" WHERE ") ? String(words.dropFirst(7)) : String(words.drop { $0 == " " })
  }
}
