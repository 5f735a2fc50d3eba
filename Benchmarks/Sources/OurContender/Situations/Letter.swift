import BenchmarkCore
import SwiftData

/// A model with a text that the library encrypts.
@Model final class Letter {
  var name: String
  @Attribute(.encrypt) var text: String

  init(_ values: LetterValues) {
    (name, text) = (values.name, values.text)
  }
}
