// A model of such a module is made on the main actor.
// expect: main actor-isolated initializer 'init(name:)'
import SwiftData

private nonisolated func make() -> Trip { Trip(name: "a") }
