/// The meaning of a key path in a query.
///
/// Trivial, for the hot path: a ``PropertyLayout`` is costly to copy.
package enum KeyPathMeaning: Sendable, Hashable {
  /// A stored value with a column of its own.
  case property(Int)
  /// The model's identifier.
  case key
  case relationship(Int)
  /// A property stored by a transformer.
  case transformable(Int)
  /// A composite property.
  case composite(Int)
  /// A member of a composite, by the property's position and the column relative to its first.
  case column(Int, Int)
  /// A stored member of a value, by its offset.
  case member(Int)
  /// `rawValue` of a value stored as its raw value.
  case rawValue
  /// `isEmpty` of a string.
  case emptyText
  /// `count` of a string, data or a collection.
  case count
  /// `isEmpty` of data or a collection.
  case isEmpty
  /// `first` of an array.
  case first
  /// `timeIntervalSince1970` of a date.
  case secondsSince1970
  /// `isNaN` of a number.
  case isNotANumber
  case unknown
}

// MARK: Encoding

extension KeyPathMeaning {
  /// The meaning in one word, which is read and written atomically: the kind in the low bits, the position above.
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
