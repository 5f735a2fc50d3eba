import Foundation
import _CSwiftRuntime

/// The form in which stores keep texts: normal form C of the standard library, with U+0000 and U+0001 escaped.
///
/// Two texts are equal under `==` exactly when their stored forms have the same bytes, so a store compares bytes. The
/// normal form is the one of the standard library, because `==` uses it. Other libraries have other versions of Unicode.
///
/// U+0000 is written as U+0001 U+0001, and U+0001 as U+0001 U+0002: many programs end a text at U+0000. Texts that
/// differ have escapes that differ, in the same order.
///
/// The form is taken once, from the text. The form of a form is the same text, with two exceptions: the escape would be
/// escaped, and the standard library takes U+0F73, U+0F75 and U+0F81 for starters, although they decompose to marks.
///
/// Originates with OpenSwiftData. Any thread may call it.
package enum StoredText {
  /// Whether bytes surely are a text in stored form. False says nothing: ``differingForm(of:)`` tells.
  ///
  /// - Parameter bytes: UTF-8. Bytes that are none are never sure.
  package static func isSurelyStored(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    osd_is_stored_form(bytes.baseAddress, bytes.count)
  }

  /// The stored form of a text: the text itself if it is already.
  package static func form(of text: String) -> String {
    differingForm(of: text) ?? text
  }

  /// The stored form of a text if it has other bytes than the text, else nil.
  package static func differingForm(of text: String) -> String? {
    var text = text
    return text.withUTF8(isSurelyStored) ? nil : differingFormByLibrary(of: text)
  }

  /// The text of a stored form, in normal form C: undoes the escape of U+0000 and U+0001, and nothing else.
  ///
  /// A U+0001 that begins no escape, as another program may have written it, stays what it is.
  package static func original(ofForm form: String) -> String {
    var form = form
    return form.withUTF8(unescaped) ?? form
  }

  @inline(never)
  private static func differingFormByLibrary(of text: String) -> String? {
    var text = text
    let form = escaped(normalForm(of: text))
    let isSame = text.withUTF8 { text in
      form.withUnsafeBufferPointer { haveSameBytes(text, $0) }
    }
    return isSame ? nil : String(decoding: form, as: UTF8.self)
  }

  private static func haveSameBytes(_ lhs: UnsafeBufferPointer<UInt8>, _ rhs: UnsafeBufferPointer<UInt8>) -> Bool {
    guard lhs.count == rhs.count, let left = lhs.baseAddress, let right = rhs.baseAddress else {
      return lhs.count == rhs.count
    }
    return memcmp(left, right, lhs.count) == 0
  }
}

// MARK: - The escape

extension StoredText {
  /// Begins an escape. The UTF-8 of no other scalar has this byte.
  private static let escape: UInt8 = 1

  private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.withUnsafeBufferPointer({ has(0, $0) || has(escape, $0) }) else { return bytes }
    var escaped: [UInt8] = []
    escaped.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      if byte <= escape {
        escaped.append(escape)
        escaped.append(byte + 1)
      } else {
        escaped.append(byte)
      }
    }
    return escaped
  }

  /// The text of bytes that have an escape; nil if they have none.
  private static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard has(escape, bytes) else { return nil }
    var unescaped: [UInt8] = []
    unescaped.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      if byte == escape, let next = rest.first, next == 1 || next == 2 {
        unescaped.append(next - 1)
        rest.removeFirst()
      } else {
        unescaped.append(byte)
      }
    }
    return String(decoding: unescaped, as: UTF8.self)
  }

  private static func has(_ byte: UInt8, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
  }
}

// MARK: - Versions of Unicode

extension StoredText {
  /// The version of Unicode of the running standard library, such as `17` or `15.1`.
  ///
  /// A newer version may change the form of a text only if one of its scalars was assigned since. The standard library
  /// does not say its version, so the ages of scalars tell it: of one scalar of each version that the table of
  /// ``isSurelyStored(_:)`` knows, and of the first in each row that this version leaves free. Each version since 3.0
  /// has assigned one of the latter. So the answer is right with a library that is newer than the table. The table is
  /// right with it, too, and is not sure of scalars that it does not know.
  package static let unicodeVersion: String = {
    var count = 0
    let witnesses = UnsafeBufferPointer(start: osd_version_witnesses(&count), count: count)
    let ages = witnesses.lazy.compactMap { Unicode.Scalar($0)?.properties.age }
    let newest = ages.max { ($0.major, $0.minor) < ($1.major, $1.minor) }
    return newest.map { name(major: $0.major, minor: $0.minor) } ?? "0"
  }()

  /// The version of Unicode of the table of ``isSurelyStored(_:)``.
  package static var tableVersion: String {
    let version = Int(osd_form_table_version())
    return name(major: version >> 8, minor: version & 0xFF)
  }

  private static func name(major: Int, minor: Int) -> String {
    minor == 0 ? "\(major)" : "\(major).\(minor)"
  }
}
