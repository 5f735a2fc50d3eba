import Foundation
import SeededNumbers
import Testing

@testable import PersistenceSupport

@Suite("Comparison of stored texts by bytes, and Swift's operators")
struct StoredTextOrderTests {
  private static let factor = ProcessInfo.processInfo.environment["OSD_SOAK"].flatMap { Int($0) } ?? 1

  @Test("texts are equal exactly if the bytes of their stored forms are equal, and '<' orders them as the bytes do")
  func short() {
    let seed = SeededGenerator.chosenSeed
    var texts = RandomTexts(seed: seed)
    var counts = PairCounts()
    for step in 0..<20_000 * Self.factor {
      let text = texts.text(8)
      let other = texts.below(5) == 0 ? texts.text(8) : texts.variant(of: text)
      guard counts.add(text, other) else {
        Issue.record("seed \(seed), step \(step): \(PairCounts.description(text)) and \(PairCounts.description(other))")
        return
      }
    }
    // Checks that the random pairs include enough equal and enough ordered ones.
    #expect(counts.equal > counts.all / 5 && counts.ordered > counts.all / 10, "seed \(seed): \(counts)")
  }

  @Test(
    "comparing bytes agrees with == and '<' for texts with thousands of consecutive combining marks",
    arguments: [10, 100, 1_000, 5_000])
  func runs(_ most: Int) {
    let seed = SeededGenerator.chosenSeed
    var texts = RandomTexts(seed: seed &+ UInt64(most))
    var counts = PairCounts()
    for step in 0..<20_000 * Self.factor / most {
      let text = texts.run(of: texts.below(most) + 1)
      let other = texts.variant(of: text)
      guard counts.add(text, other) else {
        Issue.record("seed \(seed), step \(step): \(PairCounts.description(text)) and \(PairCounts.description(other))")
        return
      }
    }
    // A sample of fewer than 100 pairs may contain no equal pair.
    #expect(counts.equal > 0 || counts.all < 100, "seed \(seed): \(counts)")
  }

  @Test("comparing bytes orders different texts for which '<' is false in both directions")
  func neither() {
    let (text, longer) = ("cafe\u{301}", "caf\u{E9}s")
    #expect(text != longer && !(text < longer) && !(longer < text))
    #expect(PairCounts.precedes(text, longer) && !PairCounts.precedes(longer, text))
  }

  @Test("comparing bytes orders canonically equivalent texts alike relative to a third text, whereas '<' does not")
  func alike() {
    let (text, spellings) = ("x\u{323}", ["x\u{323}\u{31B}", "x\u{31B}\u{323}"])
    #expect(spellings[0] == spellings[1] && text < spellings[0] && spellings[1] < text)
    for spelling in spellings {
      #expect(PairCounts.precedes(spelling, text) && !PairCounts.precedes(text, spelling))
    }
  }
}

/// Compares pairs of texts by operators and by the bytes of their stored forms, and counts the pairs.
struct PairCounts {
  private(set) var all = 0
  private(set) var equal = 0
  private(set) var ordered = 0

  /// Compares two texts both ways. Returns true if the results agree, or if the operators are known to be inconsistent
  /// for the two texts.
  mutating func add(_ text: String, _ other: String) -> Bool {
    let (form, otherForm) = (StoredText.form(of: text), StoredText.form(of: other))
    let isEqual = form.utf8.elementsEqual(otherForm.utf8)
    all += 1
    equal += isEqual ? 1 : 0
    guard (text == other) == isEqual else { return false }
    guard !isEqual, Self.hasOrder(text, form, other, otherForm) else { return true }
    ordered += 1
    return (text < other) == Self.precedes(text, other) && (other < text) == Self.precedes(other, text)
  }

  static func precedes(_ text: String, _ other: String) -> Bool {
    StoredText.form(of: text).utf8.lexicographicallyPrecedes(StoredText.form(of: other).utf8)
  }

  /// Returns true if '<' orders two different texts as it orders their normal forms. It does not if a text is not in
  /// normal form and one text, or its form, is a prefix of the other. Nor does it for scalars that the standard library
  /// normalizes differently than Unicode prescribes.
  private static func hasOrder(_ text: String, _ form: String, _ other: String, _ otherForm: String) -> Bool {
    let scalars = [text, other].flatMap { Array($0.unicodeScalars) }
    guard !scalars.contains(where: TextScalars.unlike.contains) else { return false }
    guard isPrefix(text, other) || isPrefix(form, otherForm) else { return true }
    return form.utf8.elementsEqual(text.utf8) && otherForm.utf8.elementsEqual(other.utf8)
  }

  /// Returns true if the bytes of one text begin with the bytes of the other.
  private static func isPrefix(_ text: String, _ other: String) -> Bool {
    zip(text.utf8, other.utf8).allSatisfy(==)
  }

  static func description(_ text: String) -> String {
    text.unicodeScalars.map { String($0.value, radix: 16, uppercase: true) }.joined(separator: " ")
  }
}
