import Foundation

/// Localized comparison and search of strings, shared by in-memory predicates and stores.
package enum LocalizedComparison {
  /// Whether a string contains another one, ignoring case and diacritics.
  package static func contains(_ text: String, _ other: String) -> Bool {
    text.localizedStandardContains(other)
  }

  package static func compare(_ text: String, _ other: String, _ comparison: TextComparison) -> ComparisonResult {
    switch comparison {
    case .caseInsensitive: text.caseInsensitiveCompare(other)
    case .localized: text.localizedCompare(other)
    }
  }

  /// Whether the current language folds the case of ASCII letters in the standard way, unlike Turkish.
  package static var foldsASCII: Bool {
    !["tr", "az", "lt"].contains(Locale.current.language.languageCode?.identifier ?? "")
  }
}
