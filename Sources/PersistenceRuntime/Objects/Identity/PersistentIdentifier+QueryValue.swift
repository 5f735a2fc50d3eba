/// In a predicate an identifier is the key of its row. Without a row it matches none.
extension PersistentIdentifier: QueryValueConvertible {
  package var queryValue: QueryValue {
    guard let row else { return .integer(-1) }
    return .identifier(row.entity, row.key)
  }
}
