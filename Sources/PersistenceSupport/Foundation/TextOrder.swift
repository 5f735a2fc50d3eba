import Foundation

/// Foundation's localized string comparisons, in the locale of the process.
///
/// Stores and in-memory sorting both use it, so that saved and pending models have the same order.
package enum TextOrder: UInt8, Sendable, Hashable {
  /// `localizedCompare`.
  case localized
  /// `localizedStandardCompare`: numbers by value, and case only as the last criterion.
  case localizedStandard

  /// Negative, zero or positive, as the first string orders before, with or after the second.
  package func compare(_ lhs: String, _ rhs: String) -> Int32 {
    var (left, right) = (lhs, rhs)
    let quick = left.withUTF8 { left in
      right.withUTF8 { right in compareQuickly(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right)) }
    }
    return quick ?? compareByLocale(lhs, rhs)
  }

  /// The same comparison of texts in stored form.
  package func compare(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int32 {
    // The shortcut gives up at controls, so it sees no escape.
    compareQuickly(lhs, rhs) ?? compareByLocale(original(ofForm: lhs), original(ofForm: rhs))
  }

  private func original(ofForm bytes: UnsafeRawBufferPointer) -> String {
    StoredText.original(ofForm: String(decoding: bytes, as: UTF8.self))
  }

  /// Foundation's comparison, without the shortcut for ASCII.
  package func compareByLocale(_ lhs: String, _ rhs: String) -> Int32 {
    let result =
      switch self {
      case .localized: lhs.localizedCompare(rhs)
      case .localizedStandard: lhs.localizedStandardCompare(rhs)
      }
    return Int32(result.rawValue)
  }

  private func compareQuickly(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int32? {
    guard ASCIIOrder.isThatOfLocale else { return nil }
    return ASCIIOrder.compare(lhs, rhs, comparesNumbers: self == .localizedStandard)
  }
}
