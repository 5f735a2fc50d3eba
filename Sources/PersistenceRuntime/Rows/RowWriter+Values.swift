import PersistenceSupport

// How generated code writes slots to columns, the counterpart of the overloads that read. A fault has no value to
// write: the caller reads the property first.

extension RowWriter {
  @inlinable
  @inline(__always)
  public mutating func write<T: _PersistenceRuntime.StorableValue>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int)
  {
    guard includes(position) else { return }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    check(value._$bind(&self, parameter), position)
  }

  @inlinable
  @inline(__always)
  public mutating func write<T: _PersistenceRuntime.StorableValue>(
    _ slot: _PersistenceRuntime.Slot<T?>, _ position: Int
  ) {
    guard includes(position) else { return }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    guard let value else { return check(functions.pointee.null(statement, parameter), position) }
    check(value._$bind(&self, parameter), position)
  }

  @usableFromInline
  mutating func writeJSON<T: Codable>(_ slot: Slot<T>, _ position: Int) {
    guard includes(position) else { return }
    if session.entity.isActorBound(at: position) { return writeActorBound(slot, position) }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    bindJSON(value, parameter, position)
  }

  @usableFromInline
  mutating func writeOptionalJSON<T: Codable>(_ slot: Slot<T?>, _ position: Int) {
    guard includes(position) else { return }
    if session.entity.isActorBound(at: position) { return writeActorBound(slot, position) }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    guard let value else { return check(functions.pointee.null(statement, parameter), position) }
    bindJSON(value, parameter, position)
  }

  package func bindJSON<T: Encodable>(_ value: T, _ parameter: Int32, _ position: Int) {
    do {
      check(bindText(try JSONText.encode(value), parameter), position)
    } catch {
      session.failure.record(
        .valueNotStorable, property: position, key: nil, "the value of type \(T.self) cannot be encoded",
        underlying: error)
    }
  }

  @usableFromInline
  package func reportFault(_ position: Int) {
    session.failure.record(
      .valueNotStorable, property: position, key: nil,
      "there is no value: it was never read, or code that changes it in place saves before the change ends")
  }

  // MARK: Composites

  /// Writes the value in memory, or reports that there is none; returns false if the property is not a composite.
  @usableFromInline
  mutating func writeComposite(_ position: Int, _ memory: UnsafeRawPointer?, _ type: ObjectIdentifier) -> Bool {
    guard let layout = session.composites[position] else { return false }
    guard includes(position) else { return true }
    layout._withUnsafeGuaranteedRef { layout in
      let first = parameter
      parameter &+= layout.columnCount
      guard let memory, layout.holds(type) else { return reportFault(position) }
      layout.write(memory, first, position, to: &self)
    }
    return true
  }

  @inlinable
  package mutating func writeComposite<T>(_ slot: Slot<T>, _ position: Int) -> Bool {
    guard case .value(let value) = slot else { return writeComposite(position, nil, ObjectIdentifier(T.self)) }
    return withUnsafePointer(to: value) { writeComposite(position, UnsafeRawPointer($0), ObjectIdentifier(T.self)) }
  }

  // MARK: Relationships

  /// A to-one relationship is stored as the key of the destination's row.
  public mutating func write<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<T?>, _ position: Int) {
    guard includes(position) else { return }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    guard let value else { return check(functions.pointee.null(statement, parameter), position) }
    bindReference(value, parameter, position)
  }

  public mutating func write<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int) {
    guard includes(position) else { return }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    bindReference(value, parameter, position)
  }

  package func bindReference<T: PersistentModel>(_ value: T, _ parameter: Int32, _ position: Int) {
    let key = value._$state.pointee.primaryKey
    guard key != 0 else { return postponeReference(value, parameter, position) }
    guard session.mayRefer(to: value._$state.pointee.identityMap) else {
      return session.failure.record(
        .modelOfAnotherContext, property: position, key: nil,
        "the related \(T.self) belongs to another context; look it up in this one by its persistentModelID")
    }
    check(functions.pointee.integer(statement, parameter, key), position)
  }

  /// A to-many relationship has no column: its pairs are written after the rows.
  @inlinable
  public mutating func write<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<[T]>, _ position: Int) {}

  @inlinable
  public mutating func write<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<[T]?>, _ position: Int) {}

  /// Postpones a reference to an object without a row to the next save, if that will insert the object: user code may
  /// insert objects after the save has assigned its keys.
  private func postponeReference<T: PersistentModel>(_ value: T, _ parameter: Int32, _ position: Int) {
    let state = value._$state
    let isInserted =
      state.pointee.identityMap.map { state.pointee.flags.contains(.inserted) && session.mayRefer(to: $0) }
      ?? session.insertsRelatedLater
    if isInserted, session.postpone(position, parameter) { return }
    session.failure.record(
      .modelValidationFailure, property: position, key: nil,
      "the related \(T.self) was never inserted into this context; insert it first")
  }

  /// Binds the former value of a postponed reference, which the row keeps until the next save.
  func bindFormerReference(_ parameter: Int32, _ position: Int, at index: Int) {
    guard let key = session.formerKey(ofObjectAt: index, at: position) else {
      return session.failure.record(
        .modelValidationFailure, property: position, key: nil,
        "the related model was inserted by code that the save ran, and gets its row with the next save; save again")
    }
    let functions = functions.pointee
    check(key == 0 ? functions.null(statement, parameter) : functions.integer(statement, parameter, key), position)
  }

  // MARK: Transformers

  /// Writes a property that a value transformer stores.
  public mutating func transform<T>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int) {
    guard includes(position) else { return }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    do {
      let data = try session.transformers.data(of: value, property: session.entity.properties[position])
      guard let data else { return check(functions.pointee.null(statement, parameter), position) }
      check(data._$bind(&self, parameter), position)
    } catch {
      session.failure.record(
        .valueNotStorable, property: position, key: nil, "the transformer refuses the value", underlying: error)
    }
  }
}
