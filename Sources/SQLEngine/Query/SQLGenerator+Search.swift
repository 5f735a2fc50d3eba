import Foundation
import PersistenceRuntime

/// Searches texts for prefixes, and lists for elements.
extension SQLGenerator {
  /// The condition that a text starts with another text. Nil if either is nil. If the prefix is bound, a range is
  /// tested too, for which the database can use an index.
  mutating func prefixSearch(_ text: SQLFragment, _ prefix: SQLFragment) throws -> SQLFragment {
    let nullness: SQLFragment.Nullness = text.isNullable || prefix.isNullable ? .meansNil : .never
    let (operand, start) = (try value(text), try value(prefix))
    let test = dialect.starts(operand, with: start)
    guard case .bound(let position) = prefix.role else { return .condition(test, nullness) }
    // The range is not enough: a text may continue with scalars that combine with the prefix's last character.
    let end = placeholder(.prefixEnd(position), .value(.text))
    return .condition("\(operand) >= \(start) AND \(operand) < \(end) AND \(test)", joinedBy: "AND", nullness)
  }

  /// The condition that a bound list contains a value.
  mutating func membership(of element: SQLFragment, in list: SQLFragment) throws -> SQLFragment {
    guard case .list(let position) = list.role else { throw unsupported("a search in a stored array") }
    if element.role == .null { return .truth(list.isNullable) }
    let operand = try value(element, notANumber: .unlikeAnything)
    // The format comes from the value, because an empty list has no format.
    let elements = placeholder(
      .list(position, element.format), .list(element.format, isUnsigned: element.isUnsigned))
    let test = isMember(compared(operand, element, element), element, ofList: elements)
    guard element.isNullable else { return .condition(test, .never) }
    guard list.isNullable else { return .condition(test, .meansFalse) }
    return .condition("\(test) OR \(decimalKey(operand, element)) IS NULL", joinedBy: "OR", .meansFalse)
  }
}

/// The range of the texts that start with a prefix. Both are in stored form.
///
/// The bytes of such a text start with the bytes of the prefix, because no character combines with the next one. But
/// not every text in the range starts with the prefix: in the text, the last character of the prefix may have more
/// scalars.
package enum TextPrefix {
  /// The least text in byte order that is greater than all texts with the prefix; nil if there is none.
  ///
  /// UTF-8 sorts by scalars. So the texts whose bytes start with those of the prefix are exactly the texts that are not
  /// less than the prefix, and less than the result. The result is valid UTF-8, but may not be in stored form.
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

  /// The scalar that follows another one. Surrogates are skipped, because they are no scalars.
  private static func successor(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    scalar.value == 0xD7FF ? Unicode.Scalar(0xE000) : Unicode.Scalar(scalar.value + 1)
  }
}

/// A list of values, encoded as the bytes of one parameter, for databases without arrays.
///
/// A value begins with one byte, the raw value of its ``StorageClass``. Then come 8 bytes in the machine's byte order:
/// a number itself, or the count of the bytes that follow. Nil and not-a-number are omitted: the statement tests for
/// nil separately, and nothing equals not-a-number.
package struct PackedList {
  package private(set) var bytes: [UInt8] = []

  package init(_ values: [QueryValue]) {
    bytes.reserveCapacity(values.count * 9)
    for value in values { append(value) }
  }

  /// Encodes all elements in order, including nil and not-a-number, which are encoded as columns contain them.
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
