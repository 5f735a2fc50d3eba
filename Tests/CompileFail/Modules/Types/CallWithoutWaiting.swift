// Code outside an actor cannot call the actor's methods without `await`.
// expect: call to actor-isolated instance method 'names()' in a synchronous nonisolated context
import SwiftData

private func names(of store: TripStore) throws -> [String] {
  try store.names()
}
