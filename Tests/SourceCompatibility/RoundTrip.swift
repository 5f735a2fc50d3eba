// Much existing code imports SwiftData but not Foundation. Nearly all files of this target do the same, to show that
// such code compiles.
import SwiftData
import Testing

/// Inserts a model, saves it, fetches it in another context, and passes the fetched object to the closure.
func roundTrip<T: PersistentModel>(
  _ model: T, with others: [any PersistentModel.Type] = [], sourceLocation: SourceLocation = #_sourceLocation,
  _ check: (T) throws -> Void
) throws {
  let container = try memoryContainer([T.self] + others)
  let writer = ModelContext(container)
  writer.insert(model)
  try writer.save()
  let reader = ModelContext(container)
  let found = try reader.fetch(FetchDescriptor<T>())
  try #require(found.count == 1, sourceLocation: sourceLocation)
  #expect(found[0] !== model, "another context has instances of its own", sourceLocation: sourceLocation)
  try withExtendedLifetime(reader) { try check(found[0]) }
}

/// Saves a model, changes and saves it in a second context, and passes the object that a third context fetches to the
/// closure.
func roundTrip<T: PersistentModel>(
  changing model: T, with others: [any PersistentModel.Type] = [], sourceLocation: SourceLocation = #_sourceLocation,
  _ change: (T) throws -> Void, then check: (T) throws -> Void
) throws {
  let container = try memoryContainer([T.self] + others)
  let writer = ModelContext(container)
  writer.insert(model)
  try writer.save()
  let editor = ModelContext(container)
  try change(#require(try editor.fetch(FetchDescriptor<T>()).first, sourceLocation: sourceLocation))
  try editor.save()
  let reader = ModelContext(container)
  let found = try reader.fetch(FetchDescriptor<T>())
  try #require(found.count == 1, sourceLocation: sourceLocation)
  try withExtendedLifetime(reader) { try check(found[0]) }
}

func memoryContainer(_ models: [any PersistentModel.Type]) throws -> ModelContainer {
  let schema = Schema(models)
  let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
  return try ModelContainer(for: schema, configurations: [configuration])
}
