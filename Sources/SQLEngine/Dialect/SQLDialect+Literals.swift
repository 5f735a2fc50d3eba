import PersistenceRuntime

extension SQLDialect {
  /// A whole number or a text in the text of a statement. Never for what users enter, which is bound.
  func literal(_ value: QueryValue) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .text(let text, _): "'" + text.replacing("'", with: "''") + "'"
    default: "NULL"
    }
  }
}
