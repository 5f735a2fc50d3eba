// An actor cannot return a model of its context to code outside the actor.
// expect: can not be returned from actor-isolated
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

actor Store {
  let container: ModelContainer
  lazy var context = ModelContext(container)

  init(_ container: ModelContainer) { self.container = container }

  func first() throws -> Trip? { try context.fetch(FetchDescriptor<Trip>()).first }
}

func name(in store: Store) async throws -> String? {
  try await store.first()?.name
}
