// An actor does not give its context away.
// expect: sending 'self.modelContext' risks causing data races
import SwiftData

extension TripStore {
  fileprivate func give() -> sending ModelContext { modelContext }
}
