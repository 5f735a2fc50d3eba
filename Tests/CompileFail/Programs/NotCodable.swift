// The type of a stored property has to be Codable, unless the property is a relationship.
// expect: a stored property must be Codable, a model or an array of models
import SwiftData

struct Color {
  var red: Double
}

@Model final class Place {
  var color: Color

  init(color: Color) { self.color = color }
}
