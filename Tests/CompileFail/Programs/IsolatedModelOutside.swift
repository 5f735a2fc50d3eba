// Code outside a global actor cannot use the properties of the actor's models.
// expect: main actor-isolated property 'name' can not be referenced from a nonisolated context
// expect: main actor-isolated property 'name' can not be mutated from a nonisolated context
// expect: cannot form key path to main actor-isolated property 'name'
import SwiftData

@Model @MainActor final class Place {
  var name: String

  init(_ name: String) { self.name = name }
}

func read(_ place: Place) -> String { place.name }

func change(_ place: Place) async { place.name = "new" }

func path() -> AnyKeyPath { \Place.name }
