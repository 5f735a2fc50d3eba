// A `@Transient` property needs a default value, because the store has no value for it when a model is read.
// expect: a @Transient property is not stored, so it must have a default value or be an optional variable
import SwiftData

@Model final class Place {
  var name: String
  @Transient var cache: [Int]

  init(name: String) {
    self.name = name
    self.cache = []
  }
}
