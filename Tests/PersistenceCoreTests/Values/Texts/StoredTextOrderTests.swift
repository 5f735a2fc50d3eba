import Foundation
import SeededNumbers
import Testing

@testable import PersistenceSupport

@Suite("Bytes of stored forms, and the operators of texts")
struct StoredTextOrderTests {
  private static let factor = ProcessInfo.processInfo.environment["OSD_SOAK"].flatMap { Int($0) } ?? 1

  @Test("texts are equal exactly if the bytes of their forms are equal, and '<' has the order of the bytes")
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
    // Checks that the pairs are varied.
    #expect(counts.equal > counts.all / 5 && counts.ordered > counts.all / 10, "seed \(seed): \(counts)")
  }

  @Test(
    "the bytes also agree with == and '<' for texts with runs of thousands of combining marks",
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
    // Few pairs may contain no equal one.
    #expect(counts.equal > 0 || counts.all < 100, "seed \(seed): \(counts)")
  }

  @Test("the bytes order different texts for which '<' is false in both directions")
  func neither() {
    let (text, longer) = ("cafe\u{301}", "caf\u{E9}s")
    #expect(text != longer && !(text < longer) && !(longer < text))
    #expect(PairCounts.precedes(text, longer) && !PairCounts.precedes(longer, text))
  }

  @Test("the bytes order canonically equivalent texts alike relative to other texts, which '<' does not")
  func alike() {
    let (text, spellings) = ("x\u{323}", ["x\u{323}\u{31B}", "x\u{31B}\u{323}"])
    #expect(spellings[0] == spellings[1] && text < spellings[0] && spellings[1] < text)
    for spelling in spellings {
      #expect(PairCounts.precedes(spelling, text) && !PairCounts.precedes(text, spelling))
    }
  }
}

/// Counts of pairs of texts that were compared by operators and by the bytes of their forms.
struct PairCounts {
  private(set) var all = 0
  private(set) var equal = 0
  private(set) var ordered = 0

  /// Whether both comparisons agree, where the operators are consistent.
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

  /// Whether '<' orders two different texts as their normal forms. It does not if a text is not in normal form and one
  /// text, or its form, is a prefix of the other; nor for scalars whose form is not Unicode's.
  private static func hasOrder(_ text: String, _ form: String, _ other: String, _ otherForm: String) -> Bool {
    let scalars = [text, other].flatMap { Array($0.unicodeScalars) }
    guard !scalars.contains(where: TextScalars.unlike.contains) else { return false }
    guard isPrefix(text, other) || isPrefix(form, otherForm) else { return true }
    return form.utf8.elementsEqual(text.utf8) && otherForm.utf8.elementsEqual(other.utf8)
  }

  /// Whether the bytes of one of the texts are a prefix of the other's.
  private static func isPrefix(_ text: String, _ other: String) -> Bool {
    zip(text.utf8, other.utf8).allSatisfy(==)
  }

  static func description(_ text: String) -> String {
    text.unicodeScalars.map { String($0.value, radix: 16, uppercase: true) }.joined(separator: " ")
  }
}
