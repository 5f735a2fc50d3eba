// The main context is for the main actor, not for a model actor.
// expect: main actor-isolated property 'mainContext' can not be referenced
import SwiftData

extension TripStore {
  fileprivate func useMain() throws {
    try modelContainer.mainContext.save()
  }
}
