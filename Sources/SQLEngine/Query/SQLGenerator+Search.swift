import Foundation
import PersistenceRuntime

/// Searches in texts and lists.
extension SQLGenerator {
  /// Whether a text starts with another; nil if either is nil. A bound prefix also becomes a range, for which there can
  /// be an index.
  mutating func prefixSearch(_ text: SQLFragment, _ prefix: SQLFragment) throws -> SQLFragment {
    let nullness: SQLFragment.Nullness = text.isNullable || prefix.isNullable ? .meansNil : .never
    let (operand, start) = (try value(text), try value(prefix))
    let test = dialect.starts(operand, with: start)
    guard case .bound(let position) = prefix.role else { return .condition(test, nullness) }
    // A text in the range may continue with scalars that belong to the last character of the prefix.
    let end = placeholder(.prefixEnd(position), .value(.text))
    return .condition("\(operand) >= \(start) AND \(operand) < \(end) AND \(test)", joinedBy: "AND", nullness)
  }

  /// Whether a bound list contains a value.
  mutating func membership(of element: SQLFragment, in list: SQLFragment) throws -> SQLFragment {
    guard case .list(let position) = list.role else { throw unsupported("a search in a stored array") }
    if element.role == .null { return .truth(list.isNullable) }
    let operand = try value(element, notANumber: .unlikeAnything)
    // A list without values has no format of its own.
    let elements = placeholder(
      .list(position, element.format), .list(element.format, isUnsigned: element.isUnsigned))
    let test = isMember(compared(operand, element, element), element, ofList: elements)
    guard element.isNullable else { return .condition(test, .never) }
    guard list.isNullable else { return .condition(test, .meansFalse) }
    return .condition("\(test) OR \(decimalKey(operand, element)) IS NULL", joinedBy: "OR", .meansFalse)
  }
}

/// The range of texts that start with a prefix, both in stored form.
///
/// The bytes of such texts start with those of the prefix: no character combines with the next one. The range does not
/// show whether the last character of the prefix ends there.
package enum TextPrefix {
  /// The least text, in byte order, that is greater than every text with the prefix; nil if there is none.
  ///
  /// The bytes of UTF-8 are in the order of scalars. Every text whose bytes start with those of the prefix is at least
  /// the prefix and less than the result, and no other text is. The result is UTF-8, but need not be in stored form.
  package static func end(of prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      guard let next = successor(of: last) else { continue }
      scalars.append(next)
      var result = String.UnicodeScalarView()
      result.append(contentsOf: scalars)
      return String(result)
    }
    return nil
  }

  /// The scalar after another; surrogates are no scalars.
  private static func successor(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    scalar.value == 0xD7FF ? Unicode.Scalar(0xE000) : Unicode.Scalar(scalar.value + 1)
  }
}

/// A list of values encoded as the bytes of one parameter, for databases without arrays.
///
/// Each value is a byte with the raw value of its ``StorageClass``, then 8 bytes in the machine's byte order: the
/// number itself, or the count of the bytes that follow. Nil and not-a-number are left out: nil is tested separately,
/// and nothing equals not-a-number.
package struct PackedList {
  package private(set) var bytes: [UInt8] = []

  package init(_ values: [QueryValue]) {
    bytes.reserveCapacity(values.count * 9)
    for value in values { append(value) }
  }

  /// A list with all elements in order; nil and not-a-number are encoded as they are stored.
  package init(elements: [QueryValue]) {
    bytes.reserveCapacity(elements.count * 9)
    for element in elements {
      switch element {
      case .null: appendNull()
      case .text(let text, .real): append(text)
      default: append(element)
      }
    }
  }

  package init() {}

  package init(keys: [Int64]) {
    bytes.reserveCapacity(keys.count * 9)
    for key in keys { append(.integer, UInt64(bitPattern: key)) }
  }

  private mutating func append(_ value: QueryValue) {
    switch value {
    case .integer(let number), .identifier(_, let number): append(.integer, UInt64(bitPattern: number))
    case .real(let number) where !number.isNaN: append(.real, number.bitPattern)
    case .text(let text, let format) where format != .real: append(text)
    case .blob(let data, _): append(data)
    case .null, .real, .text, .list: break
    }
  }

  package mutating func append(_ integer: Int64) { append(.integer, UInt64(bitPattern: integer)) }

  package mutating func append(_ real: Double) { append(.real, real.bitPattern) }

  package mutating func append(_ text: String) {
    let utf8 = text.utf8
    append(.text, UInt64(utf8.count))
    bytes.append(contentsOf: utf8)
  }

  package mutating func append(_ data: Data) {
    append(.blob, UInt64(data.count))
    bytes.append(contentsOf: data)
  }

  package mutating func appendNull() { append(.null, 0) }

  private mutating func append(_ storageClass: StorageClass, _ word: UInt64) {
    bytes.append(UInt8(truncatingIfNeeded: storageClass.rawValue))
    unsafe withUnsafeBytes(of: word) { unsafe bytes.append(contentsOf: $0) }
  }
}
