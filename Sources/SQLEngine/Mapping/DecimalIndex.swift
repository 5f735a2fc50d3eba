import PersistenceRuntime

/// What the indexes of a table have of a decimal column, where there is one that has its keys.
///
/// Unique indexes have the digits, by which equal numbers are found; all others have the key, which has an order.
enum DecimalIndex: Sendable, Hashable {
  case key
  /// An index of keys, and another one that begins with the digits.
  case keyAndDigits

  /// - Returns: Nothing for columns that no index has the keys of.
  static func all(of columns: [ColumnMapping], in indexes: [IndexMapping]) -> [String: DecimalIndex] {
    var result: [String: DecimalIndex] = [:]
    for column in columns where column.format == .decimal {
      guard indexes.contains(where: { !$0.isUnique && $0.columns.contains(column.name) }) else { continue }
      let isUnique = indexes.contains { $0.isUnique && $0.entities.isEmpty && $0.columns.first == column.name }
      result[column.name] = isUnique ? .keyAndDigits : .key
    }
    return result
  }
}
