import Foundation
import PersistenceBackingData
import PersistenceContext
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Reads values from the mirror (the cache of a custom store's rows), to create snapshots from them.
struct MirrorReader {
  let mirror: any StoreEngine
  let stores: ContainerStores
  let plan: SchemaPlan
  let transaction: any StoreTransaction
  /// Returns the identifier of the row with a key.
  let identify: (Int64, EntityLayout) -> PersistentIdentifier

  /// The attributes and to-one relationships of rows, by key. The rows must be of this entity, not of a subclass.
  func values(of keys: [Int64], _ entity: EntityLayout) throws -> [Int64: SnapshotValues] {
    func values<T: PersistentModel>(_ type: T.Type) throws -> [Int64: SnapshotValues] {
      try self.values(of: keys, entity, as: type)
    }
    return try values(entity.modelType)
  }

  private func values<T: PersistentModel>(
    of keys: [Int64], _ entity: EntityLayout, as type: T.Type
  ) throws -> [Int64: SnapshotValues] {
    guard !keys.isEmpty, let store = stores.stores.first else { return [:] }
    // The objects that are created from the rows refer to the context. It has to live until their values are read.
    let context = ModelContext(stores: stores)
    defer { withExtendedLifetime(context) {} }
    let map = try context.requireIdentityMap(for: type)
    var found: [Int64: SnapshotValues] = [:]
    try mirror.fetch(FetchRequest(entity: entity, selection: .keys(keys)), in: transaction) { rows in
      try store.decodeUnregistered(rows, mask: PropertyMask.all, in: map, as: type) { reader, object, unread in
        if let failure = unread.first(where: { !entity.properties[$0.position].isRelationship }) { throw failure.error }
        var values = SnapshotValues()
        for property in entity.properties where !property.columns.isEmpty {
          values[property.name] = try value(of: property, object, reader, entity)
        }
        found[reader.key] = values
      }
    }
    return found
  }

  private func value<T: PersistentModel>(
    of property: PropertyLayout, _ object: T, _ reader: RowReader, _ entity: EntityLayout
  ) throws -> SnapshotValue {
    if let relationship = property.relationship {
      let key = reader.currentReference(at: property.position)
      guard let key, key != 0,
        let destination = plan.entities.layout(named: relationship.destination)
      else { return .toOne(nil) }
      return .toOne(identify(key, destination))
    }
    guard let value = object[keyPath: property.keyPath].flatMap(DefaultValue.unwrapped) else { return .null }
    guard property.kind == .transformable else { return (value as? any Codable).map { .value($0) } ?? .null }
    let columns = DefaultColumns(of: property, in: entity, schema: plan.schema, cipher: nil)
    guard case .blob(let data)? = try columns.captured(value, storesForms: false).first else { return .null }
    return .value(data)
  }

  /// Related models in order, by the owner's key. The relationship has no column in the owner's table.
  func members(
    of relationship: RelationshipLayout, _ entity: EntityLayout, owners: [Int64]
  ) throws -> [Int64: [PersistentIdentifier]] {
    guard let destination = plan.entities.layout(named: relationship.destination) else { return [:] }
    let request = MemberRequest(
      relationship: relationship, entity: entity, destination: destination, owners: .some(owners))
    let isSorted = relationship.storage == .inverseColumn
    return try mirror.positions(request, in: transaction).mapValues { list in
      (isSorted ? list.inOrder : list).map { identify($0.key, destination) }
    }
  }
}

// These functions read only keys and positions, no objects.

extension StoreEngine {
  /// The members of a relationship by owner, each with its position in the list. A member without a position has its
  /// key as the position. The members of a junction table are already in order.
  func positions(
    _ request: MemberRequest, in transaction: (any StoreTransaction)?
  ) throws -> [Int64: [ListOrder.Position]] {
    var lists: [Int64: [ListOrder.Position]] = [:]
    try members(request, in: transaction) { rows in
      let columns = request.columns
      try rows.readAll { functions, row in
        guard let owner = columns.owner else { return }
        let key = functions.integer(row, 0)
        let hasRank = functions.storageClass(row, columns.position) != StorageClass.null.rawValue
        lists[functions.integer(row, owner), default: []].append(
          ListOrder.Position(key: key, rank: hasRank ? functions.real(row, columns.position) : Double(key)))
      }
    }
    return lists
  }

  /// The foreign keys of to-one relationships in the existing rows, by the row's key.
  func references(
    of keys: [Int64], _ entity: EntityLayout, at relationships: [RelationshipLayout],
    in transaction: (any StoreTransaction)?
  ) throws -> [Int64: [Int64?]] {
    let mask = relationships.reduce(0) { $0 | PropertyMask.bit($1.position) }
    let columns = relationships.map { entity.column(ofPropertyAt: $0.position, mask: mask) }
    var found: [Int64: [Int64?]] = [:]
    try fetch(FetchRequest(entity: entity, selection: .keys(keys), mask: mask), in: transaction) { rows in
      try rows.readAll { functions, row in
        found[functions.integer(row, 0)] = columns.map { column in
          functions.storageClass(row, column) == StorageClass.null.rawValue ? nil : functions.integer(row, column)
        }
      }
    }
    return found
  }
}

extension EntityLayout {
  /// The index of a property's first column in a result that has only the columns of a mask.
  fileprivate func column(ofPropertyAt position: Int, mask: UInt64) -> Int32 {
    properties[..<position].reduce(1) { $1.bit & mask == 0 ? $0 : $0 + Int32($1.columns.count) }
  }
}

extension EngineRows {
  fileprivate func readAll(_ body: (ColumnReadFunctions, OpaquePointer) throws -> Void) throws {
    let functions = functions.pointee
    var isOnNextRow = isOnFirstRow
    while true {
      let code = isOnNextRow ? functions.rowCode : functions.step(row)
      isOnNextRow = false
      if code == functions.doneCode { return }
      guard code == functions.rowCode else { throw error(code) }
      try body(functions, row)
    }
  }
}

/// The backing data from which a custom store's snapshot reads the values of one row of the mirror.
struct SnapshotBackingData<Model: PersistentModel>: KeyPathStorage, SnapshotSource {
  private let data = KeyPathBackingData<Model>(for: Model.self)
  var persistentModelID: PersistentIdentifier?
  private(set) var snapshotValues = SnapshotValues()

  init(for modelType: Model.Type) {}

  init(_ identifier: PersistentIdentifier, _ values: SnapshotValues, _ entity: EntityLayout) {
    persistentModelID = identifier
    snapshotValues = values
    for property in entity.properties {
      guard case .value(let value)? = values[property.name] else { continue }
      func load<Value>(_ type: Value.Type) { if let typed = value as? Value { data.load(typed, at: property.keyPath) } }
      _openExistential(type(of: property.keyPath).valueType, do: load)
    }
  }

  var metadata: Any { Model.schemaMetadata }

  func value<Value>(at keyPath: KeyPath<Model, Value>) -> Value { data.value(at: keyPath) }
  func set<Value>(_ value: Value, at keyPath: KeyPath<Model, Value>) { data.load(value, at: keyPath) }
}
