// Predicates and sort descriptors cannot use an actor's properties, because their key paths belong to the actor too.
// They use the nonisolated properties that the macro adds, such as `_stars`.
// expect: cannot form key path to actor-isolated property 'stars'
// expect: cannot form key path to main actor-isolated property 'title'
// expect: type 'KeyPath<Note, Int>' does not conform to the 'Sendable' protocol
// expect: type 'KeyPath<Screen, String>' does not conform to the 'Sendable' protocol
import SwiftData

@Model actor Note {
  var stars: Int
}

@Model @MainActor final class Screen {
  var title: String
  init(_ title: String) { self.title = title }
}

func rated() -> Predicate<Note> { #Predicate { $0.stars > 3 } }

func named(_ title: String) -> Predicate<Screen> { #Predicate { $0.title == title } }

@MainActor func namedInActor(_ title: String) -> Predicate<Screen> { #Predicate { $0.title == title } }

func order() -> SortDescriptor<Note> { SortDescriptor(\.stars) }

func twins() -> (Predicate<Note>, SortDescriptor<Note>, Predicate<Screen>) {
  (#Predicate { $0._stars > 3 }, SortDescriptor(\._stars), #Predicate { $0._title == "a" })
}
