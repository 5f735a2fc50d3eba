// An actor is no model.
// expect: '@Model' cannot be applied to actor type 'Place'; declare a class, and reach it through a model actor
import SwiftData

@Model actor Place {
  var name = ""
}
