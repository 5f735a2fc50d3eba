// A `@concurrent` function does not run on the main actor, so it cannot use the main context, even in this module.
// expect: non-Sendable type 'ModelContext' of property 'mainContext' cannot exit main actor-isolated context
// expect: main actor-isolated property 'mainContext' cannot be accessed from outside of the actor
import SwiftData

@concurrent private func save(_ container: ModelContainer) async throws {
  try container.mainContext.save()
}
