import SeededNumbers
import Testing

@testable import PersistenceSupport

@Suite("The stored form of texts")
struct StoredTextTests {
  /// All texts of up to three scalars from a small set.
  private static let shortTexts: [String] = {
    let scalars = ["\u{0}", "\u{1}", "\u{2}", "a", "\u{E9}"]
    var texts = [""]
    for _ in 0..<3 { texts += texts.flatMap { text in scalars.map { text + $0 } } }
    return Array(Set(texts))
  }()

  @Test(
    "U+0000 and U+0001 are escaped: no stored byte is 0, different texts stay different, and the order of texts is kept"
  )
  func escape() {
    #expect(Self.shortTexts.count == 156)
    let forms = Self.shortTexts.map { StoredText.form(of: $0) }
    for (text, form) in zip(Self.shortTexts, forms) {
      #expect(!form.utf8.contains(0))
      #expect(StoredText.original(ofForm: form).utf8.elementsEqual(text.utf8), "\(Array(text.utf8))")
      for (other, otherForm) in zip(Self.shortTexts, forms) {
        guard
          form.utf8.elementsEqual(otherForm.utf8) == text.utf8.elementsEqual(other.utf8),
          form.utf8.lexicographicallyPrecedes(otherForm.utf8) == text.utf8.lexicographicallyPrecedes(other.utf8)
        else {
          Issue.record("\(Array(text.utf8)) and \(Array(other.utf8))")
          return
        }
      }
    }
    #expect(Array(StoredText.form(of: "\u{0}a\u{1}").utf8) == [1, 1, 97, 1, 2])
    #expect(Array(StoredText.form(of: "\u{0}\u{301}").utf8) == [1, 1, 0xCC, 0x81])
  }

  @Test("texts that another program stored without a valid escape are read unchanged")
  func foreignEscapes() {
    for text in ["\u{1}", "\u{1}\u{3}", "a\u{1}\u{E9}", "\u{1}\u{0}", "\u{1}\u{301}", "\u{0}", "\u{2}\u{2}"] {
      #expect(StoredText.original(ofForm: text).utf8.elementsEqual(text.utf8), "\(Array(text.utf8))")
    }
    #expect(StoredText.original(ofForm: "\u{1}\u{1}\u{1}").utf8.elementsEqual([0, 1]))
    #expect(StoredText.original(ofForm: "\u{1}\u{2}\u{2}").utf8.elementsEqual([1, 2]))
    #expect(StoredText.original(ofForm: "cafe\u{301}").utf8.elementsEqual("cafe\u{301}".utf8), "no normal form")
  }

  private static let spelledTexts: [(String, String)] = [
    ("cafe\u{301}", "caf\u{E9}"), ("\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}", "\u{D55C}\u{AE00}"),
    ("\u{AC00}\u{11A8}", "\u{AC01}"), ("x\u{323}\u{31B}", "x\u{31B}\u{323}"), ("\u{212A}", "K"),
    ("\u{16D63}\u{16D68}", "\u{16D6A}"),
  ]

  @Test(
    "a text that is not in normal form has a different stored form; a normalized text does not", arguments: spelledTexts
  )
  func spelling(_ text: String, _ form: String) {
    #expect(StoredText.differingForm(of: text).map { Array($0.utf8) } == Array(form.utf8))
    #expect(StoredText.differingForm(of: form) == nil)
    #expect(StoredText.form(of: form).utf8.elementsEqual(form.utf8))
  }

  @Test(
    "a text has a different stored form exactly if the bytes differ, and normalizing a stored form changes nothing"
  )
  func idempotence() {
    let seed = SeededGenerator.chosenSeed
    var texts = RandomTexts(seed: seed)
    var formCount = 0
    for step in 0..<20_000 {
      let text = texts.text(8)
      let expected = String(decoding: text._nfcCodeUnits, as: UTF8.self)
      let form = StoredText.form(of: text)
      formCount += StoredText.differingForm(of: text) == nil ? 0 : 1
      let isEscaped = text.utf8.contains { $0 < 2 }
      let isUnlike = text.unicodeScalars.contains(where: TextScalars.unlike.contains)
      guard
        (StoredText.differingForm(of: text) == nil) == form.utf8.elementsEqual(text.utf8),
        StoredText.original(ofForm: form).utf8.elementsEqual(expected.utf8),
        isEscaped || form.utf8.elementsEqual(expected.utf8),
        isEscaped || isUnlike || StoredText.differingForm(of: form) == nil
      else {
        Issue.record("seed \(seed), step \(step): \(PairCounts.description(text))")
        return
      }
    }
    #expect((2_000..<18_000).contains(formCount), "seed \(seed)")
  }

  @Test("texts with long runs of combining marks have the same stored form as in the standard library")
  func runs() {
    let seed = SeededGenerator.chosenSeed
    var texts = RandomTexts(seed: seed)
    for step in 0..<40 {
      // The text has two runs of marks, or one run that U+0F73 or a base character divides.
      let text = texts.run(of: 200 + texts.below(400)) + texts.text(2) + texts.run(of: texts.below(400))
      let form = StoredText.original(ofForm: StoredText.form(of: text))
      #expect(form.utf8.elementsEqual(text._nfcCodeUnits), "seed \(seed), step \(step)")
    }
  }

  @Test(
    "half a million combining marks do not take minutes, as they do in the standard library", .timeLimit(.minutes(10)))
  func growth() {
    let marks = ["\u{301}", "\u{323}", "\u{5B0}", "\u{31B}", "\u{E38}", "\u{345}"]
    let text = "q" + (0..<500_000).map { marks[$0 * 7_919 % 6] }.joined()
    let form = StoredText.form(of: text)
    #expect(form.unicodeScalars.count == text.unicodeScalars.count)
    let classes = form.unicodeScalars.map { $0.properties.canonicalCombiningClass.rawValue }
    #expect(zip(classes, classes.dropFirst()).allSatisfy(<=))
  }

  @Test("normalizing the form of a text with U+0F73 again changes it, and '==' also treats the two forms as different")
  func unlike() {
    let text = "a\u{F80}\u{F73}"
    let form = StoredText.form(of: text)
    #expect(form.utf8.elementsEqual("a\u{F80}\u{F71}\u{F72}".utf8))
    #expect(text != form)
    #expect(StoredText.form(of: form).utf8.elementsEqual("a\u{F71}\u{F80}\u{F72}".utf8))
  }

  @Test("the reported version of Unicode is that of the newest scalar in the standard library")
  func version() {
    let ages = TextScalars.all.compactMap(\.properties.age)
    let newest = ages.max { ($0.major, $0.minor) < ($1.major, $1.minor) }
    let name = newest.map { $0.minor == 0 ? "\($0.major)" : "\($0.major).\($0.minor)" }
    #expect(StoredText.unicodeVersion == name)
  }

  @Test("each Unicode version assigned a scalar directly behind an older one, by which the version can be detected")
  func rows() {
    var versions: Set<Int> = []
    var found: Set<Int> = []
    var former = 0
    for scalar in TextScalars.all {
      let version = scalar.properties.age.map { $0.major * 100 + $0.minor } ?? .max
      if version != .max {
        versions.insert(version)
        if former < version { found.insert(version) }
      }
      former = version
    }
    #expect(versions.count >= 25)
    #expect(versions.subtracting(found).isEmpty)
  }
}
