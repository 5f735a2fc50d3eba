// Code outside the main actor cannot use the main context.
// expect: main actor-isolated property 'mainContext'
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

func save(_ container: ModelContainer) throws {
  try container.mainContext.save()
}
