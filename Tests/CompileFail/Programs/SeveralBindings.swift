// Each stored property of a model needs a declaration of its own.
// expect: declare each stored property of a model in a declaration of its own
import SwiftData

@Model final class Place {
  var x = 1, y = 2

  init() {}
}
