import Logging
import PersistenceRuntime
import PersistenceSupport
import Synchronization

/// The open stores of a container. Contexts and objects share them.
package final class ContainerStores: Sendable {
  package let schema: ContainerSchema
  package let stores: [StoreCoordinator]
  package let logger: Logger
  /// The models of all stores, in the order of the schema.
  let modelTypes: [any PersistentModel.Type]
  /// The reader threads.
  package let readers: ReaderExecutor
  /// Whether a model is an actor. Such models run where their context does.
  package let hasActorModels: Bool
  package let autosavingContexts = AutosavingContexts()
  private let closed = Atomic<Bool>(false)

  package init(
    schema: ContainerSchema, modelTypes: [any PersistentModel.Type], stores: [StoreCoordinator], logger: Logger
  ) {
    self.schema = schema
    self.stores = stores
    self.logger = logger
    readers = ReaderExecutor(width: stores.map(\.engine.readerCount).max() ?? 1)
    self.modelTypes = modelTypes
    hasActorModels = stores.contains { $0.layouts.contains(where: \.runsInContext) }
  }

  /// Whether the program has closed the container.
  package var isClosed: Bool { closed.load(ordering: .relaxed) }

  /// Closes the stores. Every later use throws.
  package func close() {
    closed.store(true, ordering: .relaxed)
    for store in stores { store.engine.close() }
  }

  func layout(of type: any PersistentModel.Type) -> (StoreCoordinator, EntityLayout)? {
    for store in stores {
      if let layout = store.layout(of: type) { return (store, layout) }
    }
    return nil
  }

  /// The model type of an identifier; nil if the container does not have it.
  func modelType(of identifier: PersistentIdentifier) -> (any PersistentModel.Type)? {
    if let row = identifier.row { return modelType(of: row.entity) }
    return modelTypes.first { Schema.entityName(ofModel: $0) == identifier.entityName }
  }

  func modelType(of entity: StoreEntity) -> (any PersistentModel.Type)? {
    // A copied file has the identifier of its original, so several stores may match. Each entity is in one of them.
    for store in stores where store.engine.identifier == entity.store {
      if let layout = store.layout(knownAs: entity.name) { return layout.modelType }
    }
    return nil
  }

  func contains(_ store: StoreCoordinator) -> Bool {
    stores.contains { $0 === store }
  }

  func unknownModel(_ type: any PersistentModel.Type) -> SwiftDataError {
    let known = modelTypes.map(Schema.entityName).sorted().joined(separator: ", ")
    if let superclass = EntityLinker.supermodel(of: type), layout(of: superclass) != nil {
      return SwiftDataError(
        .unknownSchema,
        "\(type) is not in the schema of this container, which has its superclass \(superclass); mark \(type) with @Model "
          + "if it is not, and list it when the container is made")
    }
    return SwiftDataError(
      .unknownSchema,
      "\(type) is not in the schema of this container, which has \(known.isEmpty ? "no entities" : known); "
        + "list it when the container is made")
  }
}
