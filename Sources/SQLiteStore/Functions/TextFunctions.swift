import CSQLite
import CSQLiteShim
import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Functions that search and count texts by characters, as Swift does.
///
/// C code answers if bytes suffice, which is so for nearly all texts, and calls these functions otherwise. Texts arrive
/// in stored form, and are converted to their originals here.
package enum TextFunctions {
  /// Registers the functions on a connection.
  package static func register(on connection: OpaquePointer) -> Int32 {
    osd_sqlite_register_text_functions(connection, functions)
  }

  /// Created once and never changed or freed: connections refer to it for their whole life.
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

  /// The original of a text in stored form, whose bytes are valid during a call of SQLite.
  private static func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
    StoredText.original(ofForm: String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
  }

  /// Whether a collection contains another, element by element, as predicates compare texts.
  private static func hasPart<Whole: Collection, Part: Collection>(_ whole: Whole, _ part: Part) -> Bool
  where Whole.Element == Part.Element, Whole.Element: Equatable {
    whole.contains(part)
  }
}
