// Default implementations for models that are written without `@Model`. They use backing data instead of generated
// code.

import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

extension PersistentModel {
  private var _$data: KeyPathBackingData<Self> {
    guard let data = persistentBackingData as? KeyPathBackingData<Self> else {
      fatalError("\(Self.self) must keep the backing data that it was made with, or that createBackingData() makes")
    }
    return data
  }

  /// For generated code.
  public static var _$isGenerated: Bool { false }

  /// For generated code.
  public static var _$marksInitialRelationships: Bool { false }

  /// For generated code.
  public var _$state: UnsafeMutablePointer<_PersistenceRuntime.ModelState> {
    let data = _$data
    data.modelAddress = Unmanaged.passUnretained(self).toOpaque()
    return data.stateAddress
  }

  /// For generated code.
  public func _$relate(_ edit: inout _PersistenceRuntime.RelationshipSlotOperation, _ position: Int) {
    let layout = _$state.pointee.identityMap?.entity ?? UnboundLayouts.layout(of: Self.self)
    guard let property = layout?.properties[position] else { return }
    edit.apply(to: self, property, _$data)
  }

  /// Creates a placeholder object with default values. The initialiser of a model with `@Model` copies the values.
  public static func _$standIn() -> Self {
    Self(backingData: KeyPathBackingData(for: Self.self))
  }

  /// For generated code.
  public static func _$make(_ row: inout _PersistenceRuntime.RowReader) -> Self {
    row.beginModel()
    // `nonisolated(unsafe)`, because the compiler assumes that the row retains the data. Only the model retains it.
    nonisolated(unsafe) let data = KeyPathBackingData<Self>(for: Self.self)
    row.load(into: data)
    return Self(backingData: data)
  }

  /// For generated code.
  public func _$read(_ row: inout _PersistenceRuntime.RowReader) {
    row.load(into: _$data)
  }

  /// For generated code.
  public func _$write(_ row: inout _PersistenceRuntime.RowWriter) {
    row.write(_$data)
  }

  /// For generated code.
  ///
  /// - Throws: The error of the engine, or the error of an object whose row cannot be read.
  public static func _$decode(_ rows: inout _PersistenceRuntime.RowReader) throws {
    try rows.decodeAll(Self.self)
  }

  /// For generated code.
  ///
  /// - Throws: The error of a row that cannot be written.
  public static func _$encode(_ rows: inout _PersistenceRuntime.RowWriter) throws {
    try rows.encodeAll(Self.self)
  }
}

extension RowReader {
  /// Reads the columns of a row into backing data. The layout of the entity determines the type of each column.
  mutating func load<Model>(into data: KeyPathBackingData<Model>) {
    for property in session.entity.properties where !property.columns.isEmpty {
      if let level = session.level(at: property.position) { column = level.column }
      guard !isKept(property) else { continue }
      if let value = loaded(property) { data.load(value, at: property.keyPath) }
    }
  }

  /// Reads the value of a property. If it cannot be read, reports the error and returns nil, so that the property keeps
  /// its current value and the following columns are still read.
  private mutating func loaded(_ property: PropertyLayout) -> Any? {
    var value: Any?
    let isUnreadable = failsAlone { value = .some($0.dynamicValue(property)) }
    return isUnreadable ? nil : value
  }

  private mutating func dynamicValue(_ property: PropertyLayout) -> Any {
    func read<Value>(_ type: Value.Type) -> Any {
      outOfRowConstant(property.position) { $0.dynamicValue(type, property) }
    }
    return _openExistential(type(of: property.keyPath).valueType, do: read)
  }

  /// Returns true if the property must keep its value: the row was fetched without the property, or the property has a
  /// pending change. In the second case, skips its columns.
  private mutating func isKept(_ property: PropertyLayout) -> Bool {
    guard includes(property.position) else { return true }
    guard isPending(property.position) else { return false }
    pass(property.position)
    return true
  }

  private mutating func dynamicValue<Value>(_ type: Value.Type, _ property: PropertyLayout) -> Any {
    if property.composite != nil {
      return dynamicComposite(type, property) ?? (Placeholder.value(of: property) as Value)
    }
    let column = advance()
    if isNull(column) {
      if let optional = type as? any OptionalValue.Type { return optional.missing }
      reportUnreadable(property.position, column, property.valueType)
      return Placeholder.value(of: property) as Value
    }
    if let value = dynamicValue(of: property.valueType, column, property) { return value }
    // No error is reported for a relationship, because the related object may be read later.
    if !property.isRelationship { reportUnreadable(property.position, column, property.valueType) }
    return Placeholder.value(of: property) as Value
  }

