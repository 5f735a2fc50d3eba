// The tasks of a task group cannot use the same context.
// expect: risks causing data races
import SwiftData

private func saveInGroup(_ context: ModelContext) async {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<2 { group.addTask { try? context.save() } }
  }
}
