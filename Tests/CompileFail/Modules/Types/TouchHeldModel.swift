// Code of the main actor cannot use a model that is a property of a class of another global actor.
// expect: global actor 'StoreActor'-isolated property 'trip' can not be referenced from
import SwiftData

@MainActor private func name(of selection: Selection) -> String? {
  selection.trip?.name
}