  private mutating func dynamicComposite<Value>(_ type: Value.Type, _ property: PropertyLayout) -> Value? {
    withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
      guard let memory = buffer.baseAddress else { return nil }
      let reading = readComposite(
        property.position, into: UnsafeMutableRawPointer(memory), ObjectIdentifier(Value.self))
      return reading == .isDone ? memory.move() : nil
    }
  }

  private func dynamicValue(of type: any Any.Type, _ column: Int32, _ property: PropertyLayout) -> Any? {
    if let model = type as? any PersistentModel.Type {
      return session.related(model, key: functions.pointee.integer(row, column))
    }
    if let storable = type as? any StorableValue.Type { return storable._$read(self, column) }
    guard ActorConformance.isUsable(type) else {
      session.failure.recordElsewhere(type, property: property.position, key: key)
      return nil
    }
    if let raw = RawStorage.type(of: type), let value = dynamicRawValue(raw, column) { return value }
    guard let decodable = type as? any Decodable.Type, let text = String._$read(self, column) else { return nil }
    return try? JSONText.decode(decodable, from: text)
  }

  private func dynamicRawValue<R: RawRepresentable>(_ type: R.Type, _ column: Int32) -> R? {
    guard let storable = R.RawValue.self as? any StorableValue.Type else { return nil }
    return (storable._$readRaw(self, column, of: type) as? R.RawValue).flatMap { R(rawValue: $0) }
  }
}

extension RowWriter {
  /// Writes the values of backing data to the columns of a row. The dynamic type of each value selects the conversion.
  mutating func write<Model>(_ data: KeyPathBackingData<Model>) {
    for property in session.entity.properties where !property.columns.isEmpty && includes(property.position) {
      func read<Value>(_ type: Value.Type) -> Any? {
        (property.keyPath as? KeyPath<Model, Value>).map { data.value(at: $0) }
      }
      if writeDynamicComposite(property, of: data) { continue }
      let value = _openExistential(type(of: property.keyPath).valueType, do: read)
      outOfRow(property.position) { $0.bindDynamic(value, property) }
    }
  }

  /// Writes a property that is stored in several columns. Returns false, and writes nothing, for any other property.
  package mutating func writeDynamicComposite<Model>(
    _ property: PropertyLayout, of data: KeyPathBackingData<Model>
  ) -> Bool {
    guard property.composite != nil else { return false }
    func write<Value>(_ type: Value.Type, _ row: inout RowWriter) -> Bool {
      let keyPath = property.keyPath as? KeyPath<Model, Value>
      return row.writeComposite(keyPath.map { .value(data.value(at: $0)) } ?? Slot<Value>.fault, property.position)
    }
    func open<Value>(_ type: Value.Type) -> (inout _PersistenceRuntime.RowWriter) -> Bool { { write(type, &$0) } }
    return _openExistential(type(of: property.keyPath).valueType, do: open)(&self)
  }

  private mutating func bindOther(_ value: Any, _ parameter: Int32, _ position: Int) {
    guard ActorConformance.isUsable(type(of: value)) else {
      return session.failure.recordElsewhere(type(of: value), property: position, key: nil)
    }
    if let rawValue = RawStorage.value(of: value)?.rawValue as? any StorableValue {
      check(rawValue._$bind(&self, parameter), position)
    } else if let encodable = value as? any Encodable {
      bindJSON(encodable, parameter, position)
    } else {
      reportFault(position)
    }
  }

  package mutating func bindDynamic(_ value: Any?, _ property: PropertyLayout) {
    let parameter = advance()
    var value = value
    // The value of an optional property is an optional, so `value` is then an optional within an optional.
    if let known = value, let optional = known as? any OptionalValue { value = optional.wrappedValue }
    switch value {
    case nil: check(functions.pointee.null(statement, parameter), property.position)
    case let model as any PersistentModel: bindReference(model, parameter, property.position)
    case let storable as any StorableValue: check(storable._$bind(&self, parameter), property.position)
    case let value?: bindOther(value, parameter, property.position)
    }
  }
}
