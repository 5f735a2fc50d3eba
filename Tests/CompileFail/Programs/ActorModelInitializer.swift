// A synchronous initialiser of an actor runs outside the actor, so it cannot assign the actor's properties.
// expect: a synchronous initializer runs outside of the actor: assign '_name', or make the initializer 'async'
import SwiftData

@Model actor Place {
  var name: String

  init(_ name: String) { self.name = name }
}
