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

  /// The text in normal form C, without the escape: what ``original(ofForm:)`` makes of its stored form.
  package static func composed(_ text: String) -> String {
    var text = text
    return text.withUTF8(isSurelyStored) ? text : String(decoding: normalForm(of: text), as: UTF8.self)
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

/// Runs of marks, which the standard library puts in order in quadratic time: 64,000 of them took it 1.6 s.
extension StoredText {
  /// The number of marks that are left to the standard library as they are. A hundred take it 10 µs.
  private static let longRun = 128

  /// The normal form of a text, in a time that grows as its length does.
  static func normalForm(of text: String) -> [UInt8] {
    (mayHaveLongRun(text) ? marksInOrder(text) ?? text : text)._nfcCodeUnits
  }

  private static func mayHaveLongRun(_ text: String) -> Bool {
    guard text.utf8.count > longRun * 2 else { return false }
    var length = 0
    for scalar in text.unicodeScalars {
      length = mayBeMark(scalar) ? length + 1 : 0
      if length > longRun { return true }
    }
    return false
  }

  /// An equal text with the marks of each run in the order of their classes, in which normal forms have them; nil if they
  /// are already. Marks of the same class keep their order.
  private static func marksInOrder(_ text: String) -> String? {
    var ordered = String.UnicodeScalarView()
    var run: [UInt64] = []
    var isChanged = false
    for scalar in text.unicodeScalars {
      guard let key = markKey(of: scalar, at: run.count) else {
        appendRun(&run, to: &ordered)
        ordered.append(scalar)
        continue
      }
      if let former = run.last, former > key { isChanged = true }
      run.append(key)
    }
    appendRun(&run, to: &ordered)
    return isChanged ? String(ordered) : nil
  }

  /// The class of a mark, its place in the run, and the mark, from the highest bit on; nil for other scalars.
  private static func markKey(of scalar: Unicode.Scalar, at place: Int) -> UInt64? {
    guard mayBeMark(scalar) else { return nil }
    let combiningClass = scalar.properties.canonicalCombiningClass.rawValue
    guard combiningClass != 0 else { return nil }
    return UInt64(combiningClass) << 56 | UInt64(place) << 21 | UInt64(scalar.value)
  }

  /// False for most scalars of most texts, which need not be looked up then. A mark for which it were false would end a
  /// run, and the text would stay equal.
  private static func mayBeMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x300, 0x1100..<0x1300, 0x3100..<0xA66F, 0xAC00..<0xFB1E: false
    default: true
    }
  }

  private static func appendRun(_ run: inout [UInt64], to scalars: inout String.UnicodeScalarView) {
    guard !run.isEmpty else { return }
    run.sort()
    for key in run { scalars.append(Unicode.Scalar(UInt32(key & 0x1F_FFFF)) ?? "\u{FFFD}") }
    run.removeAll(keepingCapacity: true)
  }
}

extension StoredText {
  /// Negative, zero or positive, as the first text comes before, with or after the second: the order of stores, which is
  /// that of the bytes of stored forms.
  ///
  /// Swift's `<` has the same order where it has one: in Swift 6.3, of `"cafe\u{301}"` and `"caf\u{E9}s"` neither precedes
  /// the other.
  package static func compare(_ lhs: String, _ rhs: String) -> Int {
    compare(forms: form(of: lhs), form(of: rhs))
  }

  /// The same for texts in stored form.
  package static func compare(forms lhs: String, _ rhs: String) -> Int {
    var (lhs, rhs) = (lhs, rhs)
    return lhs.withUTF8 { left in
      rhs.withUTF8 { right in
        // No bytes may have no address.
        guard let start = left.baseAddress, let other = right.baseAddress else { return left.count - right.count }
        let first = Int(memcmp(start, other, min(left.count, right.count)))
        return first == 0 ? left.count - right.count : first
      }
    }
  }
}

/// The values of a batch of rows whose stored form differs from them, for the engine to keep beside the rows.
///
/// The form of a text is its ``StoredText/form(of:)``, that of -0.0 is 0. An engine whose columns hold these forms keeps
/// the values themselves as originals, each with the row and the column that it belongs to, in the transaction of the
/// rows. An original counts only while the column has its form: another program that changes the column need not know
/// of it.
///
/// Confined to the transaction that lends it with its statements.
package final class OriginalNotes {
  /// One original.
  package struct Note: Sendable {
    /// The number of objects of the batch before the row's.
    package let row: Int
    /// The key of the row. The one of an upsert may be another.
    package let key: Int64
    /// The parameter of the statement that has the form.
    package let parameter: Int32
    /// The text, or ``negativeZero``.
    package let original: String

    package init(row: Int, key: Int64, parameter: Int32, original: String) {
      self.row = row
      self.key = key
      self.parameter = parameter
      self.original = original
    }
  }

  /// The original of -0.0.
  package static let negativeZero = "-0.0"

  private var notes: [Note] = []
  /// The rows that were not written, of those whose notes were not the last ones.
  private var discarded: Set<Int> = []
  /// Whether ``keys`` are wanted, to remove the originals of former values.
  package private(set) var wantsKeys = false
  /// The keys of all rows of the batch.
  package private(set) var keys: [Int64] = []
  /// Whether the batch has notes or wants keys. False for nearly every batch, which asks for nothing else then.
  private var isUsed = false

  package init() {}

  package var isEmpty: Bool { !isUsed || notes.isEmpty }

  /// Begins a batch.
  package func begin(wantsKeys: Bool = false) {
    guard isUsed || wantsKeys else { return }
    (notes, discarded, keys) = ([], [], [])
    self.wantsKeys = wantsKeys
    isUsed = wantsKeys
  }

  package func note(_ note: Note) {
    isUsed = true
    notes.append(note)
  }

  package func note(keys: [Int64]) { self.keys += keys }

  /// Forgets the originals of a row that was not written.
  package func discard(rowAt index: Int) {
    guard isUsed else { return }
    // Those of the row that was just refused are the last. Others are left out when all are taken, because looking
    // through all of them for each refused row would take quadratic time.
    while notes.last?.row == index { notes.removeLast() }
    if !notes.isEmpty { discarded.insert(index) }
  }

  /// Returns and clears the originals.
  package func take() -> [Note] {
    guard !isEmpty else { return [] }
    defer { (notes, discarded) = ([], []) }
    return discarded.isEmpty ? notes : notes.filter { !discarded.contains($0.row) }
  }
}

/// Encodes Codable values that no column stores directly as JSON text.
///
/// Keys are sorted, so that equal values have equal text. Numbers without a JSON representation become strings.
package enum JSONText {
  package static func encode<T: Encodable>(_ value: T) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  package static func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: Data(text.utf8))
  }
}
