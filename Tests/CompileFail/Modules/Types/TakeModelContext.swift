// The context does not leave its actor, waiting or not.
// expect: non-Sendable type 'ModelContext' of property 'modelContext' cannot exit actor-isolated context
import SwiftData

private func take(from store: TripStore) async {
  await store.modelContext.rollback()
}
