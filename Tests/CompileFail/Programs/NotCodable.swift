// A stored value has to be Codable.
// The errors lie in generated code, which cannot know the type of the property.
// expect: no exact matches in call to instance method
import SwiftData

struct Color {
  var red: Double
}

@Model final class Place {
  var color: Color

  init(color: Color) { self.color = color }
}
