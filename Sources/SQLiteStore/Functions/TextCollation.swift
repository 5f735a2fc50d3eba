import CSQLite
import CSQLiteShim
import Foundation
import PersistenceRuntime

/// Texts as Swift compares, searches and counts them: by characters, which are equal when they are canonically
/// equivalent, and ordered by the scalars of their normal form.
///
/// C code answers where bytes tell, which is for nearly all texts, and asks here where they do not.
package enum TextCollation {
  package static let name = "UNICODE"

  /// Registers the collation on a connection.
  package static func register(on connection: OpaquePointer) -> Int32 {
    osd_sqlite_register_text_collation(connection, name, functions)
  }

  /// Registers the functions of texts on a connection.
  package static func registerFunctions(on connection: OpaquePointer) -> Int32 {
    osd_sqlite_register_text_functions(connection, functions)
  }

  /// Compares two texts as the collation does.
  package static func compare(_ lhs: String, _ rhs: String) -> Int32 {
    var (lhs, rhs) = (lhs, rhs)
    return lhs.withUTF8 { left in
      rhs.withUTF8 { right in
        osd_text_compare(functions, left.baseAddress, left.count, right.baseAddress, right.count)
      }
    }
  }

  /// The functions, made once and never changed or freed: connections refer to them for as long as they live.
  private nonisolated(unsafe) static let functions: UnsafePointer<osd_text_functions> = {
    let functions = UnsafeMutablePointer<osd_text_functions>.allocate(capacity: 1)
    functions.initialize(
      to: osd_text_functions(
        compare: { left, leftCount, right, rightCount in
          TextCollation.order(TextCollation.text(left, leftCount), TextCollation.text(right, rightCount))
        },
        contains: { text, textCount, part, partCount in
          TextCollation.hasPart(TextCollation.text(text, textCount), TextCollation.text(part, partCount)) ? 1 : 0
        },
        starts: { text, textCount, part, partCount in
          TextCollation.text(text, textCount).starts(with: TextCollation.text(part, partCount)) ? 1 : 0
        },
        count: { text, textCount in TextCollation.text(text, textCount).count },
        containsLocalized: { text, textCount, part, partCount in
          let (text, part) = (TextCollation.text(text, textCount), TextCollation.text(part, partCount))
          return LocalizedComparison.contains(text, part) ? 1 : 0
        },
        normalForm: { text, count, formCount in
          TextCollation.bytes(
            of: TextCollation.text(text, count).precomposedStringWithCanonicalMapping, count: formCount)
        },
        foldsASCII: LocalizedComparison.foldsASCII ? 1 : 0))
    return UnsafePointer(functions)
  }()

  /// How two texts compare by Swift.
  ///
  /// Of a text in one form and a longer one in another, Swift 6.3 says that neither comes before the other
  /// ("cafe\u{301}" and "caf\u{E9}s"), which would put an index into disorder: then the scalars of the normal form decide.
  private static func order(_ lhs: String, _ rhs: String) -> Int32 {
    if lhs == rhs { return 0 }
    let (isBefore, isAfter) = (lhs < rhs, rhs < lhs)
    if isBefore != isAfter { return isBefore ? -1 : 1 }
    let left = lhs.precomposedStringWithCanonicalMapping.unicodeScalars
    let right = rhs.precomposedStringWithCanonicalMapping.unicodeScalars
    return left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  /// A text that SQLite lends for the duration of a call.
  private static func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
    String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// The bytes of a text in memory that the caller frees.
  private static func bytes(of text: String, count: UnsafeMutablePointer<Int>?) -> UnsafeMutablePointer<UInt8>? {
    let bytes = Array(text.utf8)
    // One more, since memory of no size may be nil.
    guard let copy = malloc(bytes.count + 1)?.bindMemory(to: UInt8.self, capacity: bytes.count + 1) else { return nil }
    copy.update(from: bytes, count: bytes.count)
    count?.pointee = bytes.count
    return copy
  }

  /// Whether a collection contains another one, element by element, which for texts is what predicates do.
  private static func hasPart<Whole: Collection, Part: Collection>(_ whole: Whole, _ part: Part) -> Bool
  where Whole.Element == Part.Element, Whole.Element: Equatable {
    whole.contains(part)
  }
}
