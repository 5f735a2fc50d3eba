import Foundation
import SeededNumbers

/// Generates random texts from Unicode scalars that normalization changes, and canonically equivalent spellings of
/// these texts.
struct RandomTexts {
  private var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  /// A random text of at most `most` scalars.
  mutating func text(_ most: Int) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<below(most + 1) { text.append(scalar()) }
    return String(text)
  }

  /// A base character with `count` combining marks. One in three runs has its marks in the order of their combining
  /// classes.
  mutating func run(of count: Int) -> String {
    let marks = (0..<count).map { _ in one(of: TextScalars.marks) }
    return String(scalar()) + text(of: below(3) == 0 ? sortedByClass(marks) : marks)
  }

  /// Another text. In most cases it is canonically equivalent to the given text.
  mutating func variant(of text: String) -> String {
    switch below(8) {
    case 0: return text + self.text(2)
    case 1: return String(String.UnicodeScalarView(text.unicodeScalars.dropLast()))
    case 2: return normalised(text)
    case 3: return reordered(decomposed(normalised(text)))
    case 4, 5: return reordered(decomposed(text))
    case 6: return decomposed(text)
    default: return reordered(text)
    }
  }

  mutating func below(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }

  mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

  private mutating func scalar() -> Unicode.Scalar {
    switch below(16) {
    case 0...3: one(of: TextScalars.marks)
    case 4...6: one(of: TextScalars.decomposable)
    case 7...8: one(of: TextScalars.parts)
    case 9...10: one(of: TextScalars.jamo)
    case 11: one(of: TextScalars.unlike)
    case 12...14: one(of: TextScalars.plain)
    default: Unicode.Scalar(UInt32(below(0x110000))) ?? " "
    }
  }

  /// The text after some of its scalars are replaced by their canonical decompositions.
  private mutating func decomposed(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if below(2) == 0 {
        result.append(scalar)
      } else {
        result.append(contentsOf: TextScalars.decomposition(of: scalar))
      }
    }
    return String(result)
  }

  /// The text after some adjacent combining marks of different classes are exchanged. The result is canonically
  /// equivalent.
  private mutating func reordered(_ text: String) -> String {
    var scalars = Array(text.unicodeScalars)
    for index in scalars.indices.dropFirst() where below(2) == 0 {
      let classes = (combiningClass(scalars[index - 1]), combiningClass(scalars[index]))
      if classes.0 != 0, classes.1 != 0, classes.0 != classes.1 { scalars.swapAt(index - 1, index) }
    }
    return self.text(of: scalars)
  }

  /// The text in Foundation's normalization form C (NFC), which may differ from the standard library's.
  private func normalised(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }

  private func sortedByClass(_ marks: [Unicode.Scalar]) -> [Unicode.Scalar] {
    marks.sorted { combiningClass($0) < combiningClass($1) }
  }

  private func combiningClass(_ scalar: Unicode.Scalar) -> UInt8 {
    scalar.properties.canonicalCombiningClass.rawValue
  }

  private func text(of scalars: [Unicode.Scalar]) -> String { String(String.UnicodeScalarView(scalars)) }
}

/// Lists of the Unicode scalars that normalization may change.
enum TextScalars {
  static let all: [Unicode.Scalar] = (UInt32(0)...0x10FFFF).compactMap { Unicode.Scalar($0) }

  /// All combining marks: scalars whose canonical combining class is not 0.
  static let marks = all.filter { $0.properties.canonicalCombiningClass != .notReordered }

  /// All scalars that have a canonical decomposition, except Hangul syllables.
  static let decomposable = all.prefix { $0.value < 0x30000 }.filter {
    !(0xAC00...0xD7A3).contains($0.value) && Array(decomposition(of: $0)) != [$0]
  }

  /// All scalars that occur in the decompositions of ``decomposable``.
  static let parts = Array(Set(decomposable.flatMap { decomposition(of: $0) })).sorted()

  /// Single Hangul letters, and some Hangul syllables of two and of three letters.
  static let jamo =
    [0x1100...0x1112, 0x1161...0x1175, 0x11A7...0x11C2, 0xAC00...0xAC1C, 0xD788...0xD7A3]
    .flatMap { (range: ClosedRange<UInt32>) in range.compactMap(Unicode.Scalar.init) }

  /// Scalars of combining class 0 that decompose to combining marks. The standard library normalizes them differently
  /// than the Unicode standard prescribes.
  static let unlike: [Unicode.Scalar] = ["\u{F73}", "\u{F75}", "\u{F81}"]

  static let plain: [Unicode.Scalar] = [
    "\u{0}", "\u{1}", "\u{2}", "a", "c", "e", "o", "s", "K", " ", "~", "\u{3B1}", "\u{4E2D}", "\u{1F600}", "\u{378}",
  ]

  static func decomposition(of scalar: Unicode.Scalar) -> String.UnicodeScalarView {
    String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
  }
}
