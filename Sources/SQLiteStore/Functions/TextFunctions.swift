import CSQLite
import CSQLiteShim
import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Functions that search and count texts by characters, as Swift does.
///
/// C code handles nearly all texts by comparing bytes, and calls these functions only if that does not suffice. The
/// functions receive texts in stored form (with escapes for U+0000 and U+0001) and convert them back.
package enum TextFunctions {
  package static func register(on connection: OpaquePointer) -> Int32 {
    osd_sqlite_register_text_functions(connection, functions)
  }

  /// Created once and never changed or freed, because connections reference it until they are closed.
  private nonisolated(unsafe) static let functions: UnsafePointer<osd_text_functions> = {
    let functions = UnsafeMutablePointer<osd_text_functions>.allocate(capacity: 1)
    functions.initialize(
      to: osd_text_functions(
        contains: { text, textCount, part, partCount in
          TextFunctions.hasPart(TextFunctions.text(text, textCount), TextFunctions.text(part, partCount)) ? 1 : 0
        },
        starts: { text, textCount, part, partCount in
          TextFunctions.text(text, textCount).starts(with: TextFunctions.text(part, partCount)) ? 1 : 0
        },
        count: { text, textCount in TextFunctions.text(text, textCount).count },
        containsLocalized: { text, textCount, part, partCount in
          let (text, part) = (TextFunctions.text(text, textCount), TextFunctions.text(part, partCount))
          return LocalizedComparison.contains(text, part) ? 1 : 0
        },
        foldsASCII: LocalizedComparison.foldsASCII ? 1 : 0))
    return UnsafePointer(functions)
  }()

  /// Converts a text from its stored form back. The bytes are valid during a call of SQLite.
  private static func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
    StoredText.original(ofForm: String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
  }

  /// Returns true if a collection contains another one, compared element by element as predicates compare texts.
  private static func hasPart<Whole: Collection, Part: Collection>(_ whole: Whole, _ part: Part) -> Bool
  where Whole.Element == Part.Element, Whole.Element: Equatable {
    whole.contains(part)
  }
}
