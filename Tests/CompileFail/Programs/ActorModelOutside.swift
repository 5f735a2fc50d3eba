// Code outside an actor cannot use the actor's properties without `await`, and cannot use the actor's context at all.
// expect: actor-isolated property 'name' cannot be accessed from outside of the actor
// expect: actor-isolated property 'hasChanges' cannot be accessed from outside of the actor
// expect: non-Sendable type 'ModelContext?' of property 'modelContext' cannot exit actor-isolated context
// expect: cannot assign to property: '_name' setter is inaccessible
// expect: '_secret' is inaccessible due to 'private' protection level
import SwiftData

@Model actor Place {
  var name = ""
  private var secret = ""
}

func use(_ place: Place) async {
  print(place.name)
  print(place.hasChanges)
  await print(place.modelContext == nil)
}

func goAround(_ place: Place) {
  place._name = "new"
  print(place._secret)
}
