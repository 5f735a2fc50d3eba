// A model actor cannot return a fetched model to code outside the actor.
// expect: non-Sendable 'Trip?'-typed result can not be returned from actor-isolated instance method 'first()'
import SwiftData

extension TripStore {
  fileprivate func first() throws -> Trip? { try modelContext.fetch(FetchDescriptor<Trip>()).first }
}

private func firstName(in store: TripStore) async throws -> String? {
  try await store.first()?.name
}
