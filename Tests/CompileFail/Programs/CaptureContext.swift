// Two tasks cannot use the same context.
// expect: sending
import SwiftData

@Model final class Trip {
  var name: String

  init(name: String) { self.name = name }
}

func save(_ context: ModelContext) async throws {
  let task = Task.detached { try context.save() }
  try context.save()
  try await task.value
}
