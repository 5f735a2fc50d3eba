// Code outside a model actor cannot use the actor's context, even with `await`.
// expect: non-Sendable type 'ModelContext' of property 'modelContext' cannot exit actor-isolated context
import SwiftData

private func take(from store: TripStore) async {
  await store.modelContext.rollback()
}
