// Nor does what a global actor's class holds.
// expect: non-Sendable type 'Trip?' of property 'trip' cannot exit global actor 'StoreActor'-isolated context
import SwiftData

private func takeHeld(_ selection: Selection) async -> String? {
  await selection.trip?.name
}
