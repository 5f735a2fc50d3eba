// A model that a class of a global actor holds is for that actor.
// expect: global actor 'StoreActor'-isolated property 'trip' can not be referenced from
import SwiftData

@MainActor private func name(of selection: Selection) -> String? {
  selection.trip?.name
}
