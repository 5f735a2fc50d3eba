import SwiftData

extension Exercise {
  /// Reads the rows of an entity through every kind of fetch.
  func read(_ model: any PersistentModel.Type, _ context: ModelContext) { readAll(model, context) }

  private func readAll<T: PersistentModel>(_ model: T.Type, _ context: ModelContext) {
    var rows: [T] = []
    step("fetch \(T.self)") { rows = try context.fetch(FetchDescriptor<T>()) }
    if !rows.isEmpty { step("touch \(T.self)") { for row in rows { touch(row) } } }
    step("fetchCount \(T.self)") { _ = try context.fetchCount(FetchDescriptor<T>()) }
    var identifiers: [PersistentIdentifier] = []
    step("fetchIdentifiers \(T.self)") { identifiers = try context.fetchIdentifiers(FetchDescriptor<T>()) }
    lookUp(identifiers, as: T.self, ModelContext(context.container))
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: step("batches of \(T.self)") { try batches(of: T.self, context) }
    case 1: step("enumerate \(T.self)") { try context.enumerate(FetchDescriptor<T>(), batchSize: 5) { touch($0) } }
    case 2: step("prefetch \(T.self)") { try prefetch(T.self, ModelContext(context.container)) }
    case 3: step("partial \(T.self)") { try partial(T.self, ModelContext(context.container)) }
    default: step("codable \(T.self)") { try code(identifiers) }
    }
  }

  /// Reads every property of an object, including the objects in its relationships.
  func touch<T: PersistentModel>(_ row: T) {
    for property in T.schemaMetadata {
      guard let path = property.keypath as? PartialKeyPath<T> else { continue }
      consume(row[keyPath: path])
    }
    consume(row.persistentModelID)
  }

  private func consume(_ value: Any) {
    if let model = value as? any PersistentModel {
      consume(model.persistentModelID)
      glance(model)
    } else if let models = value as? [any PersistentModel] {
      for model in models { glance(model) }
    } else if let value = value as? any Hashable {
      _ = AnyHashable(value).hashValue
    }
  }

  /// Reads only the first property of an object. The object's row may be missing.
  private func glance<T: PersistentModel>(_ model: T) {
    _ = (model.hasChanges, model.isDeleted)
    guard let path = T.schemaMetadata.first?.keypath as? PartialKeyPath<T> else { return }
    _ = model[keyPath: path]
  }

  private func lookUp<T: PersistentModel>(
    _ identifiers: [PersistentIdentifier], as type: T.Type, _ context: ModelContext
  ) {
    for identifier in identifiers.shuffled(using: &generator).prefix(4) {
      step("existingModel \(T.self)") { touch(try context.existingModel(for: identifier) as T) }
      step("model \(T.self)") { if let row = context.model(for: identifier) as? T { touch(row) } }
      step("registeredModel \(T.self)") { if let row: T = context.registeredModel(for: identifier) { touch(row) } }
    }
  }

  private func batches<T: PersistentModel>(of type: T.Type, _ context: ModelContext) throws {
    let results = try context.fetch(FetchDescriptor<T>(), batchSize: 4)
    for row in results { touch(row) }
    _ = try context.fetchIdentifiers(FetchDescriptor<T>(), batchSize: 3).map(\.self)
  }

  private func prefetch<T: PersistentModel>(_ type: T.Type, _ context: ModelContext) throws {
    var descriptor = FetchDescriptor<T>()
    let relationships = context.container.schema.entity(for: type)?.relationshipsByName ?? [:]
    descriptor.relationshipKeyPathsForPrefetching = T.schemaMetadata.filter { relationships[$0.name] != nil }
      .compactMap { $0.keypath as? PartialKeyPath<T> }
    for row in try context.fetch(descriptor) { touch(row) }
  }

  private func partial<T: PersistentModel>(_ type: T.Type, _ context: ModelContext) throws {
    var descriptor = FetchDescriptor<T>()
    let relationships = context.container.schema.entity(for: type)?.relationshipsByName ?? [:]
    descriptor.propertiesToFetch = T.schemaMetadata.filter { relationships[$0.name] == nil }.prefix(1)
      .compactMap { $0.keypath as? PartialKeyPath<T> }
    descriptor.fetchLimit = 5
    descriptor.fetchOffset = 1
    for row in try context.fetch(descriptor) { touch(row) }
  }

  private func code(_ identifiers: [PersistentIdentifier]) throws {
    let data = try JSONEncoder().encode(identifiers)
    _ = try JSONDecoder().decode([PersistentIdentifier].self, from: data)
  }
}
