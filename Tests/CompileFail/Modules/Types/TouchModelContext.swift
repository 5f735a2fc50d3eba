// The context of an actor is for the actor.
// expect: actor-isolated property 'modelContext' can not be referenced from a nonisolated context
import SwiftData

private func insert(into store: TripStore) {
  store.modelContext.insert(Trip(name: "a"))
}
