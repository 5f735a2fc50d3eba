// A method of an actor is waited for.
// expect: call to actor-isolated instance method 'names()' in a synchronous nonisolated context
import SwiftData

private func names(of store: TripStore) throws -> [String] {
  try store.names()
}
