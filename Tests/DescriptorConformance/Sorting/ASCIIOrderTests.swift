import PersistenceCore
import PersistenceSupport
import SwiftData
import Testing

@Suite("The comparison of texts by locale")
struct ASCIIOrderTests {
  @Test("the fast comparison of ASCII agrees with Foundation's", arguments: [TextOrder.localized, .localizedStandard])
  func fuzz(_ order: TextOrder) {
    let seed = RandomTesting.seed
    var generator = SeededGenerator(seed: seed)
    let common = Array("abABzZ019 -_.#'é\u{301}ß日0012".unicodeScalars)
    func text() -> String {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...7, using: &generator) {
        let isCommon = Int.random(in: 0..<3, using: &generator) > 0
        let scalar =
          isCommon
          ? common.randomElement(using: &generator) : Unicode.Scalar(UInt8.random(in: 32...126, using: &generator))
        scalar.map { text.append($0) }
      }
      return String(text)
    }
    for _ in 0..<10_000 * RandomTesting.soak {
      let start = text()
      let (left, right) = (start + text(), start + text())
      let found = order.compare(left, right)
      // Foundation distinguishes canonically equivalent texts. A store contains only the composed form of each text.
      let wanted = order.compareByLocale(StoredText.composed(left), StoredText.composed(right))
      #expect(found == wanted, "seed \(seed): \(left.debugDescription), \(right.debugDescription)")
      if found != wanted { return }
    }
  }
}
