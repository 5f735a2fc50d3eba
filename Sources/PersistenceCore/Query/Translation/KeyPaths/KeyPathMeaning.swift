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
  /// `rawValue` of a value that is stored as its raw value.
  case rawValue
  /// `isEmpty` of a text.
  case emptyText
  case unknown
}

// MARK: In one word

extension KeyPathMeaning {
  /// The meaning as a word that can be read and written at once: the kind in the low bits, the position above.
  var code: UInt {
    switch self {
    case .unknown: 0
    case .property(let position): UInt(position) << 3 | 1
    case .key: 2
    case .relationship(let position): UInt(position) << 3 | 3
    case .transformable(let position): UInt(position) << 3 | 4
    case .rawValue: 5
    case .emptyText: 6
    }
  }

  init(code: UInt) {
    let position = Int(code >> 3)
    switch code & 7 {
    case 1: self = .property(position)
    case 2: self = .key
    case 3: self = .relationship(position)
    case 4: self = .transformable(position)
    case 5: self = .rawValue
    case 6: self = .emptyText
    default: self = .unknown
    }
  }
}
