import Foundation

extension StoredText {
  /// Negative, zero or positive, as the first text comes before, with or after the second: the order of stores, which is
  /// that of the bytes of stored forms.
  ///
  /// Swift's `<` has the same order where it has one: in Swift 6.3, of `"cafe\u{301}"` and `"caf\u{E9}s"` neither precedes
  /// the other.
  package static func compare(_ lhs: String, _ rhs: String) -> Int {
    compare(forms: form(of: lhs), form(of: rhs))
  }

  /// The same for texts in stored form.
  package static func compare(forms lhs: String, _ rhs: String) -> Int {
    var (lhs, rhs) = (lhs, rhs)
    return lhs.withUTF8 { left in
      rhs.withUTF8 { right in
        // No bytes may have no address.
        guard let start = left.baseAddress, let other = right.baseAddress else { return left.count - right.count }
        let first = Int(memcmp(start, other, min(left.count, right.count)))
        return first == 0 ? left.count - right.count : first
      }
    }
  }
}
