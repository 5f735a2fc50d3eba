import Foundation
import PersistenceBackingData
import PersistenceContainer
import PersistenceContext
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Creates snapshots of a context's models, and applies snapshots to its models.
package struct ModelSnapshots {
  private let context: ModelContext
  private let schema: Schema
  private let transformers = TransformerCache()

  package init(_ context: ModelContext, schema: Schema) {
    self.context = context
    self.schema = schema
  }

  // MARK: Models to snapshots

  /// The snapshot of a model.
  ///
  /// - Throws: `SwiftDataError` for a value that cannot be stored.
  package func snapshot(of model: any PersistentModel) throws -> DefaultSnapshot {
    func snapshot<T: PersistentModel>(_ model: T) throws -> DefaultSnapshot {
      let layout = try layout(of: type(of: model))
      var values = SnapshotValues()
      for property in layout.properties { values[property.name] = try value(of: property, model, layout) }
      return DefaultSnapshot(model.persistentModelID, values)
    }
    return try snapshot(model)
  }

  private func layout(of type: any PersistentModel.Type) throws -> EntityLayout {
    guard let (_, layout) = context.stores.layout(of: type) else { throw context.stores.unknownModel(type) }
    return layout
  }

  private func value<T: PersistentModel>(
    of property: PropertyLayout, _ model: T, _ layout: EntityLayout
  ) throws -> SnapshotValue {
    let value = model[keyPath: property.keyPath].flatMap(DefaultValue.unwrapped)
    if let relationship = property.relationship {
      guard relationship.isToMany else { return .toOne((value as? any PersistentModel)?.persistentModelID) }
      return .toMany((value as? [any PersistentModel])?.map(\.persistentModelID) ?? [])
    }
    guard let value else { return .null }
    guard property.kind == .transformable else { return (value as? any Codable).map { .value($0) } ?? .null }
    let columns = DefaultColumns(of: property, in: layout, schema: schema, cipher: nil)
    guard case .blob(let data)? = try columns.captured(value, storesForms: false).first else { return .null }
    return .value(data)
  }

  // MARK: Snapshots to models

  /// Creates models from snapshots and inserts them into the context. Does not set their relationships.
  ///
  /// - Returns: The models, in order.
  package func insert(_ snapshots: [DefaultSnapshot]) throws -> [any PersistentModel] {
    try snapshots.map { snapshot in
      let layout = try layout(named: snapshot.persistentIdentifier)
      func insert<T: PersistentModel>(_ type: T.Type) throws -> any PersistentModel {
        let data = KeyPathBackingData<T>(for: type)
        for property in layout.properties where !property.isRelationship {
          if let value = try declared(snapshot, property, layout) { data.load(value, at: property.keyPath) }
        }
        let model = T(backingData: data)
        context.insert(model)
        return model
      }
      return try insert(layout.modelType)
    }
  }

  private func layout(named identifier: PersistentIdentifier) throws -> EntityLayout {
    for store in context.stores.stores {
      if let layout = store.layout(named: identifier.entityName) { return layout }
    }
    throw SwiftDataError(.unknownSchema, "The store has no entity \(identifier.entityName), of which a snapshot is.")
  }

  /// Sets the attributes of an existing model to the values of a snapshot.
  package func assign(_ snapshot: DefaultSnapshot, to model: any PersistentModel) throws {
    func assign<T: PersistentModel>(_ model: T) throws {
      let layout = try layout(of: type(of: model))
      for property in layout.properties where !property.isRelationship {
        guard let value = try declared(snapshot, property, layout) else { continue }
        model._$set(value, at: property.keyPath)
      }
    }
    try assign(model)
  }

  /// Sets the relationships of a model to the values of a snapshot.
  ///
  /// - Parameter find: Returns the model with an identifier; nil if there is none.
  package func relate(
    _ snapshot: DefaultSnapshot, of model: any PersistentModel, _ find: (PersistentIdentifier) -> (any PersistentModel)?
  ) throws {
    func relate<T: PersistentModel>(_ model: T) throws {
      let layout = try layout(of: type(of: model))
      for property in layout.properties {
        guard let relationship = property.relationship else { continue }
        try set(snapshot, relationship, property, of: model, find)
      }
    }
    try relate(model)
  }

  private func set<T: PersistentModel>(
    _ snapshot: DefaultSnapshot, _ relationship: RelationshipLayout, _ property: PropertyLayout, of model: T,
    _ find: (PersistentIdentifier) -> (any PersistentModel)?
  ) throws {
    let current = model[keyPath: property.keyPath].flatMap(DefaultValue.unwrapped)
    switch snapshot.values[property.name] {
    case .toOne(let identifier?):
      guard let target = find(identifier) else {
        throw SwiftDataError(
          .modelNotFound,
          "\(relationship.path) of \(snapshot.persistentIdentifier) leads to \(identifier), which no model has.")
      }
      if current.map({ ($0 as AnyObject) !== target }) ?? true { model._$set(target, at: property.keyPath) }
    case .toOne(nil):
      if current != nil, let missing = Self.missing(property) { model._$set(missing, at: property.keyPath) }
    case .toMany(let identifiers):
      let targets = identifiers.compactMap(find)
      let held = (current as? [any PersistentModel] ?? []).map { ObjectIdentifier($0) }
      guard held != targets.map({ ObjectIdentifier($0) }) else { return }
      func list<Destination: PersistentModel>(_ type: Destination.Type) -> Any {
        targets.compactMap { $0 as? Destination }
      }
      model._$set(list(relationship.destinationType), at: property.keyPath)
    case .value, .null, nil: return
    }
  }

  private static func missing(_ property: PropertyLayout) -> Any? {
    (type(of: property.keyPath).valueType as? any OptionalValue.Type)?.missing
  }

  /// The value of an attribute, with the declared type of its property; nil if the snapshot has no value.
  private func declared(
    _ snapshot: DefaultSnapshot, _ property: PropertyLayout, _ layout: EntityLayout
  ) throws -> Any? {
    switch snapshot.values[property.name] {
    case .null: return Self.missing(property)
    case .value(let value):
      func typed<Value>(_ type: Value.Type) throws -> Any {
        // The snapshot has the bytes that the transformer returned.
        if property.kind == .transformable, let data = value as? Data {
          return try transformers.value(of: data, property: property, as: type)
        }
        if let typed = value as? Value { return typed }
        throw SwiftDataError(
          .valueNotStorable,
          "\(layout.name).\(property.name) of \(snapshot.persistentIdentifier) is a \(Swift.type(of: value)) in a snapshot, and "
            + "has to be a \(property.kind == .transformable ? Data.self : property.valueType).")
      }
      return try _openExistential(type(of: property.keyPath).valueType, do: typed)
    case .toOne, .toMany, nil: return nil
    }
  }
}
