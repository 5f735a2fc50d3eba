/// In a predicate an identifier is the key of its row. A model that has no row yet is none of the store's.
extension PersistentIdentifier: QueryValueConvertible {
  package var queryValue: QueryValue {
    guard let row else { return .integer(-1) }
    return .identifier(row.entity, row.key)
  }
}
