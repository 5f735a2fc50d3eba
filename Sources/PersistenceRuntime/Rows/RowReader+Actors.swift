import PersistenceSupport

// Properties whose types have isolated conformances: the last rank of overloads (``_$Rank1``). The form is selected by
// type at run time, as for members of composites, and checks the current isolation.

extension RowReader {
  /// Reads a property of any type.
  @usableFromInline
  mutating func actorBound<T>(_ position: Int) -> Slot<T> {
    guard includes(position) else { return .fault }
    return withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { buffer in
      guard let memory = buffer.baseAddress else { return .fault }
      switch readComposite(position, into: UnsafeMutableRawPointer(memory), ObjectIdentifier(T.self)) {
      case .isNone:
        let isRead = readColumn(position, into: UnsafeMutableRawPointer(memory), T.self)
        return isRead ? .value(memory.move()) : .fault
      case .hasFailed: return .fault
      case .isDone: return .value(memory.move())
      }
    }
  }

  /// Whether the row's value differs from the slot's.
  @usableFromInline
  mutating func refreshActorBound<T>(_ slot: Slot<T>, _ position: Int) -> Bool {
    guard !isKept(position) else { return false }
    let start = column
    let new: Slot<T> = actorBound(position)
    if case .value(let old) = slot {
      if case .value(let value) = new, isStored(old, as: value) { return false }
    } else if isStillUnread(new, position) {
      return false
    }
    column = start
    return true
  }

  private func isStored<T>(_ old: T, as new: T) -> Bool {
    guard let form = session.lastForms.form(of: T.self) else { return false }
    return withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { form.isStored(UnsafeRawPointer(old), as: UnsafeRawPointer($0), nil) }
    }
  }

  /// Initialises memory from the property's only column; returns false after reporting a failure.
  private mutating func readColumn<T>(_ position: Int, into memory: UnsafeMutableRawPointer, _ type: T.Type) -> Bool {
    let column = advance()
    guard let form = session.lastForms.form(of: type) else {
      session.failure.record(.valueNotStorable, property: position, key: key, "\(type) is not Codable")
      return false
    }
    let location = MemberLocation(column: column, position: position, isNullable: false, scratch: nil, inner: nil)
    return form.read(self, location, into: memory)
  }
}

extension RowWriter {
  /// Writes a property of any type to one column.
  @usableFromInline
  mutating func writeActorBound<T>(_ slot: Slot<T>, _ position: Int) {
    guard includes(position) else { return }
    let parameter = advance()
    guard case .value(let value) = slot else { return reportFault(position) }
    guard let form = session.lastForms.form(of: T.self) else {
      return session.failure.record(
        .valueNotStorable, property: position, key: nil, "\(T.self) is not Codable")
    }
    let location = MemberLocation(column: parameter, position: position, isNullable: false, scratch: nil, inner: nil)
    withUnsafePointer(to: value) { form.write(UnsafeRawPointer($0), to: &self, location) }
  }
}
