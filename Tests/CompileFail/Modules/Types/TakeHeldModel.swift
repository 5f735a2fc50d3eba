// Code outside a global actor cannot read a model from a class of the actor, even with `await`.
// expect: non-Sendable type 'Trip?' of property 'trip' cannot exit global actor 'StoreActor'-isolated context
import SwiftData

private func takeHeld(_ selection: Selection) async -> String? {
  await selection.trip?.name
}
