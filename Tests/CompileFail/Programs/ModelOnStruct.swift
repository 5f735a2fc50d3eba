// `@Model` cannot be applied to a struct: a model has identity, so it must be a class.
// expect: '@Model' cannot be applied to struct type 'Place'; a model has identity, so it must be a class
import SwiftData

@Model struct Place {
  var name: String
}
