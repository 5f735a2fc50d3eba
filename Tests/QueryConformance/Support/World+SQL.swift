import ConformanceSupport
import SwiftData
import Testing

extension World {
  /// Checks that a fetch finds the models for which the predicate is true. On SQLite, also checks which SQL the
  /// predicate becomes.
  ///
  /// - Parameter memory: The reason why a part of the predicate is evaluated in memory; nil if the store evaluates
  ///   everything.
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

  /// The SQL of the condition: the part of the statement after the table name, without the keyword before the condition
  /// and without ORDER BY.
  private func condition(in explanation: ModelContext.FetchExplanation) -> String {
    var words = explanation.sql[...]
    if let table = words.range(of: #" FROM "\w+""#, options: .regularExpression) { words = words[table.upperBound...] }
    if let end = words.range(of: " ORDER BY ", options: .backwards) { words = words[..<end.lowerBound] }
    return words.hasPrefix(" WHERE ") ? String(words.dropFirst(7)) : String(words.drop { $0 == " " })
  }
}
