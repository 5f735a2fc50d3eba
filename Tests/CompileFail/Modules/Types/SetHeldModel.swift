// Code outside an actor cannot set the actor's properties.
// expect: actor-isolated property 'last' can not be mutated from a nonisolated context
import SwiftData

private func set(_ store: TripStore) {
  store.last = nil
}
