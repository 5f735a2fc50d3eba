import PersistenceSupport

/// A version of Unicode, by which a store has its texts in their stored form.
struct UnicodeVersion: Sendable, Hashable, Comparable {
  let major: Int
  let minor: Int

  init(_ major: Int, _ minor: Int = 0) {
    (self.major, self.minor) = (major, minor)
  }

  /// - Parameter text: Such as `17` or `15.1`; nil for anything else.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.utf8.allSatisfy { 48...57 ~= $0 } ? Int($0) : nil }
    guard let major = numbers.first, numbers.count == parts.count, numbers.count <= 2 else { return nil }
    self.init(major, numbers.count == 2 ? numbers[1] : 0)
  }

  /// The version of the running standard library.
  static let current = UnicodeVersion(StoredText.unicodeVersion) ?? UnicodeVersion(0)

  static func < (lhs: UnicodeVersion, rhs: UnicodeVersion) -> Bool {
    (lhs.major, lhs.minor) < (rhs.major, rhs.minor)
  }

  /// Whether a text has a scalar that a later version than this one assigned, so that its normal form may be another now.
  func isOlder(than text: String) -> Bool {
    text.unicodeScalars.contains { scalar in
      // Below come no marks, and nothing has been assigned there for a long time.
      guard scalar.value >= 0x300, let age = scalar.properties.age else { return false }
      return (age.major, age.minor) > (major, minor)
    }
  }
}

extension UnicodeVersion: CustomStringConvertible {
  var description: String { minor == 0 ? "\(major)" : "\(major).\(minor)" }
}
