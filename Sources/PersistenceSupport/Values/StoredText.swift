import Foundation
import _CSwiftRuntime

/// The form in which stores keep texts: the standard library's normal form C, with U+0000 and U+0001 escaped.
///
/// Two texts are equal under `==` exactly if their stored forms have the same bytes, so a store compares bytes. `==`
/// uses the normal form of the standard library. Other libraries have other versions of Unicode.
///
/// U+0000 is escaped as U+0001 U+0001, and U+0001 as U+0001 U+0002, because many programs end a text at U+0000.
/// Different texts have different escaped texts, in the same order.
///
/// A text must be converted only once. A second conversion yields the same text with two exceptions: it escapes
/// escapes, and the standard library treats U+0F73, U+0F75 and U+0F81 as starters, although they decompose to marks.
///
/// Originates with OpenSwiftData. Thread-safe.
package enum StoredText {
  /// Whether bytes are certainly a text in stored form. If false, ``differingForm(of:)`` decides.
  ///
  /// - Parameter bytes: UTF-8. Invalid UTF-8 is never certain.
  package static func isSurelyStored(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    osd_is_stored_form(bytes.baseAddress, bytes.count)
  }

  /// The stored form of a text; the text itself if it is in stored form.
  package static func form(of text: String) -> String {
    differingForm(of: text) ?? text
  }

  /// The stored form of a text if its bytes differ from the text's, else nil.
  package static func differingForm(of text: String) -> String? {
    var text = text
    return text.withUTF8(isSurelyStored) ? nil : differingFormByLibrary(of: text)
  }

  /// The text of a stored form, in normal form C: reverts the escape of U+0000 and U+0001, and nothing else.
  ///
  /// A U+0001 that begins no escape is left unchanged; another program may have written it.
  package static func original(ofForm form: String) -> String {
    var form = form
    return form.withUTF8(unescaped) ?? form
  }

  /// The text in normal form C, without the escape: the result of ``original(ofForm:)`` for its stored form.
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
  /// The first byte of an escape. No other scalar has this byte in its UTF-8.
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

  /// The text of bytes that contain an escape; nil if they contain none.
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
  /// Two versions can have different forms of a text only if one of its scalars was assigned between them. The standard
  /// library does not expose its version, so it is derived from the ages of scalars. The scalars are one of each
  /// version that the table of ``isSurelyStored(_:)`` covers, and the first scalar of each range that the table's
  /// version leaves unassigned. Each version since 3.0 has assigned such a first scalar, so the result is correct with
  /// a library newer than the table. So is the table, which reports no scalar as certain that it does not know.
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

/// Sorts runs of combining marks. The standard library sorts them in quadratic time: 64,000 marks took 1.6 s.
extension StoredText {
  /// Up to this number of marks, the standard library sorts the run. A hundred marks take 10 µs.
  private static let longRun = 128

  /// The normal form of a text, in time proportional to its length.
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

  /// An equal text in which the marks of each run have the order of their combining classes, the order of normal forms;
  /// nil if the text has that order already. Marks of the same class keep their order.
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

  /// A mark's class, position in the run and scalar, packed from the highest bit on; nil for other scalars.
  private static func markKey(of scalar: Unicode.Scalar, at place: Int) -> UInt64? {
    guard mayBeMark(scalar) else { return nil }
    let combiningClass = scalar.properties.canonicalCombiningClass.rawValue
    guard combiningClass != 0 else { return nil }
    return UInt64(combiningClass) << 56 | UInt64(place) << 21 | UInt64(scalar.value)
  }

  /// False for most scalars of most texts, which avoids looking up their combining class. If the result were false for
  /// a mark, the mark would end a run, and the text would still be equal.
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
  /// Negative, zero or positive if the first text orders before, equal to or after the second. The order is that of
  /// stores: the order of the bytes of stored forms.
  ///
  /// Swift's `<` has the same order, except that it is not defined for all texts: in Swift 6.3, neither of
  /// `"cafe\u{301}"` and `"caf\u{E9}s"` precedes the other.
  package static func compare(_ lhs: String, _ rhs: String) -> Int {
    compare(forms: form(of: lhs), form(of: rhs))
  }

  /// The same comparison for texts in stored form.
  package static func compare(forms lhs: String, _ rhs: String) -> Int {
    var (lhs, rhs) = (lhs, rhs)
    return lhs.withUTF8 { left in
      rhs.withUTF8 { right in
        // An empty buffer may have no address.
        guard let start = left.baseAddress, let other = right.baseAddress else { return left.count - right.count }
        let first = Int(memcmp(start, other, min(left.count, right.count)))
        return first == 0 ? left.count - right.count : first
      }
    }
  }
}

/// The values of a batch of rows that differ from their stored form. The engine stores them in addition to the rows.
///
/// The form of a text is its ``StoredText/form(of:)``; the form of -0.0 is 0. An engine whose columns hold these forms
/// stores the values themselves as originals, in the transaction of the rows. Each original names its row and its
/// column. An original is valid only while the column contains its form. So other programs may change the column
/// without regard to originals.
///
/// Used only in the transaction whose statements it belongs to.
package final class OriginalNotes {
  /// One original.
  package struct Note: Sendable {
    /// The number of objects before this row's object in the batch.
    package let row: Int
    /// The key of the row. An upsert may keep another key.
    package let key: Int64
    /// The parameter of the statement that binds the form.
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
  /// The indices of rows that were not written, unless ``discard(rowAt:)`` could remove their notes from the end.
  private var discarded: Set<Int> = []
  /// Whether ``keys`` are needed to remove the originals of former values.
  package private(set) var wantsKeys = false
  /// The keys of all rows of the batch.
  package private(set) var keys: [Int64] = []
  /// Whether the batch has notes or needs keys. False for nearly every batch; the other methods then return at once.
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

  /// Removes the originals of a row that was not written.
  package func discard(rowAt index: Int) {
    guard isUsed else { return }
    // The notes of a row that was just rejected are the last ones. Notes of other rows are filtered in ``take()``:
    // searching all notes for each rejected row would take quadratic time.
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

/// Encodes Codable values as JSON text if no column stores them directly.
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
