// An actor of such a module reads identifiers; properties of its models are the main actor's.
// expect: main actor-isolated property 'name' can not be referenced
import SwiftData

extension TripStore {
  fileprivate func firstName() throws -> String? {
    try modelContext.fetch(FetchDescriptor<Trip>()).first?.name
  }
}
