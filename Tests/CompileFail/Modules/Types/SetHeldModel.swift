// A property of an actor is set by the actor.
// expect: actor-isolated property 'last' can not be mutated from a nonisolated context
import SwiftData

private func set(_ store: TripStore) {
  store.last = nil
}
