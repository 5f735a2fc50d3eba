#if !canImport(Darwin)
  import Foundation

  // Foundation on Linux has one standard comparator, `.lexical`, and no initialiser for others. The localized
  // comparators differ from it in two fields, so they are created as copies with other values in these fields. Unsafe:
  // the code writes to a value of another module's type. The type is trivial, and nothing beyond its size is written.
  // The result is verified by encoding it. If Foundation changes the layout, the comparator is `.lexical`.

  extension String.StandardComparator {
    /// Compares strings by the rules of the locale, digits by their numeric value, and case only as the last criterion.
    ///
    /// Models and fetches that are sorted by this comparator have the same order as on Apple's systems.
    public static let localizedStandard = marked(options: .numeric)

    /// Compares strings by the rules of the locale.
    public static let localized = marked(options: [])

    private static func marked(options: String.CompareOptions) -> String.StandardComparator {
      var comparator = String.StandardComparator.lexical
      let flag = MemoryLayout<String.CompareOptions>.size
      guard MemoryLayout<String.StandardComparator>.size == flag + 2 else { return .lexical }
      withUnsafeMutableBytes(of: &comparator) { bytes in
        bytes.storeBytes(of: options.rawValue, as: UInt.self)
        bytes.storeBytes(of: 1, toByteOffset: flag, as: UInt8.self)
      }
      return comparator.fields == ComparatorFields(options: options.rawValue, isLocalized: true) ? comparator : .lexical
    }

    private var fields: ComparatorFields? {
      guard let json = try? JSONEncoder().encode(self) else { return nil }
      return try? JSONDecoder().decode(ComparatorFields.self, from: json)
    }
  }

  /// The encoded fields of a standard comparator.
  private struct ComparatorFields: Decodable, Equatable {
    let options: UInt
    let isLocalized: Bool
  }

  /// Compares strings by the rules of the locale. `sorted(using: .localizedStandard)` uses this type.
  ///
  /// Foundation's `String.Comparator`, which this type replaces, ignores the locale on Linux.
  public struct LocalizedTextComparator: SortComparator, Sendable {
    /// The direction in which the strings are sorted.
    public var order: SortOrder = .forward
    let textOrder: TextOrder

    /// Compares two strings in the direction of ``order``.
    ///
    /// - Parameters:
    ///   - lhs: The left string.
    ///   - rhs: The right string.
    /// - Returns: The order of the strings in the direction of ``order``.
    public func compare(_ lhs: String, _ rhs: String) -> ComparisonResult {
      let result = textOrder.compare(lhs, rhs)
      guard result != 0 else { return .orderedSame }
      return (result < 0) == (order == .forward) ? .orderedAscending : .orderedDescending
    }
  }

  extension SortComparator where Self == LocalizedTextComparator {
    /// Compares strings by the rules of the locale, digits by their numeric value, and case only as the last criterion.
    public static var localizedStandard: LocalizedTextComparator {
      LocalizedTextComparator(textOrder: .localizedStandard)
    }

    /// Compares strings by the rules of the locale.
    public static var localized: LocalizedTextComparator { LocalizedTextComparator(textOrder: .localized) }
  }
#endif

extension String.StandardComparator {
  /// The localized comparison that this comparator makes, regardless of its direction; nil for the lexical comparator.
  package var textOrder: TextOrder? {
    var forward = self
    forward.order = .forward
    if forward == .localizedStandard, forward != .lexical { return .localizedStandard }
    return forward == .localized && forward != .lexical ? .localized : nil
  }
}
