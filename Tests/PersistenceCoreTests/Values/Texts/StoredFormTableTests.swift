import Foundation
import SeededNumbers
import Testing

@testable import PersistenceSupport

@Suite("The table of scalars that are certain to be in stored form")
struct StoredFormTableTests {
  private static func isSure(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { StoredText.isSurelyStored($0) }
  }

  private static func isSure(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { StoredText.isSurelyStored($0) }
  }

  private static func isInNormalForm(_ text: String) -> Bool {
    text._nfcCodeUnits.elementsEqual(text.utf8)
  }

  private static func combiningClass(_ scalar: Unicode.Scalar) -> UInt8 {
    scalar.properties.canonicalCombiningClass.rawValue
  }

  /// Returns true if normalization never changes the scalar, regardless of the preceding scalars. On systems without
  /// Unicode's quick check, returns true if normalization does not change the scalar alone.
  private static func staysWhatItIs(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value > 1 else { return false }
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      var text = String(scalar).utf8Span
      return text.checkForNFC(quickCheck: true)
    }
    return isInNormalForm(String(scalar))
  }

  /// Returns true if the scalar was assigned in a Unicode version newer than the version of the table.
  private static func isYounger(_ scalar: Unicode.Scalar, than table: [Int]) -> Bool {
    guard let age = scalar.properties.age else { return true }
    return table.lexicographicallyPrecedes([age.major, age.minor])
  }

  @Test("the table contains exactly the scalars that normalization never changes (see Scripts/write-form-table)")
  func scalars() {
    let table = StoredText.tableVersion.split(separator: ".").compactMap { Int($0) } + [0]
    var (wrong, missing): ([Unicode.Scalar], [Unicode.Scalar]) = ([], [])
    for scalar in TextScalars.all {
      let stays = Self.staysWhatItIs(scalar)
      if Self.isSure(String(scalar)) {
        if !stays { wrong.append(scalar) }
      } else if stays, !Self.isYounger(scalar, than: Array(table.prefix(2))) {
        missing.append(scalar)
      }
    }
    #expect(TextScalars.all.count == 1_112_064)
    #expect(wrong.isEmpty, "sure, and the library changes them: \(wrong.prefix(20))")
    #expect(missing.isEmpty, "not sure, though the library leaves them: \(missing.prefix(20))")
  }

  @Test("combining marks are certain if they follow each other in the order of their combining classes")
  func marks() {
    let sure = TextScalars.marks.filter { Self.isSure(String($0)) }
    let classes = Dictionary(grouping: sure, by: Self.combiningClass).compactMap(\.value.first)
    #expect(sure.count > 900 && classes.count > 50)
    for mark in sure {
      for other in classes {
        #expect(Self.isSure("a\(mark)\(other)") == (Self.combiningClass(mark) <= Self.combiningClass(other)))
        #expect(Self.isSure("\u{AC00}\(other)\(mark)") == (Self.combiningClass(other) <= Self.combiningClass(mark)))
        // After a base character or an ASCII character, marks of any class may follow.
        #expect(Self.isSure("\(mark)\u{4E2D}\(other)") && Self.isSure("\(mark)a\(other)"))
      }
    }
  }

  @Test("a text that consists of certain scalars is in the standard library's normal form")
  func texts() {
    let seed = SeededGenerator.chosenSeed
    let factor = ProcessInfo.processInfo.environment["OSD_SOAK"].flatMap { Int($0) } ?? 1
    var texts = RandomTexts(seed: seed)
    let candidates = TextScalars.decomposable + TextScalars.parts + TextScalars.jamo + TextScalars.marks
    let scalars = candidates.filter { Self.isSure(String($0)) }
    var sureCount = 0
    for step in 0..<50_000 * factor {
      let count = 2 + texts.below(3)
      let text = String(String.UnicodeScalarView((0..<count).map { _ in texts.one(of: scalars) }))
      guard Self.isSure(text) else { continue }
      sureCount += 1
      guard Self.isInNormalForm(text) else {
        Issue.record("seed \(seed), step \(step): \(PairCounts.description(text))")
        return
      }
    }
    #expect(sureCount > 10_000, "seed \(seed)")
  }

  @Test(
    "a scalar that may compose with the preceding scalar is not certain",
    arguments: ["\u{16D68}", "\u{16121}", "\u{16128}", "\u{113C5}", "\u{113C8}"])
  func compositesOfSeconds(_ text: String) {
    #expect(Self.isInNormalForm(text) && !Self.isSure(text))
    #expect(!Self.isInNormalForm("\u{16D63}\u{16D68}"), "or it could be")
  }

  /// Scalars whose UTF-8 form has one, two, three and four bytes.
  private static let sureScalars = [
    "a", "\u{7F}", "\u{E9}", "\u{7FA}", "\u{AC00}", "\u{FFFD}", "\u{1F600}", "\u{10FFFD}",
  ]
  private static let malformed: [[UInt8]] = [
    [0], [1], [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
    [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
    [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF0, 0x28, 0x8C, 0xBC],
    [0xF0, 0x90, 0x28, 0xBC], [0xF0, 0x90, 0x8C, 0x28], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
    [0xFF],
  ]

  @Test(
    "one uncertain scalar or malformed byte makes the whole text uncertain, at any position",
    arguments: ["a", "\u{AC00}", "a\u{E9}"])
  func places(_ filling: String) {
    for count in 0..<24 {
      let before = Array(String(repeating: filling, count: count).utf8)
      for after in [[], Array(filling.utf8), Array("0123456789".utf8)] {
        for scalar in Self.sureScalars { #expect(Self.isSure(before + Array(scalar.utf8) + after)) }
        for bytes in Self.malformed { #expect(!Self.isSure(before + bytes + after), "\(before) \(bytes) \(after)") }
        #expect(!Self.isSure(before + Array("\u{301}".utf8) + after))
      }
    }
    #expect(StoredText.isSurelyStored(UnsafeBufferPointer(start: nil, count: 0)))
  }

  @Test("random bytes are certain only if they are a valid text in normal form")
  func randomBytes() {
    let seed = SeededGenerator.chosenSeed
    var texts = RandomTexts(seed: seed)
    let leads: [UInt8] = [0, 1, 2, 0x61, 0x7F, 0x80, 0x9F, 0xA0, 0xBF, 0xC2, 0xCC, 0xE0, 0xEA, 0xED, 0xEF, 0xF0, 0xF4]
    for _ in 0..<50_000 {
      let bytes = (0..<texts.below(6)).map { _ in
        texts.below(2) == 0 ? texts.one(of: leads) : UInt8(texts.below(256))
      }
      guard Self.isSure(bytes) else { continue }
      let text = String(validating: bytes, as: UTF8.self)
      let isRight = text.map { StoredText.form(of: $0).utf8.elementsEqual(bytes) && Self.isInNormalForm($0) }
      #expect(isRight == true, "seed \(seed): \(bytes)")
    }
  }
}
