import Foundation

/// How people compare and search texts, in one place: for predicates in memory, and for stores that ask.
package enum LocalizedComparison {
  /// Whether a text contains another one, whatever the case and the accents of its letters.
  package static func contains(_ text: String, _ other: String) -> Bool {
    text.localizedStandardContains(other)
  }

  package static func compare(_ text: String, _ other: String, _ comparison: TextComparison) -> ComparisonResult {
    switch comparison {
    case .caseInsensitive: text.caseInsensitiveCompare(other)
    case .localized: text.localizedCompare(other)
    }
  }

  /// Whether the language that is set folds the case of ASCII letters as all others do, which Turkish does not.
  package static var foldsASCII: Bool {
    !["tr", "az", "lt"].contains(Locale.current.language.languageCode?.identifier ?? "")
  }
}
