import PersistenceRuntime

/// What is bound to a parameter, for databases that take it for a text unless they are told.
package enum SQLParameterType: Sendable, Hashable {
  /// - Parameter isUnsigned: Whether whole numbers go beyond those of 64 bits with a sign.
  case value(ColumnFormat, isUnsigned: Bool = false)
  /// A list of such values.
  case list(ColumnFormat)

  /// The primary key of a row.
  static var key: SQLParameterType { .value(.reference) }
}
