import Foundation
import SQLEngine
import Testing

@Suite("The upper bound of a prefix")
struct TextPrefixTests {
  @Test(
    "the last scalar of the prefix is replaced by the next scalar",
    arguments: [
      ("a", "b"), ("az", "a{"), ("é", "ê"), ("a\0", "a\u{1}"), ("🦆", "🦇"),
      ("\u{D7FF}", "\u{E000}"), ("a\u{10FFFF}", "b"), ("a\u{10FFFF}\u{10FFFF}", "b"), ("\u{7F}", "\u{80}"),
      ("\u{FFFF}", "\u{10000}"), ("\u{7FF}", "\u{800}"), ("Cl\u{E9}", "Cl\u{EA}"), ("\u{AC01}", "\u{AC02}"),
      ("\u{1}\u{1}", "\u{1}\u{2}"),
    ])
  func next(prefix: String, end: String) {
    #expect(TextPrefix.end(of: prefix).map { Array($0.unicodeScalars) } == Array(end.unicodeScalars))
  }

  @Test(
    "a prefix that consists of greatest scalars has no upper bound",
    arguments: ["", "\u{10FFFF}", "\u{10FFFF}\u{10FFFF}"])
  func noEnd(prefix: String) {
    #expect(TextPrefix.end(of: prefix) == nil)
  }

  @Test("texts with the prefix are in the range, and other texts are not")
  func range() {
    let scalars: [Unicode.Scalar] = ["\0", "a", "b", "\u{7F}", "\u{7FF}", "\u{D7FF}", "\u{E000}", "\u{10FFFF}"]
    let texts = [""] + scalars.map(String.init) + scalars.flatMap { first in scalars.map { "\(first)\($0)" } }
    for prefix in texts {
      let end = TextPrefix.end(of: prefix)
      for text in texts {
        let isInside = !precedes(text, prefix) && end.map { precedes(text, $0) } ?? true
        #expect(isInside == Array(text.utf8).starts(with: Array(prefix.utf8)), "\(text) and \(prefix)")
      }
    }
  }

  private func precedes(_ lhs: String, _ rhs: String) -> Bool {
    lhs.utf8.lexicographicallyPrecedes(rhs.utf8)
  }
}
