import Foundation

// The last components of key paths in sort descriptors, so that Foundation compares models as a store does: its
// descriptors have only `<` and its own comparator, which ignores the locale on Linux.

/// A string that compares as `localizedStandardCompare` does.
package struct LocalizedStandardText: Comparable, Sendable {
  package let text: String

  package static func < (lhs: LocalizedStandardText, rhs: LocalizedStandardText) -> Bool {
    TextOrder.localizedStandard.compare(lhs.text, rhs.text) < 0
  }
}

/// A string that compares as `localizedCompare` does.
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
