import Foundation
import _CSwiftRuntime

/// The form in which texts are stored: the standard library's normal form C, with U+0000 and U+0001 escaped.
///
/// Two texts are equal under `==` if and only if their stored forms have the same bytes. So a store compares bytes. The
/// standard library computes the form, because `==` uses its normal form, and other libraries have other Unicode
/// versions.
///
/// Many programs end a text at U+0000. So U+0000 is escaped as U+0001 U+0001, and U+0001 as U+0001 U+0002.
/// Different texts remain different when they are escaped, and keep their order.
///
/// A text must be converted only once. A second conversion would escape the escapes again. It would also change texts
/// with U+0F73, U+0F75 or U+0F81: the standard library treats these as starters, although they decompose to marks.
/// Originates with OpenSwiftData. Thread-safe.
package enum StoredText {
  /// Returns true if bytes are certainly a text in stored form. If it returns false, ``differingForm(of:)`` finds out.
  ///
  /// - Parameter bytes: The text in UTF-8. For invalid UTF-8, the result is false.
  package static func isSurelyStored(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    osd_is_stored_form(bytes.baseAddress, bytes.count)
  }

  /// The stored form of a text. It is the text itself if that is already in stored form.
  package static func form(of text: String) -> String {
    differingForm(of: text) ?? text
  }

  /// The stored form of a text; nil if the text is already in stored form.
  package static func differingForm(of text: String) -> String? {
    var text = text
    return text.withUTF8(isSurelyStored) ? nil : differingFormByLibrary(of: text)
  }

  /// The text that has the given stored form. Only the escapes are undone: the text stays in normal form C.
  ///
  /// A U+0001 that does not begin an escape is left unchanged. Another program may have written it.
  package static func original(ofForm form: String) -> String {
    var form = form
    return form.withUTF8(unescaped) ?? form
  }

  /// The text in normal form C, without escapes. ``original(ofForm:)`` returns the same text for its stored form.
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
  /// The first byte of an escape. No character other than U+0001 contains this byte in its UTF-8.
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

  /// The text with its escapes undone; nil if it contains none.
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
  /// The Unicode version of the running standard library, such as `17` or `15.1`.
  ///
  /// A text can have different forms in two versions only if one of its scalars was assigned between them. The standard
  /// library does not expose its version, so it is derived from the ages of certain scalars: one scalar of each version
  /// that the table of ``isSurelyStored(_:)`` covers, and the first scalar of each range that is unassigned in the
  /// table's version. Each version since 3.0 has assigned the first scalar of an unassigned range, so the result is
  /// also correct for a library newer than the table. ``isSurelyStored(_:)`` is correct with such a library too: it
  /// returns false for a text with a scalar that the table does not know.
  package static let unicodeVersion: String = {
    var count = 0
    let witnesses = UnsafeBufferPointer(start: osd_version_witnesses(&count), count: count)
    let ages = witnesses.lazy.compactMap { Unicode.Scalar($0)?.properties.age }
    let newest = ages.max { ($0.major, $0.minor) < ($1.major, $1.minor) }
    return newest.map { name(major: $0.major, minor: $0.minor) } ?? "0"
  }()

  /// The Unicode version of the table that ``isSurelyStored(_:)`` uses.
  package static var tableVersion: String {
    let version = Int(osd_form_table_version())
    return name(major: version >> 8, minor: version & 0xFF)
  }

  private static func name(major: Int, minor: Int) -> String {
    minor == 0 ? "\(major)" : "\(major).\(minor)"
  }
}

/// Sorts long runs of combining marks. The standard library takes quadratic time for them: 1.6 s for 64,000 marks.
extension StoredText {
  /// Runs of up to this many marks are left to the standard library. It takes 10 µs for a hundred marks.
  private static let longRun = 128

  /// The normal form C of a text. Takes time proportional to the length of the text.
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

  /// An equal text in which the marks of each run are sorted by combining class, as in normal forms. Marks of the same
  /// class keep their order. Nil if the text is sorted already.
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

  /// The sort key of a mark: its combining class in the highest bits, then its index in the run, then its scalar. Nil
  /// for other scalars.
  private static func markKey(of scalar: Unicode.Scalar, at place: Int) -> UInt64? {
    guard mayBeMark(scalar) else { return nil }
    let combiningClass = scalar.properties.canonicalCombiningClass.rawValue
    guard combiningClass != 0 else { return nil }
    return UInt64(combiningClass) << 56 | UInt64(place) << 21 | UInt64(scalar.value)
  }

  /// Returns false for most scalars of most texts, which avoids looking up their combining class. If the result were
  /// wrong for a mark, the mark would only end the run, and the sorted text would still equal the original.
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
  /// Returns a negative number, 0 or a positive number if the first text sorts before, equal to or after the second, in
  /// the order of stores: by the bytes of the stored forms.
  ///
  /// Swift's `<` has the same order, but it is not defined for all texts. In Swift 6.3, neither of `"cafe\u{301}"` and
  /// `"caf\u{E9}s"` is less than the other.
  package static func compare(_ lhs: String, _ rhs: String) -> Int {
    compare(forms: form(of: lhs), form(of: rhs))
  }

  /// Returns the result of ``compare(_:_:)`` for two texts that are already in stored form.
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

/// Records the originals of a batch of rows: the exact values, where they differ from the stored form in the column.
///
/// The stored form of a text is its ``StoredText/form(of:)``, that of -0.0 is 0. If an engine's columns contain these
/// forms, it also stores each differing value as an original, in the same transaction. The original names its row and
/// its column. It is valid only as long as the column contains its form. So other programs may change the column
/// without updating the originals.
///
/// Used only within the transaction that executes the batch's statements.
package final class OriginalNotes {
  /// One original: the exact value of a column in a row.
  package struct Note: Sendable {
    /// The index of the row's object in the batch.
    package let row: Int
    /// The primary key of the object. An upsert may instead write to an existing row with another key.
    package let key: Int64
    /// The number of the statement's parameter to which the stored form is bound.
    package let parameter: Int32
    /// The original text, or ``negativeZero``.
    package let original: String

    package init(row: Int, key: Int64, parameter: Int32, original: String) {
      self.row = row
      self.key = key
      self.parameter = parameter
      self.original = original
    }
  }

  /// The text that represents the original -0.0.
  package static let negativeZero = "-0.0"

  private var notes: [Note] = []
  /// The indices of rejected rows whose originals ``discard(rowAt:)`` may not have removed completely.
  private var discarded: Set<Int> = []
  /// Whether the batch records ``keys``, so that the engine can delete the originals that the rows had before.
  package private(set) var wantsKeys = false
  /// The keys of all rows of the batch.
  package private(set) var keys: [Int64] = []
  /// Whether the batch has originals or needs keys. If not, as usual, the other methods return at once.
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

  /// Removes the originals of a row that the database has rejected.
  package func discard(rowAt index: Int) {
    guard isUsed else { return }
    // The originals of a row that was just rejected are the last ones. All others are filtered in ``take()``, because
    // searching the whole list for each rejected row would take quadratic time.
    while notes.last?.row == index { notes.removeLast() }
    if !notes.isEmpty { discarded.insert(index) }
  }

  /// Returns the originals, and removes them.
  package func take() -> [Note] {
    guard !isEmpty else { return [] }
    defer { (notes, discarded) = ([], []) }
    return discarded.isEmpty ? notes : notes.filter { !discarded.contains($0.row) }
  }
}

/// Encodes Codable values as JSON text, if no column type can store them directly.
///
/// Keys are sorted, so that equal values have equal texts. Numbers that JSON cannot represent are encoded as strings.
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
