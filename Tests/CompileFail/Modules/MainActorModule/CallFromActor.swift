// A model actor cannot call the module's functions synchronously, because they are isolated to the main actor by
// default.
// expect: call to main actor-isolated global function 'show' in a synchronous actor-isolated context
import SwiftData

private func show(_ name: String) {}

extension TripStore {
  fileprivate func showFirst() throws {
    for trip in try modelContext.fetch(FetchDescriptor<Trip>()) { show(trip.name) }
  }
}
