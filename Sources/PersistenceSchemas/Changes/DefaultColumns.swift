import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Computes the values that a migration writes to the columns of a new property in existing rows.
package struct DefaultColumns {
  private let entity: EntityLayout
  private let property: PropertyLayout
  private let attribute: Schema.Attribute?
  private let cipher: (any ValueCipher)?

  /// - Parameter schema: The new schema, to which `entity` and `property` belong.
  package init(
    of property: PropertyLayout, in entity: EntityLayout, schema: Schema, cipher: (any ValueCipher)?
  ) {
    self.entity = entity
    self.property = property
    self.cipher = cipher
    attribute = schema.entitiesByName[entity.name]?.property(named: property.name) as? Schema.Attribute
  }

  /// The column values of the property's default; nil if the property has no default.
  package func values() throws -> [StoredValue]? {
    guard let value = attribute?.defaultValue else { return nil }
    return try stored(value)
  }

  /// The exact texts and numbers of the default, by column index. Omits those that are equal to the form in the column;
  /// a column may contain another form, such as a normalised text (``OriginalNotes``).
  package func originals() throws -> [Int: String] {
    try attribute?.defaultValue.map { try originals(of: $0) } ?? [:]
  }

  /// Evaluates the default again, which may differ for each row, as `UUID()` does. Returns the column values and their
  /// exact ``originals()``; nil if the property has no default.
  package func freshValues() throws -> (values: [StoredValue], originals: [Int: String])? {
    let metadata = entity.modelType.schemaMetadata.first { $0.name == property.name }
    guard let value = DefaultValue.unwrapped(metadata?.defaultValue) else {
      return try values().map { ($0, try originals()) }
    }
    let fresh = DefaultValue.conforming(value, to: property.valueType) ?? value
    return (try stored(fresh), try originals(of: fresh))
  }

  /// The column values that rows have until a migration stage's code sets the property: the default or an empty value.
  package func placeholders() throws -> [StoredValue]? {
    if let values = try values() { return values }
    func emptiest<T>(_ type: T.Type) -> Any? { Placeholder.emptiest(type) }
    return try _openExistential(property.valueType, do: emptiest).flatMap { try stored($0) }
  }

  private func stored(_ value: Any) throws -> [StoredValue] {
    try captured(value, storesForms: property.outOfRowValue == nil).map { try sealed($0) }
  }

  private func originals(of value: Any) throws -> [Int: String] {
    // A value in a file or an encrypted value is stored unchanged, so its exact text need not be stored separately.
    guard property.outOfRowValue == nil else { return [:] }
    let forms = try captured(value, storesForms: true)
    var originals: [Int: String] = [:]
    for (index, value) in try captured(value, storesForms: false).enumerated()
    where forms.indices.contains(index) && property.keepsOriginal(ofColumn: index) {
      originals[index] = value.original(ofForm: forms[index])
    }
    return originals
  }

  /// Converts a value of the property to the values of its columns.
  package func captured(_ value: Any, storesForms: Bool) throws -> [StoredValue] {
    func open<T>(_ type: T.Type) throws -> [StoredValue] {
      try captured(value, as: type, storesForms: storesForms)
    }
    return try _openExistential(type(of: property.keyPath).valueType, do: open)
  }

  private func captured<T>(_ value: Any, as declared: T.Type, storesForms: Bool) throws -> [StoredValue] {
    guard let value = value as? T else {
      throw SwiftDataError(
        .valueNotStorable,
        "the default of \(entity.name).\(property.name) is a \(type(of: value)) where a \(T.self) is needed")
    }
    let session = WriteSession(entity: entity, objects: [], keyComesFirst: false, error: { _ in .valueNotStorable })
    let values = CapturedRow.capturing(session, storesForms: storesForms) { writer in write(value, to: &writer) }
    try session.throwFailure()
    return values
  }

  private func write<T>(_ value: T, to writer: inout RowWriter) {
    let position = property.position
    if property.composite != nil {
      _ = writer.writeComposite(.value(value), position)
    } else if property.kind == .transformable {
      writer.transform(.value(value), position)
    } else if let present = DefaultValue.unwrapped(value) {
      writeSingle(present, position, to: &writer)
    } else {
      writer.check(writer.functions.pointee.null(writer.statement, writer.advance()), position)
    }
  }

  private func writeSingle(_ value: Any, _ position: Int, to writer: inout RowWriter) {
    let parameter = writer.advance()
    if let value = (value as? any StorableValue) ?? RawStorage.value(of: value).flatMap(Self.rawValue) {
      writer.check(value._$bind(&writer, parameter), position)
    } else if let value = value as? any Encodable {
      writer.bindJSON(value, parameter, position)
    } else {
      writer.session.failure.recordElsewhere(type(of: value), property: position, key: nil)
    }
  }

  private static func rawValue(_ value: any RawRepresentable) -> (any StorableValue)? {
    value.rawValue as? any StorableValue
  }

  private func sealed(_ value: StoredValue) throws -> StoredValue {
    guard let outOfRow = property.outOfRowValue, outOfRow.isEncrypted, value != .null else { return value }
    guard let cipher else { return .blob(Data()) }
    let sealed = try value.packed.withUnsafeBytes {
      try cipher.seal($0, entity: outOfRow.entity, property: outOfRow.property)
    }
    return .blob(sealed)
  }
}

extension StoredValue {
  /// The exact text, which is stored in addition to the form in the column; nil if the form has the same text.
  fileprivate func original(ofForm form: StoredValue) -> String? {
    switch (self, form) {
    case (.text(let text), .text(let form)): text.utf8.elementsEqual(form.utf8) ? nil : text
    case (.real(let number), .real) where number == 0 && number.sign == .minus: OriginalNotes.negativeZero
    default: nil
    }
  }
}

/// The column values that a migration writes to existing rows, by entity name and property name.
package struct MigrationDefaults {
  package private(set) var values: [String: [String: [StoredValue]]] = [:]
  /// The exact values whose columns contain another form (``OriginalNotes``), by entity, property and column index.
  package private(set) var originals: [String: [String: [Int: String]]] = [:]

  /// - Parameter usesPlaceholders: Whether a required property without a default gets an empty value for the time until
  ///   the code of a stage sets the property.
  package init(
    _ change: SchemaChange, _ new: MigrationSchema, cipher: (any ValueCipher)?, usesPlaceholders: Bool
  ) throws {
    for entity in new.layouts where change.isKept(entity.name) {
      for property in entity.properties where !property.columns.isEmpty && !property.isRelationship {
        guard change.needsDefault(property.name, in: entity.name) else { continue }
        let columns = DefaultColumns(of: property, in: entity, schema: new.schema, cipher: cipher)
        let isOptional = property.isOptional
        values[entity.name, default: [:]][property.name] =
          usesPlaceholders && !isOptional ? try columns.placeholders() : try columns.values()
        let differing = try columns.originals()
        if !differing.isEmpty { originals[entity.name, default: [:]][property.name] = differing }
      }
    }
  }
}

extension SchemaChange {
  /// Whether a property is new, or its declaration has changed, so that existing rows may have no value for it.
  fileprivate func needsDefault(_ property: String, in entity: String) -> Bool {
    guard let source = source(of: property, in: entity), let before = oldForm(of: source, in: entity),
      let after = newForm(of: property, in: entity)
    else { return true }
    return before != after
  }
}
