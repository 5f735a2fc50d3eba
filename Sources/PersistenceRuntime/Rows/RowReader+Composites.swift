// Composite values in rows. A composite is one property with several columns.
//
// Generated code knows the type: it allocates and moves the value. The code here accesses untyped memory, because
// unspecialised generic code would take several times as long.

/// The result of reading a property that may be a composite.
@frozen
@usableFromInline
package enum CompositeReading {
  /// Not a composite: the column was not read.
  case isNone
  /// The read failed, and the failure was reported.
  case hasFailed
  /// The value was read into the memory.
  case isDone
}

extension RowReader {
  /// Reads a property into memory for a value of `type`, which must be the property's declared type.
  @usableFromInline
  package mutating func readComposite(
    _ position: Int, into memory: UnsafeMutableRawPointer, _ type: ObjectIdentifier
  ) -> CompositeReading {
    guard let layout = session.composites[position] else { return .isNone }
    let first = column
    return layout._withUnsafeGuaranteedRef { layout in
      column &+= layout.columnCount
      guard layout.holds(type) else { return reportType(position) }
      return layout.read(self, first, position, into: memory, scratch: session.scratch) ? .isDone : .hasFailed
    }
  }

  /// Returns true if the row's value differs from the value in memory (in the stored representation), or if there is no
  /// value in memory. Returns nil if the property is not a composite.
  @usableFromInline
  mutating func refreshComposite(_ position: Int, _ memory: UnsafeRawPointer?, _ type: ObjectIdentifier) -> Bool? {
    guard let layout = session.composites[position] else { return nil }
    guard includes(position) else { return session.releases(position) }
    return layout._withUnsafeGuaranteedRef { refresh($0, position, memory, type) }
  }

  private mutating func refresh(
    _ layout: CompositeLayout, _ position: Int, _ memory: UnsafeRawPointer?, _ type: ObjectIdentifier
  ) -> Bool {
    let first = column
    column &+= layout.columnCount
    if isPending(position) { return false }
    if let memory {
      guard layout.holds(type) else { return reportType(position) == .isDone }
      // If the row's value cannot be read, the slot becomes a fault.
      if layout.isStored(memory, self, first, position, scratch: session.scratch) == true { return false }
    } else if let current, current.pointee.hasFailedReads,
      !layout.isReadable(self, first, position, scratch: session.scratch)
    {
      return false
    }
    column = first
    return true
  }

  private func reportType(_ position: Int) -> CompositeReading {
    reportCorrupt(position, "the property is declared with another type than it is read with")
    return .hasFailed
  }

  /// Skips the columns of a property, regardless of the property's type.
  public mutating func pass(_ position: Int) {
    guard includes(position) else { return }
    column &+= session.entity.compositeLayout(at: position)?.columnCount ?? 1
  }
}
