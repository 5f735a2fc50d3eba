// Code of the main actor cannot use the context of another global actor.
// expect: global actor 'StoreActor'-isolated static property 'modelContext' can not be referenced from
import SwiftData

@MainActor private func insertHere() {
  StoreActor.modelContext.insert(Trip(name: "a"))
}
