import Foundation

// Keys that key paths in sort descriptors end with, so that Foundation compares models as a store does: it has no
// descriptor for anything but `<` and its own comparator, which knows no locale on Linux.

/// A text that compares as people expect of a list of names.
package struct LocalizedStandardText: Comparable, Sendable {
  package let text: String

  package static func < (lhs: LocalizedStandardText, rhs: LocalizedStandardText) -> Bool {
    TextOrder.localizedStandard.compare(lhs.text, rhs.text) < 0
  }
}

/// A text that compares by the rules of the locale.
package struct LocalizedText: Comparable, Sendable {
  package let text: String

  package static func < (lhs: LocalizedText, rhs: LocalizedText) -> Bool {
    TextOrder.localized.compare(lhs.text, rhs.text) < 0
  }
}

extension String {
  package var _$localizedStandard: LocalizedStandardText { LocalizedStandardText(text: self) }
  package var _$localized: LocalizedText { LocalizedText(text: self) }
}

extension String? {
  package var _$localizedStandard: LocalizedStandardText? { map { LocalizedStandardText(text: $0) } }
  package var _$localized: LocalizedText? { map { LocalizedText(text: $0) } }
}

extension Bool {
  /// False before true.
  package var _$rank: Int { self ? 1 : 0 }
}

extension Bool? {
  package var _$rank: Int? { map { $0 ? 1 : 0 } }
}
