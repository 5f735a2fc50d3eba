import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// What a rule finds out about one value.
enum ValueVerdict {
  case right
  /// - Parameters:
  ///   - words: What is wrong, as a continuation of "the value …".
  ///   - mended: The correct value; nil if it is ambiguous.
  ///   - original: The exact text to store as the original of the correct value; nil for none.
  case wrong(StoreProblem.Kind, words: String, mended: StoredValue?, original: String? = nil)
}

extension ValueRule {
  /// - Parameter isValid: Whether a text is valid UTF-8.
  func verdict(on value: StoredValue, isValid: Bool = true) -> ValueVerdict {
    guard isValid else { return .wrong(.wrongValue, words: "is no text in UTF-8", mended: nil) }
    let verdict = formVerdict(on: value)
    guard let cases, !cases.isEmpty else { return verdict }
    switch verdict {
    case .right: return cases.contains(value) ? .right : unknownCase
    case .wrong(_, _, let mended?, _): return cases.contains(mended) ? verdict : unknownCase
    case .wrong: return verdict
    }
  }

  private var unknownCase: ValueVerdict {
    .wrong(.unknownCase, words: "is no raw value of \(type)", mended: nil)
  }

  private func formVerdict(on value: StoredValue) -> ValueVerdict {
    switch (form, value) {
    case (_, .null): .right
    case (.integer(let range), .integer(let number)): range.contains(number) ? .right : wrong
    case (.truth, .integer(let number)):
      0...1 ~= number
        ? .right : .wrong(.unusualForm, words: "is true, but neither 0 nor 1", mended: .integer(1))
    case (.presence, .integer(let number)):
      number == 1
        ? .right : .wrong(.unusualForm, words: "says that a struct is there, but is not 1", mended: .integer(1))
    case (.unsigned, .integer(let number)): number >= 0 ? .right : wrong
    case (.unsigned, .blob(let bytes)): bytes.count == 8 && bytes.first.map { $0 >= 0x80 } == true ? .right : wrong
    case (.real, .real), (.real, .integer), (.reference, .integer), (.bytes, .blob), (.sealed, .blob),
      (.external, .blob):
      .right
    case (.real, .text(let text)): NotANumber.value(of: text) == nil ? wrong : .right
    case (.text, .text(let text)): textVerdict(text)
    case (.url, .text(let text)): Self.isURL(text) ? .right : wrong
    case (.decimal, .text(let text)): decimalVerdict(text)
    case (.json, .text(let text)):
      Self.isJSON(Data(text.utf8)) ? .right : .wrong(.wrongValue, words: "is no JSON", mended: nil)
    case (.uuid, .blob(let bytes)):
      bytes.count == 16
        ? .right : .wrong(.wrongValue, words: "has \(bytes.count) bytes, and a UUID has 16", mended: nil)
    case (.external, .text(let text)):
      ExternalReference(text) == nil
        ? .wrong(.wrongValue, words: "is neither bytes nor stands for a file", mended: nil) : .right
    // All forms are listed without `default`, so that the compiler reports a form that is added later.
    case (.integer, _), (.truth, _), (.unsigned, _), (.real, _), (.text, _), (.url, _), (.decimal, _), (.bytes, _),
      (.uuid, _), (.json, _), (.reference, _), (.presence, _), (.external, _), (.sealed, _):
      wrong
    }
  }

  private var wrong: ValueVerdict { .wrong(.wrongValue, words: "is no \(type)", mended: nil) }

  /// Checks that a text is in stored form: reading the text and storing it again must result in the same bytes.
  private func textVerdict(_ stored: String) -> ValueVerdict {
    let text = StoredText.original(ofForm: stored)
    let form = StoredText.form(of: text)
    guard !form.utf8.elementsEqual(stored.utf8) else {
      guard keepsOriginals, text.utf8.count != stored.utf8.count else { return .right }
      return .wrong(
        .unusualForm, words: "has U+0000 or U+0001 under an escape, and no original that says so",
        mended: .text(stored), original: text)
    }
    return .wrong(
      .unusualForm, words: "is not in the form in which texts are compared", mended: .text(form),
      original: keepsOriginals ? text : nil)
  }

  private func decimalVerdict(_ text: String) -> ValueVerdict {
    var bytes = text
    if bytes.withUTF8({ CanonicalDecimal.isCanonical($0) }) { return .right }
    guard let number = bytes.withUTF8({ StoredDecimal.value(of: $0) }) else { return wrong }
    let words = "is not written as decimal numbers are compared"
    guard CanonicalDecimal.isExact(text) else {
      return .wrong(.unusualForm, words: words + ", and has more digits than one has", mended: nil)
    }
    return .wrong(.unusualForm, words: words, mended: .text(StoredDecimal.digits(of: number)))
  }

  /// Returns true if a `URL` can be read from the column.
  private static func isURL(_ text: String) -> Bool {
    guard let space = text.firstIndex(of: " ") else { return URL(string: text) != nil }
    guard let base = URL(string: String(text[text.index(after: space)...])) else { return false }
    return URL(string: String(text[..<space]), relativeTo: base) != nil
  }

  static func isJSON(_ bytes: Data) -> Bool {
    (try? JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed)) != nil
  }
}

extension StoredValue {
  /// The value as text for a message. Long values are shortened.
  var shortened: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): text.count > 60 ? "'\(text.prefix(60))…'" : "'\(text)'"
    case .blob(let bytes):
      "\(bytes.count) bytes" + (1...16 ~= bytes.count ? " (\(SQLiteDialect().literal(self)))" : "")
    }
  }
}
