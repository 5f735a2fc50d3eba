// Nonisolated code cannot use the context of a model actor.
// expect: actor-isolated property 'modelContext' can not be referenced from a nonisolated context
import SwiftData

private func insert(into store: TripStore) {
  store.modelContext.insert(Trip(name: "a"))
}
