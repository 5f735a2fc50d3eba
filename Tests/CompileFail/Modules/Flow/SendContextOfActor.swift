// An actor does not give its context away.
// expect: as a 'sending' result risks causing data races
import SwiftData

extension TripStore {
  fileprivate func give() -> sending ModelContext { modelContext }
}
