import Foundation

/// How texts compare where people read the result: Foundation's localized comparisons.
///
/// The locale is the process's. Stores and memory compare through this one function, so that saved and pending models
/// are in the same order.
package enum TextOrder: UInt8, Sendable, Hashable {
  /// As `localizedCompare`.
  case localized
  /// As `localizedStandardCompare`: numbers in texts by value, and case only where nothing else differs.
  case localizedStandard

  /// Less than, equal to or greater than zero, as one text comes before, with or after the other.
  package func compare(_ lhs: String, _ rhs: String) -> Int32 {
    var (left, right) = (lhs, rhs)
    let quick = left.withUTF8 { left in
      right.withUTF8 { right in compareQuickly(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right)) }
    }
    return quick ?? compareByLocale(lhs, rhs)
  }

  /// The same for texts in UTF-8.
  package func compare(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int32 {
    compareQuickly(lhs, rhs)
      ?? compareByLocale(String(decoding: lhs, as: UTF8.self), String(decoding: rhs, as: UTF8.self))
  }

  /// Foundation's own comparison.
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
