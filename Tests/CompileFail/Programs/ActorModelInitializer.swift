// An initialiser that does not run in the actor cannot assign its properties.
// expect: a synchronous initializer runs outside of the actor: assign '_name', or make the initializer 'async'
import SwiftData

@Model actor Place {
  var name: String

  init(_ name: String) { self.name = name }
}
