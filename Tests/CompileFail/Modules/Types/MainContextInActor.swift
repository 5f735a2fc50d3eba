// A model actor cannot use the main context, which is isolated to the main actor.
// expect: main actor-isolated property 'mainContext' can not be referenced
import SwiftData

extension TripStore {
  fileprivate func useMain() throws {
    try modelContainer.mainContext.save()
  }
}
