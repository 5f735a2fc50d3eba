// A class with `@Model` must declare an initialiser, even if every property has a default value.
// expect: @Model requires an initializer be provided for 'Place'
import SwiftData

@Model final class Place {
  var name = ""
}
