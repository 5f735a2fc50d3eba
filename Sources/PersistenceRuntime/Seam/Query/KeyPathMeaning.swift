/// What a key path means in a query.
///
/// Trivial, and all that the hot path needs to know: a ``PropertyLayout`` is costly to copy.
package enum KeyPathMeaning: Sendable, Hashable {
  /// A stored value in a column of its own.
  case property(Int)
  /// The model's identifier.
  case key
  case relationship(Int)
  /// A property whose column a transformer writes, or one that fills several columns.
  case transformable(Int)
  /// A property that is laid out in several columns.
  case composite(Int)
  /// A member of such a property, by the property and the column, counted from the property's first.
  case column(Int, Int)
  /// A stored member of a value, by its place in it.
  case member(Int)
  /// `rawValue` of a value that is stored as its raw value.
  case rawValue
  /// `isEmpty` of a text.
  case emptyText
  /// `count` of a text, of bytes or of a collection.
  case count
  /// `isEmpty` of bytes or of a collection.
  case isEmpty
  /// `first` of an array.
  case first
  /// `timeIntervalSince1970` of a date.
  case secondsSince1970
  /// `isNaN` of a number.
  case isNotANumber
  case unknown
}

// MARK: In one word

extension KeyPathMeaning {
  /// The meaning as a word that can be read and written at once: the kind in the low bits, the position above.
  package var code: UInt {
    switch self {
    case .unknown: 0
    case .property(let position): UInt(position) << 4 | 1
    case .key: 2
    case .relationship(let position): UInt(position) << 4 | 3
    case .transformable(let position): UInt(position) << 4 | 4
    case .rawValue: 5
    case .emptyText: 6
    case .composite(let position): UInt(position) << 4 | 7
    case .column(let position, let column): UInt(position) << 20 | UInt(column) << 4 | 8
    case .member(let offset): UInt(offset) << 4 | 9
    case .count: 10
    case .isEmpty: 11
    case .first: 12
    case .secondsSince1970: 13
    case .isNotANumber: 14
    }
  }

  package init(code: UInt) {
    let position = Int(code >> 4)
    switch code & 15 {
    case 1: self = .property(position)
    case 2: self = .key
    case 3: self = .relationship(position)
    case 4: self = .transformable(position)
    case 5: self = .rawValue
    case 6: self = .emptyText
    case 7: self = .composite(position)
    case 8: self = .column(position >> 16, position & 0xFFFF)
    case 9: self = .member(position)
    case 10: self = .count
    case 11: self = .isEmpty
    case 12: self = .first
    case 13: self = .secondsSince1970
    case 14: self = .isNotANumber
    default: self = .unknown
    }
  }
}
