import PersistenceSupport

extension RowWriter {
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
}
