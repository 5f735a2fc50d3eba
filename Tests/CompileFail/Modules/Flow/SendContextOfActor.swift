// A method of a model actor cannot return the actor's context as a `sending` result.
// expect: sending 'self.modelContext' risks causing data races
import SwiftData

extension TripStore {
  fileprivate func give() -> sending ModelContext { modelContext }
}
