#if !canImport(Darwin)
  import Foundation

  // Foundation on Linux has one standard comparator, `.lexical`, and no way to make others. Theirs differ from it by
  // two fields, so the others are copies of it in which those are set. Unsafe because it writes to a value of another
  // module without its help. It holds because the value has no references, because nothing is written beyond its size,
  // and because the result is asked, through its own `Codable`, whether it has become what it was to become; a
  // Foundation that keeps its fields elsewhere gives `.lexical`.

  extension String.StandardComparator {
    /// Compares texts as a list of names is expected to be: by the locale, numbers by value, and case last.
    ///
    /// Sort descriptors of models, and fetches, compare with it as Foundation does on Apple's systems.
    public static let localizedStandard = marked(options: .numeric)

    /// Compares texts by the rules of the locale.
    public static let localized = marked(options: [])

    private static func marked(options: String.CompareOptions) -> String.StandardComparator {
      var comparator = String.StandardComparator.lexical
      let flag = MemoryLayout<String.CompareOptions>.size
      guard MemoryLayout<String.StandardComparator>.size == flag + 2 else { return .lexical }
      withUnsafeMutableBytes(of: &comparator) { bytes in
        bytes.storeBytes(of: options.rawValue, as: UInt.self)
        bytes.storeBytes(of: 1, toByteOffset: flag, as: UInt8.self)
      }
      return comparator.fields == Fields(options: options.rawValue, isLocalized: true) ? comparator : .lexical
    }

    private var fields: Fields? {
      guard let json = try? JSONEncoder().encode(self) else { return nil }
      return try? JSONDecoder().decode(Fields.self, from: json)
    }
  }

  /// What a standard comparator says of itself.
  private struct Fields: Decodable, Equatable {
    let options: UInt
    let isLocalized: Bool
  }

  /// Compares texts by the rules of the locale: what `sorted(using: .localizedStandard)` is given.
  ///
  /// Foundation's own `String.Comparator` knows no locale on Linux, so this type is there in its place.
  public struct LocalizedTextComparator: SortComparator, Sendable {
    public var order: SortOrder = .forward
    let textOrder: TextOrder

    public func compare(_ lhs: String, _ rhs: String) -> ComparisonResult {
      let result = textOrder.compare(lhs, rhs)
      guard result != 0 else { return .orderedSame }
      return (result < 0) == (order == .forward) ? .orderedAscending : .orderedDescending
    }
  }

  extension SortComparator where Self == LocalizedTextComparator {
    /// Compares texts as a list of names is expected to be: by the locale, numbers by value, and case last.
    public static var localizedStandard: LocalizedTextComparator {
      LocalizedTextComparator(textOrder: .localizedStandard)
    }

    /// Compares texts by the rules of the locale.
    public static var localized: LocalizedTextComparator { LocalizedTextComparator(textOrder: .localized) }
  }
#endif

extension String.StandardComparator {
  /// The localized comparison that this one stands for, in whatever direction; nil for the comparison by scalars.
  package var textOrder: TextOrder? {
    var forward = self
    forward.order = .forward
    if forward == .localizedStandard, forward != .lexical { return .localizedStandard }
    return forward == .localized && forward != .lexical ? .localized : nil
  }
}
