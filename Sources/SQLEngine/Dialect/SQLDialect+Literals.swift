import PersistenceRuntime
import PersistenceSchemas

extension SQLDialect {
  /// A whole number or a text in the text of a statement. Never for what users enter, which is bound.
  func literal(_ value: QueryValue) -> String {
    switch value {
    case .integer(let number): literal(StoredValue.integer(number))
    case .text(let text, _): literal(StoredValue.text(text))
    default: literal(StoredValue.null)
    }
  }

  /// The type of a column whose whole numbers have a sign.
  func columnType(for format: ColumnFormat) -> String { columnType(for: format, isUnsigned: false) }
}
