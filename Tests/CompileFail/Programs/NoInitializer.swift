// A model needs an initialiser, even if every property has a value.
// expect: @Model requires an initializer be provided for 'Place'
import SwiftData

@Model final class Place {
  var name = ""
}
