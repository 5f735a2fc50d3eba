// The properties of a model that is an actor, and its context, are the actor's.
// expect: actor-isolated property 'name' cannot be accessed from outside of the actor
// expect: actor-isolated property 'hasChanges' cannot be accessed from outside of the actor
// expect: non-Sendable type 'ModelContext?' of property 'modelContext' cannot exit actor-isolated context
// expect: '_name' is inaccessible due to 'private' protection level
import SwiftData

@Model actor Place {
  var name = ""
}

func use(_ place: Place) async {
  print(place.name)
  print(place.hasChanges)
  await print(place.modelContext == nil)
}

func goAround(_ place: Place) {
  print(place._name)
}
