// What runs beside the main actor has no main context, in such a module neither.
// expect: main actor-isolated property 'mainContext' can not be referenced
import SwiftData

@concurrent private func save(_ container: ModelContainer) async throws {
  try container.mainContext.save()
}
