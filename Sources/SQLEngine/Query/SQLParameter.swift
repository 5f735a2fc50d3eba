import PersistenceRuntime

/// Where the value of a parameter comes from.
///
/// Values are counted without those that are nil, which are never bound.
package enum SQLParameter: Sendable, Hashable {
  /// A value of the query.
  case value(Int, notANumber: NotANumberBinding)
  /// The least text that follows every text that starts with a value of the query.
  case prefixEnd(Int)
  /// A list of the query, whose elements have a format, without those that are nil.
  case list(Int, ColumnFormat)
  /// A list of the query with all its elements, in order.
  case elements(Int, ColumnFormat)
  case limit
  case offset

  package var isList: Bool {
    switch self {
    case .list, .elements: true
    case .value, .prefixEnd, .limit, .offset: false
    }
  }
}

/// What stands for a bound not-a-number.
///
/// It is stored as text, which would equal itself, as Swift's does not.
package enum NotANumberBinding: Sendable, Hashable {
  /// As it is stored.
  case stored
  /// Something that no column holds, for tests of equality.
  case unlikeAnything
}
