// The context of a global actor is for what is isolated to it.
// expect: global actor 'StoreActor'-isolated static property 'modelContext' can not be referenced from
import SwiftData

@MainActor private func insertHere() {
  StoreActor.modelContext.insert(Trip(name: "a"))
}
