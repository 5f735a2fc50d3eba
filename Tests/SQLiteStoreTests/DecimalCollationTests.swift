import SQLiteStore
import Testing

@Suite("The order of decimals")
struct DecimalCollationTests {
  private func compare(_ lhs: String, _ rhs: String) -> Int32 {
    Array(lhs.utf8).withUnsafeBytes { left in
      Array(rhs.utf8).withUnsafeBytes { right in DecimalCollation.compare(left, right) }
    }
  }

  /// Groups of texts in ascending order. The texts of a group represent the same number.
  private static let groups: [[String]] = [
    ["NaN"], ["-1e40", "-10000000000000000000000000000000000000000"], ["-10.5"], ["-10", "-10.00", "-010"], ["-9.99"],
    ["-0.5", "-.5", "-5E-1"], ["-0.05"], ["0", "-0", "0.000", "+0", "0e5", ".0"], ["0.0000000000000000000000001"],
    ["0.05", "0.050"], ["0.1"], ["0.10000000000000000000000000000000000001"], ["1", "1.", "+1", "1.000", "10e-1"],
    ["1.5", "1.50"], ["2"], ["10", "1e1"], ["12.3"], ["100"],
    ["99999999999999999999999999999999999999.9"], ["1E+40"],
    [""], ["-"], ["."], ["1.2.3"], ["1e"], ["1e99999999999"], ["x"],
  ]

  @Test("decimals are in the order of their exact values, not-a-number first, and other texts last by their bytes")
  func order() {
    let texts = Self.groups.enumerated().flatMap { group, texts in texts.map { (group, $0) } }
    let numberCount = Self.groups.count - 7
    for (left, lhs) in texts {
      for (right, rhs) in texts where left < numberCount || right < numberCount || left == right {
        #expect(compare(lhs, rhs).signum() == Int32((left - right).signum()), "\(lhs) and \(rhs)")
      }
    }
    #expect(compare("x", "xy") < 0)
  }
}
