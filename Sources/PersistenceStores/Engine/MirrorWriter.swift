import Foundation
import PersistenceBackingData
import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

/// A snapshot that is written as a row to the mirror, the cache of a custom store's rows.
struct MirrorRow {
  let key: Int64
  let identifier: PersistentIdentifier
  let values: SnapshotValues
}

/// Thrown when a unique value of a row already exists in another row of the mirror.
struct UniqueValueTaken: Error {
  let cause: SwiftDataError
}

/// Writes snapshots as rows of the mirror, with the same code that writes models as rows.
struct MirrorWriter {
  let entity: EntityLayout
  let table: StoreIdentities
  let contract: StoreContract
  /// Returns the names of an entity and of its subentities.
  let family: (String) -> Set<String>

  /// - Throws: ``UniqueValueTaken``, or `SwiftDataError` for a snapshot that breaks a rule of the ``StoreContract``.
  func insert(_ rows: [MirrorRow], in transaction: any StoreTransaction) throws {
    guard !rows.isEmpty else { return }
    _ = try transaction.insert(into: entity) { try write(rows, mask: PropertyMask.all, to: $0, keyComesFirst: true) }
  }

  /// Updates existing rows in the columns that the bit mask selects. If it does not select a to-one relationship, the
  /// row keeps its position in the inverse list.
  ///
  /// - Throws: The errors of ``insert(_:in:)``.
  func update(_ rows: [MirrorRow], mask: UInt64, in transaction: any StoreTransaction) throws {
    _ = try transaction.update(entity, mask: mask, expecting: nil) {
      try write(rows, mask: mask, to: $0, keyComesFirst: false)
    }
  }

  private func write(
    _ rows: [MirrorRow], mask: UInt64, to statement: EngineStatement, keyComesFirst: Bool
  ) throws {
    func write<T: PersistentModel>(_ type: T.Type) throws {
      try self.write(rows, mask: mask, to: statement, keyComesFirst: keyComesFirst, as: type)
    }
    try write(entity.modelType)
  }

  private func write<T: PersistentModel>(
    _ rows: [MirrorRow], mask: UInt64, to statement: EngineStatement, keyComesFirst: Bool, as type: T.Type
  ) throws {
    // A write session identifies each row by an object, so each row gets a placeholder object.
    let objects = ContiguousArray<AnyObject>(
      rows.map { row in
        let object = T._$standIn()
        object._$state.pointee.primaryKey = row.key
        return object
      })
    let session = WriteSession(
      entity: entity, objects: objects, keyComesFirst: keyComesFirst, isConflict: statement.isConflict,
      error: statement.error)
    try withExtendedLifetime(session) {
      var writer = RowWriter(statement, session: session, mask: mask)
      func writeKey(of row: MirrorRow) {
        writer.check(writer.functions.pointee.integer(writer.statement, writer.advance(), row.key), 0)
      }
      for (index, row) in rows.enumerated() {
        writer.beginRow(at: index)
        if keyComesFirst { writeKey(of: row) }
        try self.write(row, to: &writer, as: type)
        if !keyComesFirst { writeKey(of: row) }
        try session.throwFailure()
        let code = writer.functions.pointee.step(writer.statement)
        guard code != 0 else { continue }
        guard statement.isConflict(code) else { throw statement.error(code) }
        throw UniqueValueTaken(cause: statement.error(code))
      }
    }
  }

  private func write<T: PersistentModel>(_ row: MirrorRow, to writer: inout RowWriter, as type: T.Type) throws {
    let data = KeyPathBackingData<T>(for: type)
    for property in entity.properties where !property.columns.isEmpty && writer.includes(property.position) {
      if let relationship = property.relationship {
        let key = try key(at: relationship, of: row)
        let (functions, statement, parameter) = (writer.functions, writer.statement, writer.advance())
        writer.check(
          key.map { functions.pointee.integer(statement, parameter, $0) }
            ?? functions.pointee.null(statement, parameter),
          property.position)
        continue
      }
      let value = try value(of: row, property)
      data.load(try declared(value, property, row), at: property.keyPath)
      if writer.writeDynamicComposite(property, of: data) { continue }
      writer.outOfRow(property.position) { $0.bindDynamic(value, property) }
    }
  }

  /// The key of the row that a to-one relationship refers to.
  func key(at relationship: RelationshipLayout, of row: MirrorRow) throws -> Int64? {
    let property = entity.properties[relationship.position]
    switch row.values[relationship.name] {
    case .toOne(let identifier?):
      guard family(relationship.destination).contains(identifier.entityName) else {
        throw contract.broken(
          "relationships lead to models of their destination",
          "\(relationship.path) of \(row.identifier) leads to \(identifier), and has to lead to a "
            + "\(relationship.destination).")
      }
      try contract.checkOwner(of: identifier, in: "\(relationship.path) of \(row.identifier)")
      return table.key(of: identifier)
    case .toOne(nil), .null, nil:
      guard relationship.isOptional else { throw contract.missing(property, entity, row.identifier) }
      return nil
    case .toMany(let list): throw contract.wrongType(list, of: property, entity, row.identifier)
    case .value(let value): throw contract.wrongType(value, of: property, entity, row.identifier)
    }
  }

  /// The unwrapped value of an attribute; nil if the attribute has no value.
  private func value(of row: MirrorRow, _ property: PropertyLayout) throws -> Any? {
    switch row.values[property.name] {
    case .value(let value): return DefaultValue.unwrapped(value)
    case .null, nil:
      if property.isOptional { return nil }
      if row.values[property.name] == nil, let standard = property.snapshotDefault { return standard }
      throw contract.missing(property, entity, row.identifier)
    case .toOne(let identifier): throw contract.wrongType(identifier as Any, of: property, entity, row.identifier)
    case .toMany(let list): throw contract.wrongType(list, of: property, entity, row.identifier)
    }
  }

  /// The value, converted to the declared type of the property.
  private func declared(_ value: Any?, _ property: PropertyLayout, _ row: MirrorRow) throws -> Any {
    // The snapshot has the bytes that the transformer returned. They are written unchanged.
    if property.kind == .transformable {
      guard value == nil || value is Data else {
        throw contract.wrongType(value as Any, of: property, entity, row.identifier)
      }
      return value as Any
    }
    func declared<Value>(_ type: Value.Type) throws -> Any {
      guard let value else { return (type as? any OptionalValue.Type)?.missing as Any }
      guard let typed = value as? Value else { throw contract.wrongType(value, of: property, entity, row.identifier) }
      return typed
    }
    return try _openExistential(type(of: property.keyPath).valueType, do: declared)
  }
}
